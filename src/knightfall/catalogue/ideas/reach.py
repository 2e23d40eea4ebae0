# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-untyped-decorators=False
"""Reach: the squares that a knight can reach in its next moves, and who reaches shared squares first."""

from knightfall.catalogue.registry import heuristic


@heuristic(
    report="E",
    aliases=("E:custom_score_3",),
    idea="Reach more squares in a few moves than the opponent.",
    formula="s_k(p) − s_k(q)",
    ranges={"k": (1, 8)},
    invariant="always",
)
def reach(game, player, k=2):
    """`improved` is the same with k = 1 once both are placed: more moves ahead see a dead end sooner."""
    over = game.utility(player)
    if over != 0.0:
        return over
    return float(len(game.reach(player, k)) - len(game.reach(game.get_opponent(player), k)))


@heuristic(
    report="E",
    aliases=("E:custom_score",),
    idea="Reach more squares than the opponent; shared squares are the attacker's.",
    formula="s_k(p) − s_k(q) ± c·|R_k(p) ∩ R_k(q)|, + where p is the attacker",
    ranges={"k": (1, 8), "c": (0.0, 2.0)},
    invariant="always",
)
def contested_reach(game, player, k=2, c=0.5):
    """The attacker gets first to every square both can reach, for the rest of the game, by the squares' colours."""
    over = game.utility(player)
    if over != 0.0:
        return over
    mine = game.reach(player, k)
    theirs = game.reach(game.get_opponent(player), k)
    # Nothing is shared before both are placed, when there is no attacker yet.
    contested = c * len(mine & theirs)
    if game.attacker == player:
        return len(mine) - len(theirs) + contested
    return len(mine) - len(theirs) - contested
