"""while loop with a counter, break and continue."""


def custom_score(game, player):
    """The largest ring around me in which every square on my row is blank."""
    location = game.get_player_location(player)
    if location is None:
        return 0.
    blank = game.get_blank_spaces()
    steps = 0
    i = 1
    while i < game.width:
        if not (location[0], location[1] + i) in blank:
            break
        steps += 1
        i += 1
    n = 0
    while True:
        n += 1
        if n >= game.height:
            break
        if n % 2 == 1:
            continue
        steps += 0.5
    return float(steps)
