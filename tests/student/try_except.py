"""try / except around what may fail."""


def custom_score(game, player):
    """Divide first and think later."""
    own = len(game.get_legal_moves(player))
    opp = len(game.get_legal_moves(game.get_opponent(player)))
    try:
        ratio = own / opp
    except ZeroDivisionError:
        ratio = own * 2.0
    try:
        row, col = game.get_player_location(player)
    except TypeError:
        return ratio
    else:
        ratio += row * 0.25
    finally:
        own = 0
    return ratio
