"""Exact values of moves for analysing finished games, from the book if it has the answer, otherwise from the solver.

The winner is proved completely if that takes no more than about a second: on boards of up to 49 squares with both
knights placed, on boards of up to 36 squares from the empty board on, and if the book has the answer. Elsewhere a
time limit applies. Results that are not proved in time are None, never a guess.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from knightfall.native.solve.book import book_of
from knightfall.native.solve.solver import Solver, load_code
from knightfall.rules import Geometry, Position

MEASURED_EMPTY = 40
"""Maximum number of empty squares for which the length of a game is computed quickly.

It usually takes a tenth of a second, and rarely a whole one.
"""

_ALWAYS_SOLVED = 49  # largest board, in squares, that is solved without a time limit once both knights are placed
_PLACEMENTS_SOLVED = 36  # the same limit before both knights are placed
_MEMORY = 2**28


@dataclass(frozen=True)
class Line:
    """A line of ``moves`` by both players from a won position. The first move is proved to win.

    ``length`` is the number of moves until the end when the winner plays the quickest win and the loser the longest
    defence. It is None if it is not proved. In that case, or if time ran out, the line may contain the first move
    only.
    """

    moves: tuple[int, ...]
    length: int | None

    @property
    def is_whole(self) -> bool:
        """Whether the line continues to the end of the game."""
        return self.length == len(self.moves)


class ExactValues:
    """Winning moves, game lengths and winning lines of positions; proved results are remembered.

    ``ms`` is the time limit per position in milliseconds. Lengths are searched for in positions with at most
    ``measured_empty`` empty squares.
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
        """Return for each legal move whether it wins, or None if that is not proved in time."""
        if self._book is not None and position.ply < self._book.plies:
            replies = {square: self._book.wins(position.play(square)) for square in position.legal_moves()}
            if None not in replies.values():
                return {square: not won for square, won in replies.items()}
        return self._solver.solve(position, ms=None if _is_always_solved(position) else self._ms).moves

    def start_clock(self) -> None:
        """Restart the time limit for lengths and lines."""
        self._deadline = time.monotonic() + self._ms / 1e3

    def length(self, position: Position) -> int | None:
        """Return the number of moves until the end with best play, or None if it is not proved in time."""
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
        """Return the number of moves until the end after each of these moves, or None if any of them is not proved."""
        found: dict[int, int] = {}
        for square in squares:
            length = self.length(position.play(square))
            if length is None:
                return None
            found[square] = length
        return found

    def winning_line(self, position: Position, winning: tuple[int, ...]) -> Line | None:
        """Return a line by which the player to move wins.

        ``winning`` contains the moves that are proved to win. The result is None if no winning move is proved.
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
        """Return the first move after which the game lasts ``left`` moves, or None if none is proved in time."""
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
