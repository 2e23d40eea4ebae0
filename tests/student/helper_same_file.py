"""Helper functions in the same file, one calling the other."""


def mobility(game, player):
    """Number of legal moves of a player."""
    return len(game.get_legal_moves(player))


def mobility_difference(game, player, opponent):
    return mobility(game, player) - mobility(game, opponent)


def custom_score(game, player):
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    opponent = game.get_opponent(player)
    return float(mobility_difference(game, player, opponent) + mobility(game, player))
