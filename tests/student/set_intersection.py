"""set(own).intersection(opp) and set(own).union(opp)."""


def custom_score(game, player):
    own_moves = game.get_legal_moves(player)
    opp_moves = game.get_legal_moves(game.get_opponent(player))
    common = set(own_moves).intersection(opp_moves)
    union = set(own_moves).union(set(opp_moves))
    if len(union) == 0:
        return 0.
    return 1. * len(common) / len(union) + len(own_moves)
