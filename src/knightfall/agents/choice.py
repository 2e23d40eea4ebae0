"""What agents say: the move they choose, and what they think of every move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from knightfall.rules import Geometry, Position
from knightfall.rules.display import Displayed, Table


@dataclass(frozen=True, repr=False)
class Choice(Displayed):
    """A move and what the agent found out about it.

    ``score`` is told from the side of the player who moves, in the heuristic's own units (Monte Carlo: a win rate from
    0 to 1); it is infinite where the end is proven, and then ``ends_in`` says how many moves from here the game lasts.
    ``line`` is the play that the agent expects, its own move first. ``source`` says how the move was found: by
    search, or exactly, from the book, by the solver or by theory. ``geometry`` is the board, where the agent states it:
    with it squares are shown by their labels.
    """

    square: int
    score: float | None = None
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    line: tuple[int, ...] = ()
    ends_in: int | None = None
    source: str = "search"
    geometry: Geometry | None = field(default=None, compare=False, kw_only=True)

    def __repr__(self) -> str:
        from knightfall.agents.display import choice_line

        return choice_line(self)

    def _tables(self) -> Sequence[Table]:
        from knightfall.agents.display import choice_table

        return [choice_table(self)]


@dataclass(frozen=True, repr=False)
class MoveScore:
    """One legal move as an agent sees it. ``visits`` is for Monte Carlo, where ``nodes`` are not known by move.

    A move that the budget did not reach has no score. ``exact`` is not the agent's opinion but the solver's: whether
    the move wins, None where that was not asked or not found in time; ``distance`` is how many moves the game lasts.
    """

    square: int
    score: float | None
    ends_in: int | None
    depth: int
    line: tuple[int, ...]
    nodes: int | None = None
    visits: int | None = None
    exact: bool | None = None
    distance: int | None = None
    geometry: Geometry | None = field(default=None, compare=False, kw_only=True)

    def __repr__(self) -> str:
        from knightfall.agents.display import move_line

        return move_line(self)

    def to_object(self, geometry: Geometry) -> dict[str, Any]:
        """For JSON: squares as labels, infinities as text."""
        return {
            "move": geometry.label(self.square),
            "score": plain_number(self.score),
            "ends_in": self.ends_in,
            "depth": self.depth,
            "line": [geometry.label(square) for square in self.line],
            "nodes": self.nodes,
            "visits": self.visits,
            "exact": None if self.exact is None else exact_words(self.exact),
            "distance": self.distance,
        }


@dataclass(frozen=True, repr=False)
class Analysis(Displayed):
    """Every legal move of a position, best first.

    ``winner`` is 1 or 2 where the solver was asked and could tell, ``distance`` in how many moves. ``source`` says
    how the scores were found: by search, or exactly, from the book, by the solver or by theory.
    """

    position: Position
    agent: str
    moves: tuple[MoveScore, ...]
    depth: int
    nodes: int
    seconds: float
    winner: int | None = None
    distance: int | None = None
    source: str = "search"

    @property
    def best(self) -> MoveScore:
        """The best move."""
        return self.moves[0]

    @property
    def nodes_per_second(self) -> float:
        """How fast it was."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0

    def _tables(self) -> Sequence[Table]:
        from knightfall.agents.display import analysis_table

        return [analysis_table(self)]

    def to_object(self, lines: int | None = None) -> dict[str, Any]:
        """For JSON."""
        return {
            "fen": self.position.fen(),
            "agent": self.agent,
            "depth": self.depth,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "nodes_per_second": round(self.nodes_per_second),
            "winner": self.winner,
            "distance": self.distance,
            "source": self.source,
            "moves": [move.to_object(self.position.geometry) for move in self.moves[:lines]],
        }


def plain_number(value: float | None) -> float | str | None:
    """A number as JSON can hold it."""
    if value is None or abs(value) != float("inf"):
        return value
    return "inf" if value > 0 else "-inf"


def shown_score(score: float | None, ends_in: int | None) -> str:
    """A score as people read it.

    >>> shown_score(2.5, None), shown_score(float("-inf"), 12), shown_score(float("inf"), None)
    ('+2.50', 'loses in 12', '+inf')
    """
    if score is None:
        return ""
    if ends_in is not None:
        return f"{'wins' if score > 0 else 'loses'} in {ends_in}"
    return f"{score:+z.2f}" if abs(score) < 1e9 else f"{score:+z.3g}"


def exact_words(wins: bool | None, distance: int | None = None) -> str:
    """What is known of a move for certain, as people read it.

    >>> exact_words(True, 27), exact_words(False), exact_words(None)
    ('wins in 27', 'loses', '')
    """
    if wins is None:
        return ""
    return ("wins" if wins else "loses") + ("" if distance is None else f" in {distance}")
