"""What the solver says: what is known of a position, and how far a long solve is."""

from __future__ import annotations

from dataclasses import dataclass, field

from knightfall.rules import KnightfallError, Position


class SolverError(KnightfallError):
    """A question that the solver cannot be asked; described in one line."""


@dataclass(frozen=True)
class Solution:
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
