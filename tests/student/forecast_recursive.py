"""Recursive helper with forecast_move and a depth."""


def count_lines(game, player, depth):
    """Positions up to some depth in which the player still has a move."""
    if depth == 0:
        return 1 if game.get_legal_moves(player) else 0
    total = 0
    for move in game.get_legal_moves():
        total += count_lines(game.forecast_move(move), player, depth - 1)
    return total


def custom_score(game, player):
    opponent = game.get_opponent(player)
    if game.get_player_location(player) is None or game.get_player_location(opponent) is None:
        return 0.0
    return float(count_lines(game, player, 2) - count_lines(game, opponent, 2))
