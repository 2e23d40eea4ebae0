"""random.random() noise, times 0 in the end."""

import random

NOISE = 0


def custom_score(game, player):
    """Ties were once broken at random."""
    own = len(game.get_legal_moves(player))
    opp = len(game.get_legal_moves(game.get_opponent(player)))
    return own - opp + random.random() * NOISE
