"""max(moves, key=lambda m: ...), the best move's own value counts."""


def custom_score(game, player):
    """The most central of my moves."""
    moves = game.get_legal_moves(player)
    if not moves:
        return float("-inf")
    rows, cols = game.height, game.width
    best = max(moves, key=lambda m: -((2 * m[0] - rows) ** 2) - (2 * m[1] - cols) ** 2)
    furthest = max(moves, key=lambda m: (m[0], m[1]))
    return float(-((2 * best[0] - rows) ** 2) - (2 * best[1] - cols) ** 2) + furthest[1] / 8
