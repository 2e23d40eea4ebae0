"""Module-level dict as a constant, by [] and by .get and by `in`."""

MOBILITY_VALUE = {0: -10, 1: -3, 2: 0, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7}
SQUARE_VALUE = {(0, 0): -2, (3, 3): 5, (2, 2): 1.5}
CONFIG = {"own": 2.0, "opponent": 1.0}


def custom_score(game, player):
    own = len(game.get_legal_moves(player))
    opp = len(game.get_legal_moves(game.get_opponent(player)))
    score = CONFIG["own"] * MOBILITY_VALUE.get(own, 8)
    if opp in MOBILITY_VALUE:
        score -= CONFIG["opponent"] * MOBILITY_VALUE[opp]
    location = game.get_player_location(player)
    if location is not None:
        score += SQUARE_VALUE.get(location, 0)
    return score
