"""The truth of a location: `if location`, `not location`, `location and ...`, `location or ...`."""


def custom_score(game, player):
    own = game.get_player_location(player)
    opp = game.get_player_location(game.get_opponent(player))
    if not own:
        return 0.
    if own and opp:
        return float((own[0] - opp[0]) ** 2 + (own[1] - opp[1]) ** 2)
    place = opp or (0, 0)
    return float(own[0] - place[0])
