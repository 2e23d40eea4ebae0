"""Tuple unpacking, of locations and of several values at once."""


def custom_score(game, player):
    """Distance from the center, squared, for both."""
    w, h = game.width / 2., game.height / 2.
    own, opp = game.get_player_location(player), game.get_player_location(game.get_opponent(player))
    if own is None or opp is None:
        return 0.
    y, x = own
    (oy, ox) = opp
    mine, theirs = (h - y) ** 2 + (w - x) ** 2, (h - oy) ** 2 + (w - ox) ** 2
    mine, theirs = theirs, mine
    return float(mine - theirs)
