"""Global numeric constants, int and float, one computed from the others."""

OWN_WEIGHT = 3
OPPONENT_WEIGHT = 2.5
TOTAL_WEIGHT = OWN_WEIGHT + OPPONENT_WEIGHT
INFINITY = float("inf")
LATE = True


def custom_score(game, player):
    if game.is_loser(player):
        return -INFINITY
    if game.is_winner(player):
        return INFINITY
    own = len(game.get_legal_moves(player))
    opp = len(game.get_legal_moves(game.get_opponent(player)))
    score = (OWN_WEIGHT * own - OPPONENT_WEIGHT * opp) / TOTAL_WEIGHT
    return score + 1 if LATE else score
