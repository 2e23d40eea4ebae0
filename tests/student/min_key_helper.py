"""min(moves, key=helper) with a function of the same file as the key."""


def corner_distance(move):
    return move[0] + move[1]


def custom_score(game, player):
    """How near the nearest move is to the top left corner."""
    moves = game.get_legal_moves(player)
    opp_moves = game.get_legal_moves(game.get_opponent(player))
    nearest = min(moves, key=corner_distance) if moves else (0, 0)
    opp_nearest = min(opp_moves, key=corner_distance, default=(0, 0))
    return float(corner_distance(nearest) - corner_distance(opp_nearest))
