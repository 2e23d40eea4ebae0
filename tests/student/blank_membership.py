"""`in` and `not in` tests on the blank spaces."""


def custom_score(game, player):
    """Count the empty squares right next to me, and the used ones."""
    blank = game.get_blank_spaces()
    location = game.get_player_location(player)
    if location is None:
        return float(len(blank))
    row, col = location
    free = 0
    for dr in [-1, 0, 1]:
        for dc in [-1, 0, 1]:
            if (row + dr, col + dc) in blank:
                free += 1
    if (game.height // 2, game.width // 2) not in blank:
        free += 0.5
    return float(free)
