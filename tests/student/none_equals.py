"""A location compared with None by == and !=, and with a square."""


def custom_score(game, player):
    own = game.get_player_location(player)
    opp = game.get_player_location(game.get_opponent(player))
    if own == None and opp == None:
        return 0.
    if own == (game.height // 2, game.width // 2):
        return 20.
    if opp != None:
        if own == None:
            return -2.
        return float(max(abs(own[0] - opp[0]), abs(own[1] - opp[1])))
    return 2.
