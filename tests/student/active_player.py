"""game.active_player and game.inactive_player compared with the player."""


def custom_score(game, player):
    """The side to move is worth one move."""
    active_moves = len(game.get_legal_moves(game.active_player))
    waiting_moves = len(game.get_legal_moves(game.inactive_player))
    if game.active_player == player:
        return float(active_moves - waiting_moves + 1)
    if player != game.inactive_player:
        return 99.
    if game.inactive_player is player:
        return float(waiting_moves - active_moves - 1)
    return 0.
