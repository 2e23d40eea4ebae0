# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-untyped-decorators=False
"""Paths: how many jumps a knight can still make in its own part of the board, once the parts are separated."""

from knightfall.catalogue.ideas.centre import central_mobility
from knightfall.catalogue.registry import heuristic

_FEW = 12


def longest_path(game, moves, squares):
    """Return the maximum number of jumps, the first to one of `moves`, if nobody else moves; each square is used once.

    `squares` is the total number of squares. A path that uses all of them ends the search.
    """
    best = 0
    for square in moves:
        # With few squares, the search is faster than a check of the time.
        if squares > _FEW and game.out_of_time():
            break
        # It does not matter who is put there: only the used square counts.
        after = game.forecast_move(square)
        best = max(best, 1 + longest_path(after, game.jumps(square) & after.get_blank_spaces(), squares - 1))
        if best == squares:
            break
    return best


def path_bound(game, player, location):
    """Return the maximum path length: its squares alternate in colour and are in the knight's region."""
    own = game.colour(location)
    same = 0
    others = 0
    for square in game.region(player):
        if game.colour(square) == own:
            same += 1
        else:
            others += 1
    return min(2 * others, 2 * same + 1)


@heuristic(
    report="B",
    idea="Value moves by how central they are; late in the game, count the jumps that are left.",
    formula=(
        "|E| > threshold: central_mobility; regions apart: 100·(path(p) − path(q) ∓ ½), − where p moves; "
        "else central_mobility + bound(p) − bound(q)"
    ),
    ranges={"threshold": (0, 128), "deep": (0, 24)},
    invariant="odd",
)
def central_then_paths(game, player, threshold=20, deep=12):
    """The late-game function that report B wished for: board partition and longest jump paths.

    Paths are followed to their ends in regions of up to `deep` squares; in larger ones the bound by colours stands for
    them. Once the knights cannot meet any more, whoever has the longer path has won; the player to move needs one more.
    """
    value = central_mobility(game, player)
    here = game.get_player_location(player)
    there = game.get_player_location(game.get_opponent(player))
    if here is None or there is None or game.utility(player) != 0.0 or len(game.get_blank_spaces()) > threshold:
        return value
    mine = game.region(player)
    theirs = game.region(game.get_opponent(player))
    my_jumps = path_bound(game, player, here)
    their_jumps = path_bound(game, game.get_opponent(player), there)
    if len(mine & theirs) > 0:
        return value + my_jumps - their_jumps
    if len(mine) <= deep:
        my_jumps = longest_path(game, game.get_legal_moves(player), len(mine))
    if len(theirs) <= deep:
        their_jumps = longest_path(game, game.get_legal_moves(game.get_opponent(player)), len(theirs))
    tempo = 0.5 if game.active_player == player else -0.5
    return 100.0 * (my_jumps - their_jumps - tempo)
