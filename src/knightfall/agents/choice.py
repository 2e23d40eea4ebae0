"""The results of agents: the move that they choose, and their scores for every move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from knightfall.rules import Geometry, Position
from knightfall.rules.display import Displayed, Table


@dataclass(frozen=True, repr=False)
class Choice(Displayed):
    """A move and the agent's results about it.

    ``square`` is the move. ``score`` is from the point of view of the player who moves, in the heuristic's own units
    (Monte Carlo: a win rate from 0 to 1). It is infinite if the end is proven, and then ``ends_in`` is the number of
    moves from here to the end of the game. ``depth``, ``nodes`` and ``seconds`` describe the search. ``line`` is the
    play that the agent expects, starting with its own move. ``source`` says how the move was found: by search, or
    exactly, from the book, by the solver or by theory. ``geometry`` is the board, if the agent sets it. With it,
    squares are displayed by their labels.
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
    """One legal move, with an agent's score.

    ``score`` is None if the budget did not reach the move. ``score``, ``ends_in``, ``depth``, ``line`` and ``nodes``
    are as for :class:`Choice`. ``visits`` is for Monte Carlo, which does not count nodes by move. ``exact`` is the
    solver's result: whether the move wins, or None if this was not requested or not found in time. ``distance`` is the
    number of moves that the game lasts, according to the solver.
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
        """Return the move as values for JSON: squares as labels, infinities as text."""
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

    ``agent`` is the agent's text. ``depth``, ``nodes`` and ``seconds`` describe the whole search. If the solver was
    used and found the result, ``winner`` is 1 or 2 and ``distance`` the number of moves to the end. ``source`` says how
    the scores were found: by search, or exactly, from the book, by the solver or by theory.
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
        """The speed of the search."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0

    def _tables(self) -> Sequence[Table]:
        from knightfall.agents.display import analysis_table

        return [analysis_table(self)]

    def to_object(self, lines: int | None = None) -> dict[str, Any]:
        """Return the analysis as values for JSON, with at most ``lines`` moves."""
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
    """Return a number as a value for JSON."""
    if value is None or abs(value) != float("inf"):
        return value
    return "inf" if value > 0 else "-inf"


def shown_score(score: float | None, ends_in: int | None) -> str:
    """Return a score as it is displayed.

    >>> shown_score(2.5, None), shown_score(float("-inf"), 12), shown_score(float("inf"), None)
    ('+2.50', 'loses in 12', '+inf')
    """
    if score is None:
        return ""
    if ends_in is not None:
        return f"{'wins' if score > 0 else 'loses'} in {ends_in}"
    return f"{score:+z.2f}" if abs(score) < 1e9 else f"{score:+z.3g}"


def exact_words(wins: bool | None, distance: int | None = None) -> str:
    """Return the exact result of a move as it is displayed.

    >>> exact_words(True, 27), exact_words(False), exact_words(None)
    ('wins in 27', 'loses', '')
    """
    if wins is None:
        return ""
    return ("wins" if wins else "loses") + ("" if distance is None else f" in {distance}")
