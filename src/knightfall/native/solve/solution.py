"""What the solver says: what is known of a position, and how far a long solve is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from knightfall.rules import KnightfallError, Position
from knightfall.rules.display import Displayed, Table, counted

_LISTED = 8  # moves with one result that are listed one by one where they are all the moves there are


class SolverError(KnightfallError):
    """A question that the solver cannot be asked; described in one line."""


@dataclass(frozen=True, repr=False)
class Solution(Displayed):
    """What is known about a position.

    ``winner`` is 1 or 2, or None when the budget ended first. ``moves`` says of each legal move whether it wins, or
    None where that is not known. ``distance`` is the number of plies the game lasts when the winner hurries and the
    loser delays, ``distances`` the same for each move, that move included; both only where they were asked for.
    ``reason`` says how it was found: by search, or by the mirror argument.
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
        """Whether every move is decided."""
        return self.winner is not None and all(wins is not None for wins in self.moves.values())

    def _tables(self) -> Sequence[Table]:
        rows = []
        for result, value in (("win", True), ("lose", False), ("not decided", None)):
            squares = [square for square, wins in self.moves.items() if wins is value]
            # The quickest win comes first, and the longest resistance.
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
    """How far a long solve is."""

    done: int
    moves: int
    nodes: int
    seconds: float
    fill: float


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a solve; ``solution`` holds what was proved by then."""

    def __init__(self, solution: Solution) -> None:
        super().__init__("interrupted")
        self.solution = solution
