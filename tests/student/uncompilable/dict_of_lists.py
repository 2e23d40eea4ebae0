"""Builds a dict of lists."""


def custom_score(game, player):
    """Group my moves by row and like the fullest rows."""
    by_row = {}
    for row, col in game.get_legal_moves(player):
        by_row.setdefault(row, []).append(col)
    score = 0
    for row in by_row:
        score += len(by_row[row]) ** 2 + max(by_row[row])
    return float(score)
