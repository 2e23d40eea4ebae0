"""Early return of 0 here and of 0.0 there."""


def custom_score(game, player):
    if not game.get_legal_moves(player):
        return 0
    if game.get_player_location(player) is None:
        return 0.0
    row, col = game.get_player_location(player)
    if row == col:
        return 0.
    return row - col
