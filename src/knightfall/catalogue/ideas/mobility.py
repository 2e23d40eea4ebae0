# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-untyped-decorators=False
"""Mobility: the number of squares to which each player can move. All other scores are compared with it."""

from knightfall.catalogue.registry import heuristic


@heuristic(
    report="AIND",
    aliases=("AIND:null_score",),
    idea="Know nothing but who has won.",
    formula="0",
    invariant="always",
)
def null(game, player):
    """Nothing but the rules: what a search achieves with no judgement at all."""
    return game.utility(player)


@heuristic(
    report="AIND",
    aliases=("AIND:open_move_score", "D:AB_Custom_3"),
    idea="Have many moves.",
    formula="m(p)",
    invariant="always",
)
def open(game, player):  # noqa: A001
    """The player's own moves. Report D measured it under another name: the first branch there is never reached."""
    over = game.utility(player)
    if over != 0.0:
        return over
    return float(len(game.get_legal_moves(player)))


@heuristic(
    report="AIND",
    aliases=("AIND:improved_score",),
    idea="Have more moves than the opponent.",
    formula="m(p) − m(q)",
    invariant="always",
)
def improved(game, player):
    """The difference of the two players' moves: the yardstick of all five reports."""
    over = game.utility(player)
    if over != 0.0:
        return over
    return mobility(game, player)


@heuristic(
    report="C",
    aliases=("C:heuristic1",),
    idea="Have more moves than the opponent, finished games not told apart.",
    formula="m(p) − m(q)",
    invariant="always",
    raw=True,
)
def mobility(game, player):
    """The difference of the two players' moves, also where the game is over."""
    return float(len(game.get_legal_moves(player)) - len(game.get_legal_moves(game.get_opponent(player))))


@heuristic(
    report="A",
    aliases=("A:custom_score_improved",),
    idea="Weigh the player's own moves against the opponent's.",
    formula="mix·m(p) − (1−mix)·m(q)",
    ranges={"mix": (0.0, 1.0)},
    invariant="always",
)
def weighted_mobility(game, player, mix=0.7):
    """A mix of 0.5 is half of `improved`; more cares for the player's own moves, less for the opponent's."""
    over = game.utility(player)
    if over != 0.0:
        return over
    mine = len(game.get_legal_moves(player))
    theirs = len(game.get_legal_moves(game.get_opponent(player)))
    return mix * mine - (1.0 - mix) * theirs


@heuristic(
    report="A",
    aliases=("A:custom_score_opponent_moves",),
    idea="Leave the opponent few moves.",
    formula="−m(q)",
    invariant="always",
)
def opponent_mobility(game, player):
    """Only the opponent's moves count: attack without a thought for one's own safety."""
    over = game.utility(player)
    if over != 0.0:
        return over
    return float(-len(game.get_legal_moves(game.get_opponent(player))))


@heuristic(
    report="B",
    aliases=("B:custom_score_4",),
    idea="Have more moves than the opponent, whose moves count for more.",
    formula="own·m(p) − opponent·m(q)",
    ranges={"own": (0.0, 4.0), "opponent": (0.0, 4.0)},
    invariant="always",
)
def aggressive_mobility(game, player, own=1.0, opponent=1.5):
    """With a larger weight on the opponent's moves, taking a move away is worth more than gaining one."""
    over = game.utility(player)
    if over != 0.0:
        return over
    mine = len(game.get_legal_moves(player))
    theirs = len(game.get_legal_moves(game.get_opponent(player)))
    return own * mine - opponent * theirs


@heuristic(
    report="E",
    aliases=("E:custom_score_2",),
    idea="Have more moves than the opponent, and a square that both can move to.",
    formula="m(p) − m(q) + (bonus if M(p) ∩ M(q) ≠ ∅)",
    ranges={"bonus": (0.0, 10.0)},
    invariant="always",
)
def shared_square(game, player, bonus=3.0):
    """A shared square is one the player to move can take away from the other."""
    over = game.utility(player)
    if over != 0.0:
        return over
    mine = game.get_legal_moves(player)
    theirs = game.get_legal_moves(game.get_opponent(player))
    score = float(len(mine) - len(theirs))
    if mine & theirs:
        score += bonus
    return score
