"""Nested function that captures nothing."""


def custom_score(game, player):
    """My squared mobility minus that of the opponent."""

    def square(x):
        return x * x

    def sign(x):
        if x < 0:
            return -1
        return 1

    own = len(game.get_legal_moves(player))
    opp = len(game.get_legal_moves(game.get_opponent(player)))
    return float(sign(own - opp) * (square(own) + square(opp)))
