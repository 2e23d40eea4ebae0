"""sorted(moves), sorted with a key and reverse, slices of it."""


def custom_score(game, player):
    """Weighted rows of the moves in order."""
    ordered = sorted(game.get_legal_moves(player))
    score = 0.
    weight = 1.
    for move in ordered:
        score += weight * (move[0] + 0.5 * move[1])
        weight *= 0.5
        if weight < 0.001:
            break
    distances = sorted([abs(r - c) for r, c in ordered], reverse=True)
    for d in distances[:3]:
        score -= d
    opp = game.get_legal_moves(game.get_opponent(player))
    opp.sort(key=lambda m: (m[1], m[0]))
    if opp:
        score += opp[0][1]
    return score
