"""`from random import randint` and other imports that are never used."""

import sys, copy
from random import randint
from collections import deque


def heuristic_distance(game, player):
    """Score under another name than custom_score."""
    own = game.get_player_location(player)
    if own is None:
        return 0.
    return float(abs(own[0] - game.height // 2) + abs(own[1] - game.width // 2))
