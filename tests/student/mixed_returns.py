"""Returns that are sometimes int and sometimes float."""


def custom_score(game, player):
    own = len(game.get_legal_moves(player))
    opp = len(game.get_legal_moves(game.get_opponent(player)))
    if own == opp:
        return 0
    if opp == 0:
        return own
    if own > opp:
        return own / opp
    return -1
