"""forecast_move, one level deep, with the moves of the active player."""


def custom_score(game, player):
    """Mobility after the best next move of whoever is to move."""
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    opponent = game.get_opponent(player)
    best = -100
    for move in game.get_legal_moves():
        next_game = game.forecast_move(move)
        diff = len(next_game.get_legal_moves(player)) - len(next_game.get_legal_moves(opponent))
        if diff > best:
            best = diff
    return float(best)
