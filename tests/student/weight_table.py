"""Nested module-level list (a weight table) indexed [row][col]."""

WEIGHTS = [
    [2, 3, 4, 4, 4, 3, 2],
    [3, 4, 6, 6, 6, 4, 3],
    [4, 6, 8, 8, 8, 6, 4],
    [4, 6, 8, 8, 8, 6, 4],
    [4, 6, 8, 8, 8, 6, 4],
    [3, 4, 6, 6, 6, 4, 3],
    [2, 3, 4, 4, 4, 3, 2],
]


def custom_score(game, player):
    """Sum of the table over the moves; squares beyond 7x7 count 1."""
    score = 0
    for row, col in game.get_legal_moves(player):
        if row < 7 and col < 7:
            score += WEIGHTS[row][col]
        else:
            score += 1
    for move in game.get_legal_moves(game.get_opponent(player)):
        score -= WEIGHTS[move[0] % 7][move[1] % len(WEIGHTS[0])]
    return float(score)
