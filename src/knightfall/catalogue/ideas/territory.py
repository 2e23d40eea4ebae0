# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-untyped-decorators=False
"""Territory: every empty square belongs to the knight that reaches it first."""

from knightfall.catalogue.ideas.paths import longest_path
from knightfall.catalogue.registry import heuristic


def territories(game, mover, other):
    """Return the squares that the player to move reaches first, and those of its opponent; both must be placed.

    The territories spread in turns, one jump at a time, over squares that neither owns yet. Squares that both reach in
    equally many jumps belong to the attacker, who moves first while both knights are on one colour.
    """
    one = game.get_legal_moves(mover)
    two = game.get_legal_moves(other) - one
    ones, twos = one, two
    free = game.get_blank_spaces() - one - two
    for _ in range(game.width * game.height):
        if not free or (not one and not two):
            break
        one = game.jumps(one) & free
        free = free - one
        two = game.jumps(two) & free
        free = free - two
        ones, twos = ones | one, twos | two
    return ones, twos


@heuristic(
    report="own",
    idea="Own more ways through the squares you reach first; once the knights are apart, count the jumps left.",
    formula=(
        "w(p) − w(q) ± attack·|E|/(width·height), + where p is the attacker; w: Σ (links − entry) over the squares "
        "reached first; regions apart, of at most `deep` squares: 1000·(path(p) − path(q) ∓ ½), − where p moves"
    ),
    ranges={"entry": (-2.0, 2.0), "attack": (0.0, 100.0), "deep": (0, 16)},
    invariant="always",
)
def knightfall(game, player, entry=1.3, attack=30.0, deep=12):
    """The project's own: what the five reports wished for, tuned on exact truth.

    A square of the territory counts by its links less about one, the way in: a dead end is a burden.
    """
    over = game.utility(player)
    if over != 0.0:
        return over
    mover = game.active_player
    other = game.get_opponent(mover)
    if game.get_player_location(mover) is None or game.get_player_location(other) is None:
        return 0.0
    ones, twos = territories(game, mover, other)
    moves, replies = game.get_legal_moves(mover), game.get_legal_moves(other)
    if len(ones) <= deep and len(twos) <= deep and not replies & ones and not game.jumps(ones) & twos:
        # The knights cannot meet any more. Who is on move needs one jump more than the other.
        value = 1000.0 * (longest_path(game, moves, len(ones)) - longest_path(game, replies, len(twos)) - 0.5)
    else:
        value = 2.0 * (game.links(ones) - game.links(twos)) - entry * (len(ones) - len(twos))
        share = len(game.get_blank_spaces()) / (game.width * game.height)
        value += attack * share if game.attacker == mover else -attack * share
    return value if player == mover else -value
