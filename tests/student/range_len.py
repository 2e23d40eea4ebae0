"""for i in range(len(moves)), and ranges over the board."""


def custom_score(game, player):
    moves = game.get_legal_moves(player)
    total = 0
    for i in range(len(moves)):
        total += moves[i][0] * moves[i][1]
    for row in range(0, game.height, 2):
        for col in range(game.width - 1, -1, -1):
            if game.move_is_legal((row, col)):
                total -= 1
    return float(total)
