"""Exact values of moves for whoever looks back at a game: from the book where it has the answer, else from the solver.

Who wins is proved completely wherever that takes no more than a second or so: on boards of up to 49 squares with both
knights placed, on boards of up to 36 squares from the empty board on, and where the book has the answer. A time limit
applies elsewhere, and what is not proved by then is None: never a guess.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from knightfall.native.solve.book import book_of
from knightfall.native.solve.solver import Solver, load_code
from knightfall.rules import Geometry, Position

MEASURED_EMPTY = 40
"""The most empty squares with which the length of a game is found quickly: a tenth of a second, rarely one."""

_ALWAYS_SOLVED = 49  # squares of a board that is solved without a time limit once both knights are placed
_PLACEMENTS_SOLVED = 36  # squares of a board whose placements are, too
_MEMORY = 2**28


@dataclass(frozen=True)
class Line:
    """How a won position is won: ``moves`` of both players, beginning with one that is proved to win.

    ``length`` is the number of moves until the end when the winner hurries and the loser delays; None where that is
    not proved. The line then holds the first move only, and so it may where time ran out.
    """

    moves: tuple[int, ...]
    length: int | None

    @property
    def is_whole(self) -> bool:
        """Whether the line goes on to the end of the game."""
        return self.length == len(self.moves)


class ExactValues:
    """Which moves of a position win, how long games last, and how they are won; proved facts are remembered.

    ``ms`` is the time limit for each position, in milliseconds. Lengths are looked for with up to ``measured_empty``
    empty squares.
    """

    def __init__(self, geometry: Geometry, ms: float, measured_empty: int = MEASURED_EMPTY) -> None:
        load_code(geometry)
        self._book = book_of(geometry)
        self._solver = Solver(geometry, memory=_MEMORY)
        self._ms = ms
        self._measured_empty = measured_empty
        self._lengths: dict[Position, int] = {}
        self._deadline = 0.0

    def wins(self, position: Position) -> dict[int, bool | None]:
        """Return for every legal move whether it wins; None where that is not proved in time."""
        if self._book is not None and position.ply < self._book.plies:
            replies = {square: self._book.wins(position.play(square)) for square in position.legal_moves()}
            if None not in replies.values():
                return {square: not won for square, won in replies.items()}
        return self._solver.solve(position, ms=None if _is_always_solved(position) else self._ms).moves

    def start_clock(self) -> None:
        """Allow the full time limit again for lengths and lines."""
        self._deadline = time.monotonic() + self._ms / 1e3

    def length(self, position: Position) -> int | None:
        """Return how many moves the game lasts with best play, or None where that is not proved in time."""
        if position.is_over:
            return 0
        if position not in self._lengths:
            remaining = (self._deadline - time.monotonic()) * 1e3
            if not self._is_measured(position) or remaining <= 0:
                return None
            found = self._solver.distance(position, ms=remaining)
            if found is None:
                return None
            self._lengths[position] = found
        return self._lengths[position]

    def lengths(self, position: Position, squares: tuple[int, ...]) -> dict[int, int] | None:
        """Return how many moves the game lasts after each of these moves; None where one of them is not proved."""
        found: dict[int, int] = {}
        for square in squares:
            length = self.length(position.play(square))
            if length is None:
                return None
            found[square] = length
        return found

    def winning_line(self, position: Position, winning: tuple[int, ...]) -> Line | None:
        """Return how the player to move wins; ``winning`` are moves that are proved to.

        None where no winning move is proved.
        """
        total = self.length(position)
        moves: list[int] = []
        after = position
        while total is not None and len(moves) < total:
            square = self._best(after, total - len(moves) - 1)
            if square is None:
                break
            moves.append(square)
            after = after.play(square)
        first = moves or winning[:1]
        return Line(tuple(first), total) if first else None

    def _best(self, position: Position, left: int) -> int | None:
        """The first move after which the game lasts that long, or None where none is proved in time."""
        for square in position.legal_moves():
            if self.length(position.play(square)) == left:
                return square
        return None

    def _is_measured(self, position: Position) -> bool:
        is_placed = None not in position.locations
        return is_placed and position.geometry.size - position.ply <= self._measured_empty


def _is_always_solved(position: Position) -> bool:
    size = position.geometry.size
    return size <= (_PLACEMENTS_SOLVED if None in position.locations else _ALWAYS_SOLVED)
