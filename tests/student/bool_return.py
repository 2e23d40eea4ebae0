"""Returns a truth value."""


def custom_score(game, player):
    """Am I ahead?"""
    return len(game.get_legal_moves(player)) > len(game.get_legal_moves(game.get_opponent(player)))
