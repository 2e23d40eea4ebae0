"""Helpers that other files of this folder import."""

HELPER_WEIGHT = 2


def distance(a, b):
    """Manhattan distance between two squares, 0 if a player is not placed yet."""
    if a is None or b is None:
        return 0
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def near_center(game, move):
    """How close a move is to the middle of the board."""
    return game.width + game.height - distance(move, (game.height // 2, game.width // 2))
