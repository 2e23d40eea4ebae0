"""A location compared with None by `is` and `is not`."""


def custom_score(game, player):
    own = game.get_player_location(player)
    opp = game.get_player_location(game.get_opponent(player))
    if own is None:
        return -1.
    if opp is not None:
        return float(abs(own[0] - opp[0]) + abs(own[1] - opp[1]))
    return 1.
