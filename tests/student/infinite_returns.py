"""Early returns of float("-inf") and float("inf"), also through moves that are left."""


def custom_score(game, player):
    if game.is_loser(player):
        return float("-inf")

    if game.is_winner(player):
        return float("inf")

    own_moves = len(game.get_legal_moves(player))
    opp_moves = len(game.get_legal_moves(game.get_opponent(player)))
    if own_moves == 0:
        return float('-inf')
    elif opp_moves == 0:
        return float('+inf')
    else:
        return float(own_moves) / opp_moves
