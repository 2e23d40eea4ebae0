"""forecast_move with the player's moves although the opponent may be the one to move."""


def custom_score(game, player):
    """Average of my moves one step ahead; it moves whoever is active, which the student did not notice."""
    moves = game.get_legal_moves(player)
    if len(moves) == 0:
        return -1000.0
    total = 0
    for move in moves:
        total = total + len(game.forecast_move(move).get_legal_moves(player))
    return len(moves) + total / len(moves)
