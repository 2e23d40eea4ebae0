"""Arithmetic operators and number builtins: // % ** abs round int float min max divmod."""


def custom_score(game, player):
    own = len(game.get_legal_moves(player))
    opp = len(game.get_legal_moves(game.get_opponent(player)))
    score = own ** 2 - opp ** 0.5
    score += (own * 7) // 3 + (own - opp) // 2 - (own - opp) % 3
    quotient, remainder = divmod(game.move_count, 5)
    score *= 1 + quotient - remainder / 8
    score = max(min(score, 500), -500, float(-own))
    return round(score, 2) + int(score) + abs(own - opp) + float(own) + round(own / 4)
