# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-untyped-decorators=False
"""Open space: how many of the eight squares around a knight are empty.

A knight does not move to them next, but they distinguish an open part of the board from a filled one.
"""

from knightfall.catalogue.registry import heuristic


def empty_around(game, player):
    """Return n8, the number of empty squares around the player; 0 before it is placed."""
    place = game.get_player_location(player)
    if place is None:
        return 0
    return len(game.neighbours(place) & game.get_blank_spaces())


@heuristic(
    report="C",
    aliases=("C:heuristic4",),
    idea="Stand in the open.",
    formula="n8(p)",
    invariant="always",
    raw=True,
)
def space(game, player):
    """The empty squares around the player."""
    return float(empty_around(game, player))


@heuristic(
    report="C",
    aliases=("C:heuristic2",),
    idea="Stand more in the open than the opponent.",
    formula="n8(p) − n8(q)",
    invariant="always",
    raw=True,
)
def space_difference(game, player):
    """The empty squares around the player, less those around the opponent."""
    return float(empty_around(game, player) - empty_around(game, game.get_opponent(player)))


@heuristic(
    report="C",
    aliases=("C:heuristic3",),
    idea="Be able to stand in the open after the next move.",
    formula="max_{x∈M(active)} n8(p) in s·x; 0 if none",
    invariant="always",
    raw=True,
)
def space_lookahead(game, player):
    """The best `space` that one move of the active player leads to, the player's own move or not."""
    moves = game.get_legal_moves()
    empty = game.get_blank_spaces()
    if not moves:
        return 0.0
    best = 0
    if player == game.active_player:
        for move in moves:
            best = max(best, len(game.neighbours(move) & empty))
        return float(best)
    place = game.get_player_location(player)
    if place is None:
        return 0.0
    # The opponent moves: the player keeps all its space unless every move steps into it.
    around = game.neighbours(place) & empty
    best = len(around)
    if not (moves - around):
        best -= 1
    return float(best)
