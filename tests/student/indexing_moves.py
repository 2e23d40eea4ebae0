"""Indexing of the move list and its truth: moves[0], moves[-1], `if not moves`."""


def custom_score(game, player):
    """A knight's jump is always five squared units long, so this is the same whatever the order."""
    moves = game.get_legal_moves(player)
    if not moves:
        return -5.
    location = game.get_player_location(player)
    first = moves[0]
    if location is None:
        return float(first[0] + moves[-1][1])
    length = (first[0] - location[0]) ** 2 + (moves[0][1] - location[1]) ** 2
    color = (moves[-1][0] + moves[-1][1]) % 2
    return float(length + color + len(moves))
