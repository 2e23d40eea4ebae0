"""len(moves) == 0 and moves.__len__()."""


def custom_score(game, player):
    own_moves = game.get_legal_moves(player)
    opp_moves = game.get_legal_moves(game.get_opponent(player))
    if len(own_moves) == 0:
        return -100.
    if opp_moves.__len__() == 0:
        return 100.
    if len(own_moves) >= 1 and not len(opp_moves) > 1:
        return 50 + own_moves.__len__()
    return float(own_moves.__len__() - opp_moves.__len__())
