"""np.mean of a list, np.abs and np.sqrt."""

import numpy as np


def custom_score(game, player):
    """Mean distance of my moves from the middle row."""
    moves = game.get_legal_moves(player)
    opp_moves = game.get_legal_moves(game.get_opponent(player))
    if len(moves) == 0 or len(opp_moves) == 0:
        return float(len(moves))
    own = np.mean([abs(2 * m[0] - game.height) for m in moves])
    opp = np.mean([np.abs(2 * m[0] - game.height) for m in opp_moves])
    return float(opp - own + np.sqrt(len(moves)))
