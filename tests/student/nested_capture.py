"""Nested function that captures local variables."""


def custom_score(game, player):
    """Moves weighted by how central they are."""
    mid_row, mid_col = game.height // 2, game.width // 2
    weight = 2 if game.move_count < 10 else 1
    opponent = game.get_opponent(player)

    def value(move):
        row, col = move
        return weight * (mid_row + mid_col - abs(row - mid_row) - abs(col - mid_col))

    def total(who):
        result = 0
        for move in game.get_legal_moves(who):
            result += value(move)
        return result

    return float(total(player) - total(opponent))
