"""is_winner / is_loser in one elif chain that sets a variable returned at the end."""


def custom_score(game, player):
    opponent = game.get_opponent(player)
    if game.is_winner(player) and not game.is_loser(player):
        result = 1000
    elif game.is_winner(opponent) or game.is_loser(player):
        result = -1000
    elif not game.is_loser(opponent):
        result = len(game.get_legal_moves()) * 1.0
        if not player == game.active_player:
            result = -result
    else:
        result = 1000
    return result
