"""Openings: who wins after every pair of placements."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from knightfall.native.solve.solver import Solver
from knightfall.rules import Geometry, Position, SquareLike

Pair = tuple[int, int]


@dataclass(frozen=True, repr=False)
class Openings:
    """For each pair of placements, whether the first player, who is to move, wins."""

    geometry: Geometry
    first_wins: dict[Pair, bool]

    def winning_replies(self, first: SquareLike) -> tuple[int, ...]:
        """Return the second placements that win against a first placement.

        >>> board = Geometry(5, 5)
        >>> board.labels(openings_of(board).winning_replies("a5"))
        ['b5', 'd5', 'a4', 'c4', 'e4', 'b3', 'd3', 'a2', 'c2', 'e2', 'b1', 'd1']
        """
        placed = self.geometry.square(first)
        return tuple(s for s in range(self.geometry.size) if s != placed and not self.first_wins[placed, s])

    def __repr__(self) -> str:
        return f"<openings of {self.geometry}: {len(self.first_wins)} pairs of squares, player {self.winner} wins>"

    @property
    def winner(self) -> int:
        """The player who wins with free placement."""
        return 2 if all(self.winning_replies(first) for first in range(self.geometry.size)) else 1

    def inequivalent(self) -> list[Pair]:
        """Return one pair of every symmetry class of pairs."""
        return [pair for pair in self.first_wins if pair == _smallest(self.geometry, pair)]

    def to_text(self) -> str:
        """Return the content of the file: for each first square, up to symmetry, the winner for each second square."""
        size = self.geometry.size
        rows = {
            self.geometry.label(first): "".join(
                "." if first == second else str(1 if self.first_wins[first, second] else 2) for second in range(size)
            )
            for first in _first_squares(self.geometry)
        }
        return json.dumps({"board": str(self.geometry), "winner": rows}, indent=1) + "\n"

    @classmethod
    def from_text(cls, text: str) -> Openings:
        """Return the openings with this file content."""
        known = json.loads(text)
        geometry = Geometry.parse(known["board"])
        found: dict[Pair, bool] = {}
        for label, row in known["winner"].items():
            first = geometry.parse_label(label)
            for second, winner in enumerate(row):
                if winner != ".":
                    for symmetry in geometry.symmetries:
                        found[symmetry.squares[first], symmetry.squares[second]] = winner == "1"
        return cls(geometry, dict(sorted(found.items())))


def solve_openings(
    geometry: Geometry, solver: Solver | None = None, progress: Callable[[int, int], None] | None = None
) -> Openings:
    """Solve every pair of placements. ``progress`` is called with the number of solved pairs and of all pairs."""
    solver = solver or Solver(geometry)
    pairs = [
        (first, second)
        for first in _first_squares(geometry)
        for second in range(geometry.size)
        if second != first and _smallest(geometry, (first, second)) == (first, second)
    ]
    found: dict[Pair, bool] = {}
    for done, (first, second) in enumerate(pairs):
        won = solver.verdict(Position.start(geometry).play(first).play(second))
        assert won is not None  # there is no budget
        for symmetry in geometry.symmetries:
            found[symmetry.squares[first], symmetry.squares[second]] = won
        if progress is not None:
            progress(done + 1, len(pairs))
    return Openings(geometry, dict(sorted(found.items())))


def _smallest(geometry: Geometry, pair: Pair) -> Pair:
    return min((symmetry.squares[pair[0]], symmetry.squares[pair[1]]) for symmetry in geometry.symmetries)


def _first_squares(geometry: Geometry) -> list[int]:
    """Return the first squares that are not images of earlier squares."""
    return [s for s in range(geometry.size) if s == min(symmetry.squares[s] for symmetry in geometry.symmetries)]


@cache
def openings_of(geometry: Geometry) -> Openings | None:
    """Return the solved openings of a board that are included in the package; None if there are none."""
    file = files("knightfall.data").joinpath(f"openings_{geometry}.json")
    return Openings.from_text(file.read_text(encoding="utf-8")) if file.is_file() else None
