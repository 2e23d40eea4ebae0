# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-untyped-decorators=False
"""Ratios: the player's moves relative to the opponent's, so that the opponent's last moves count most."""

from knightfall.catalogue.registry import heuristic


@heuristic(
    report="D",
    aliases=("D:AB_Custom",),
    idea="Have many moves for each of the opponent's, squared.",
    formula="m(p) if m(q) = 0 else m(p)/m(q)²",
    invariant="always",
)
def squared_ratio(game, player):
    """The square makes taking the opponent's moves count for more than gaining one's own."""
    over = game.utility(player)
    if over != 0.0:
        return over
    mine = len(game.get_legal_moves(player))
    theirs = len(game.get_legal_moves(game.get_opponent(player)))
    if theirs == 0:
        return float(mine)
    return mine / (theirs * theirs)


@heuristic(
    report="D",
    aliases=("D:AB_Custom_2",),
    idea="When ahead in moves leave the opponent few, otherwise have many.",
    formula="1/m(q) if m(p) > m(q) > 0 else m(p)",
    invariant="always",
)
def least_opponent(game, player):
    """As published, being ahead scores at most 1 and so mostly less than being behind."""
    over = game.utility(player)
    if over != 0.0:
        return over
    mine = len(game.get_legal_moves(player))
    theirs = len(game.get_legal_moves(game.get_opponent(player)))
    if mine > theirs and theirs > 0:
        return 1.0 / theirs
    return float(mine)
