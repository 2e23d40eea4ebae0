# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-untyped-decorators=False
"""Distance: how far the knights are from each other and from the remaining squares."""

import math

from knightfall.catalogue.registry import heuristic


def offset(game, player):
    """Return how much further down and right the player is than the opponent, in total; 0 unless both are placed."""
    here = game.get_player_location(player)
    there = game.get_player_location(game.get_opponent(player))
    if here is None or there is None:
        return 0
    return (here[0] - there[0]) + (here[1] - there[1])


@heuristic(
    report="B",
    aliases=("B:custom_score_5",),
    idea="Stand above and to the left of the opponent.",
    formula="−((row_p − row_q) + (col_p − col_q))",
    invariant="never",
)
def chase(game, player):
    """Meant to follow the opponent; as listed the differences are signed, so it goes up and left. See `pursue`."""
    over = game.utility(player)
    if over != 0.0:
        return over
    return float(-offset(game, player))


@heuristic(
    report="B",
    idea="Stand below and to the right of the opponent.",
    formula="(row_p − row_q) + (col_p − col_q)",
    invariant="never",
)
def flee(game, player):
    """The opposite of `chase`, except that a won game stays won."""
    over = game.utility(player)
    if over != 0.0:
        return over
    return float(offset(game, player))


@heuristic(
    report="B",
    idea="Stay close to the opponent.",
    formula="−d1(L(p), L(q))",
    invariant="always",
)
def pursue(game, player):
    """What the report's words describe where its listing is `chase`."""
    over = game.utility(player)
    if over != 0.0:
        return over
    here = game.get_player_location(player)
    there = game.get_player_location(game.get_opponent(player))
    if here is None or there is None:
        return 0.0
    return float(-(abs(here[0] - there[0]) + abs(here[1] - there[1])))


def euclidean_parts(rows, columns):
    """Return a Euclidean distance as an integer, in units of 2^-48.

    Sums of integers do not depend on their order, so a position and its mirror image get the same score. The sum over a
    board of 128 squares stays below 2^63.
    """
    return int(math.sqrt(float(rows * rows + columns * columns)) * 2.0**48 + 0.5)


@heuristic(
    report="B",
    aliases=("B:custom_score_2",),
    idea="Be nearer to the empty squares than the opponent.",
    formula="−mean_{e∈E} [dist(L(p), e) − dist(L(q), e)]; whose: own: first term, opponent: second term",
    choices={"metric": ("d1", "d2", "d2sq"), "whose": ("both", "own", "opponent")},
    invariant="always",
)
def space_proximity(game, player, metric="d1", whose="both"):
    """Late in the game the squares that are left lie together; whoever is far from them is about to be stuck."""
    over = game.utility(player)
    if over != 0.0:
        return over
    here = game.get_player_location(player)
    there = game.get_player_location(game.get_opponent(player))
    empty = game.get_blank_spaces()
    if here is None or there is None or not empty:
        return 0.0
    my_row, my_column = here
    their_row, their_column = there
    mine = 0
    theirs = 0
    for row, column in empty:
        if metric == "d1":
            mine += abs(row - my_row) + abs(column - my_column)
            theirs += abs(row - their_row) + abs(column - their_column)
        elif metric == "d2":
            mine += euclidean_parts(row - my_row, column - my_column)
            theirs += euclidean_parts(row - their_row, column - their_column)
        else:
            mine += (row - my_row) ** 2 + (column - my_column) ** 2
            theirs += (row - their_row) ** 2 + (column - their_column) ** 2
    if whose == "own":
        theirs = 0
    elif whose == "opponent":
        mine = 0
    scale = 2.0**48 if metric == "d2" else 1.0
    return (theirs - mine) / scale / len(empty)


@heuristic(
    report="D",
    idea="When ahead in moves, mind how far they lead from the opponent.",
    formula="m(p) > m(q) > 0: sign·mean_{x∈M(p)} d2(x, L(q)); else m(p)",
    ranges={"sign": (-1, 1)},
    invariant="always",
)
def near_opponent(game, player, sign=1):
    """With sign 1 the branch that the listing never reaches, which rewards distance; −1 is what its words want."""
    over = game.utility(player)
    if over != 0.0:
        return over
    opponent = game.get_opponent(player)
    moves = game.get_legal_moves(player)
    theirs = len(game.get_legal_moves(opponent))
    here = game.get_player_location(player)
    there = game.get_player_location(opponent)
    if here is None or there is None or theirs == 0 or len(moves) <= theirs:
        return float(len(moves))
    their_row, their_column = there
    total = 0
    for row, column in moves:
        total += euclidean_parts(row - their_row, column - their_column)
    return sign * (total / 2.0**48) / len(moves)
