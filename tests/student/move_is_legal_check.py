"""game.move_is_legal on squares around the player, off the board too."""


def custom_score(game, player):
    """Free squares in the plus shape around me."""
    loc = game.get_player_location(player)
    if loc is None:
        return 0.
    r, c = loc
    free = 0
    for dr, dc in [(-1, 0), (1, 0), (0, -1), (0, 1), (-9, 0), (0, 12)]:
        if game.move_is_legal((r + dr, c + dc)):
            free += 1
    center_free = game.move_is_legal((game.height // 2, game.width // 2))
    return free + 0.5 * center_free
