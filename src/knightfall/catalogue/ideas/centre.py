# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-untyped-decorators=False
"""The centre of the board, from which a knight has most jumps.

The reports measure distances from (height/2, width/2), half a square away from the true centre, so mirrored positions
have different scores.
"""

from knightfall.catalogue.registry import heuristic


@heuristic(
    report="AIND",
    aliases=("AIND:center_score",),
    idea="Stand far from the centre.",
    formula="(H/2 − row)² + (W/2 − col)²",
    invariant="never",
)
def center(game, player):
    """The squared distance from the centre: larger is further out, which makes it a weak opponent."""
    over = game.utility(player)
    if over != 0.0:
        return over
    place = game.get_player_location(player)
    if place is None:
        return 0.0
    row, column = place
    return (game.height / 2.0 - row) ** 2 + (game.width / 2.0 - column) ** 2


@heuristic(
    report="A",
    aliases=("A:custom_score_center_deviation",),
    idea="Have many moves and stand near the centre.",
    formula="mix·m(p)/8 − (1−mix)·d2sq(L(p), (W/2, H/2)) / ((W/2)² + (H/2)²)",
    ranges={"mix": (0.0, 1.0)},
    invariant="never",
)
def center_deviation(game, player, mix=0.8):
    """Both parts lie between 0 and 1. As published, the row is compared with half the width, not the height."""
    over = game.utility(player)
    if over != 0.0:
        return over
    score = mix * len(game.get_legal_moves(player)) / 8.0
    place = game.get_player_location(player)
    if place is None:
        return score
    row, column = place
    half_width = game.width / 2.0
    half_height = game.height / 2.0
    deviation = (half_width - row) ** 2 + (half_height - column) ** 2
    return score - (1.0 - mix) * deviation / (half_width**2 + half_height**2)


def centrality(game, player, peak):
    """Return the sum, over the player's moves, of `peak` minus the Manhattan distance from the centre."""
    middle_row = game.height // 2
    middle_column = game.width // 2
    moves = game.get_legal_moves(player)
    # Distances are summed as integers, so that the order of the moves cannot matter.
    distance = 0
    for row, column in moves:
        distance += abs(row - middle_row) + abs(column - middle_column)
    return peak * len(moves) - distance


@heuristic(
    report="B",
    aliases=("B:custom_score",),
    idea="Have many moves to central squares, and leave the opponent few.",
    formula="Σ_{x∈M(p)} (peak − d1(x, c)) − opponent·Σ_{x∈M(q)} (peak − d1(x, c)), c = (H//2, W//2)",
    ranges={"peak": (0.0, 12.0), "opponent": (0.0, 4.0)},
    invariant="odd",
)
def central_mobility(game, player, peak=6.0, opponent=1.5):
    """Mobility by the quality of the moves: one to the centre counts `peak`, one less for each step away from it."""
    over = game.utility(player)
    if over != 0.0:
        return over
    return centrality(game, player, peak) - opponent * centrality(game, game.get_opponent(player), peak)
