"""Chained comparisons, with boolean operators between them."""


def custom_score(game, player):
    own = len(game.get_legal_moves(player))
    opp = len(game.get_legal_moves(game.get_opponent(player)))
    if own > opp > 0:
        return 1. / opp
    if 0 < own <= opp < 5 or 0 == own == opp:
        return own - 0.5
    score = 0
    for r, c in game.get_blank_spaces():
        if 1 <= r < game.height - 1 and not 1 > c and c < game.width - 1:
            score += 1
    return float(own + score)
