"""Weights as default arguments of a helper, given by position, by keyword or not at all."""


def weighted(game, player, own_weight=1, opp_weight=2.0, offset=0):
    own = len(game.get_legal_moves(player))
    opp = len(game.get_legal_moves(game.get_opponent(player)))
    return own_weight * own - opp_weight * opp + offset


def custom_score(game, player):
    return weighted(game, player) + weighted(game, player, 3) + weighted(game, player, opp_weight=1, offset=-1)


def custom_score_2(game, player):
    return weighted(game, player, 2, 3)
