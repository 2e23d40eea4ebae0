"""The moves of a position that the solver examines: which of them are equivalent, and which to examine first."""

from __future__ import annotations

from collections.abc import Iterator

from knightfall.rules import Position
from knightfall.rules.theory import mirror_verdict

_SYMMETRIC_PLIES = 8  # later in the game, symmetric positions are too rare to search for


def orbits_of(position: Position) -> Iterator[tuple[int, ...]]:
    """Yield the legal moves. Moves that are images of each other under a symmetry of the position are grouped."""
    if position.ply > _SYMMETRIC_PLIES:
        yield from ((square,) for square in position.legal_moves())
        return
    keeping = [s.squares for s in position.geometry.symmetries if position.transform(s) == position]
    seen: set[int] = set()
    for square in position.legal_moves():
        if square not in seen:
            orbit = sorted({squares[square] for squares in keeping})
            seen.update(orbit)
            yield tuple(orbit)


def in_order(position: Position, theory: bool) -> list[tuple[int, ...]]:
    """Return the grouped moves in order: certain wins first, then the moves that are most likely to win.

    A second placement on a square of the other colour makes its player the attacker. Otherwise, fewer replies and more
    next moves are better.
    """
    geometry = position.geometry

    def rank(orbit: tuple[int, ...]) -> tuple[int, int]:
        after = position.play(orbit[0])
        if after.is_over or (theory and mirror_verdict(after) is False):
            return (-1, 0)
        mine = len(geometry.jumps[orbit[0]])
        if position.location(position.to_move) is None:
            other = position.location(3 - position.to_move)
            same = other is not None and geometry.colour(other) == geometry.colour(orbit[0])
            return (int(same), -mine)
        return (0, 2 * len(after.legal_moves()) - len(after.moves_of(position.to_move)))

    return sorted(orbits_of(position), key=rank)
