"""String formatting: squares as text keys."""

GOOD = "33 23 32 34 43"


def custom_score(game, player):
    """Counts the good squares by their names, and the length of a message."""
    score = 0
    for move in game.get_legal_moves(player):
        if "{}{}".format(*move) in GOOD.split():
            score += 1
    message = f"{score:>3} of %d" % len(game.get_legal_moves(player))
    return float(score + int(message.split()[-1]) / 4)
