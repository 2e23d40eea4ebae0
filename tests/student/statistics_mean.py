"""statistics.mean of a list."""

import statistics


def custom_score(game, player):
    own = game.get_legal_moves(player)
    if not own:
        return -3.
    rows = [row for row, col in own]
    cols = [col for row, col in own]
    return statistics.mean(rows) - statistics.mean(cols) + len(own)
