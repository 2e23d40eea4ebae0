"""The answers of the solver: the results about a position, and the progress of a long solve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from knightfall.rules import KnightfallError, Position
from knightfall.rules.display import Displayed, Table, counted

_LISTED = 8  # if all moves have the same result and there are more than this, the table says "all" instead of a list


class SolverError(KnightfallError):
    """A question that the solver cannot answer, described in one line."""


@dataclass(frozen=True, repr=False)
class Solution(Displayed):
    """The results about a position.

    ``winner`` is 1 or 2, or None if the budget ended first. ``moves`` says for each legal move whether it wins, or None
    if this is unknown. ``nodes`` and ``seconds`` are the cost of the search. ``distance`` is the number of plies that
    the game lasts when the winner hurries and the loser delays. ``distances`` contains the same number for moves that
    keep the result, including the move itself. Both are given only on request. ``reason`` says how the result was
    found: by search, or by the mirror argument.
    """

    position: Position
    winner: int | None
    moves: dict[int, bool | None]
    nodes: int
    seconds: float
    distance: int | None = None
    distances: dict[int, int] = field(default_factory=dict)
    reason: str = "search"

    @property
    def winning_moves(self) -> tuple[int, ...]:
        """The moves that are known to win, in ascending order."""
        return tuple(square for square, wins in sorted(self.moves.items()) if wins)

    @property
    def is_complete(self) -> bool:
        """Whether the result of every move is known."""
        return self.winner is not None and all(wins is not None for wins in self.moves.values())

    def _tables(self) -> Sequence[Table]:
        rows = []
        for result, value in (("win", True), ("lose", False), ("not decided", None)):
            squares = [square for square, wins in self.moves.items() if wins is value]
            # The quickest win and the longest resistance come first.
            squares.sort(key=lambda square: (1 if value else -1) * self.distances.get(square, 0))
            if squares:
                which = ", ".join(self._move(square) for square in squares)
                is_all = len(squares) == len(self.moves) > _LISTED and not self.distances
                rows.append((result, str(len(squares)), "all" if is_all else which))
        note = f"{counted(self.nodes, 'node')}, {self.seconds:.3f} s"
        columns = ("result", "moves", "which")
        return [Table(self._verdict(), columns, rows, numbers=("moves",), wrapped=("which",), note=note)]

    def _move(self, square: int) -> str:
        label, distance = self.position.geometry.label(square), self.distances.get(square)
        return label if distance is None else f"{label} in {distance}"

    def _verdict(self) -> str:
        if self.winner is None:
            return f"not decided within the budget: {self.position.fen()}"
        how = "the game is over" if self.position.is_over else {"mirror": "the mirror argument"}.get(self.reason, "")
        soon = "" if self.distance is None or self.position.is_over else f" in {counted(self.distance, 'move')}"
        by = f" ({how or self.reason})"
        return f"{('first', 'second')[self.winner - 1]} wins{soon}{by}: {self.position.fen()}"


@dataclass(frozen=True)
class Progress:
    """The progress of a long solve.

    ``done`` of ``moves`` root moves are decided. ``fill`` is the share of the table of facts that is in use.
    """

    done: int
    moves: int
    nodes: int
    seconds: float
    fill: float


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a solve. ``solution`` contains the results that were proved before it."""

    def __init__(self, solution: Solution) -> None:
        super().__init__("interrupted")
        self.solution = solution
