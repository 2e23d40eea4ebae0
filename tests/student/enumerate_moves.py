"""enumerate over the blank spaces and over the sorted moves."""


def custom_score(game, player):
    score = 0
    for i, move in enumerate(sorted(game.get_legal_moves(player))):
        score += (i + 1) * (move[0] - move[1])
    for index, (row, col) in enumerate(game.get_blank_spaces(), 1):
        if index % 3 == 0:
            score += row
    return float(score)
