"""An agent's scores for every move of a position, and the exact results of the solver."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace

from knightfall.agents.agent import Agent
from knightfall.agents.choice import Analysis
from knightfall.agents.errors import AgentError
from knightfall.agents.make import agent as make_agent
from knightfall.agents.native_agent import Deepening
from knightfall.native.solve.solver import Solver, load_code
from knightfall.rules import Position

ANALYST = "alphabeta(knightfall, ms=1000)"
"""The default agent for an analysis."""

_MEMORY = 2**28  # bytes for the solver of one analysis


def analyze(position: Position, agent: Agent | str = ANALYST, *, exact_ms: float = 0.0) -> Analysis:
    """Return every legal move, best first, with its score, depth, expected line and nodes.

    ``agent`` is an agent or its text. The solver also searches for ``exact_ms`` milliseconds. Its results in that time
    are ``exact`` and ``distance`` of each move, and ``winner`` and ``distance`` of the analysis. Raise
    :class:`AgentError` if an argument is invalid, the game is over, or the agent does not score moves.

    >>> import knightfall as kf
    >>> position = kf.Position.from_fen("7/7/3n3/7/7/2N4/7 w")
    >>> found = kf.analyze(position, agent="alphabeta(improved, depth=6)")
    >>> found.depth, len(found.moves), found.best.score
    (6, 6, 0.0)
    >>> late = kf.Position.from_fen("*N3/2*2/1*3/4n/5 w")
    >>> found = kf.analyze(late, agent="greedy(improved)", exact_ms=10_000)
    >>> found.winner, sorted(move.distance for move in found.moves)
    (1, [13, 15, 17])
    """
    steps = deepening(position, agent)
    truth = find_truth(position, exact_ms)
    *_, last = steps  # there is always a first iteration
    return truth.told_in(last)


def deepening(position: Position, agent: Agent | str = ANALYST) -> Deepening:
    """Return an iterator over analyses, each deeper than the one before.

    ``agent`` is an agent or its text. ``stop()`` of the iterator ends it and may be called from another thread. Raise
    :class:`AgentError` if the game is over or the agent does not score moves.
    """
    made = make_agent(agent) if isinstance(agent, str) else agent
    return made.deepen(position)


@dataclass(frozen=True)
class Truth:
    """The solver's results about a position: who wins, and for each move whether it wins, and how soon."""

    winner: int | None = None
    moves: dict[int, bool | None] = field(default_factory=dict)
    distances: dict[int, int] = field(default_factory=dict)
    length: int | None = None
    """The number of moves that the game lasts."""

    def told_in(self, analysis: Analysis) -> Analysis:
        """Return an analysis with these results added to it."""
        moves = tuple(
            replace(move, exact=self.moves.get(move.square), distance=self.distances.get(move.square))
            for move in analysis.moves
        )
        return replace(analysis, moves=moves, winner=self.winner, distance=self.length)

    @property
    def best(self) -> int | None:
        """The move that wins soonest or loses latest; None if the winner is unknown."""
        if self.winner is None or not self.moves:
            return None
        if any(self.moves.values()):
            winning = [square for square, wins in self.moves.items() if wins]
            return min(winning, key=lambda square: self.distances.get(square, math.inf))
        return max(self.moves, key=lambda square: self.distances.get(square, -1))


def find_truth(position: Position, ms: float, solver: Solver | None = None) -> Truth:
    """Return what the solver can prove within ``ms`` milliseconds: first who wins, then how soon."""
    if not isinstance(ms, int | float) or isinstance(ms, bool) or not 0 <= ms <= 1e9:
        raise AgentError(f"the milliseconds for exact values are a number from 0 to 1e9, not {ms!r}")
    if ms == 0:
        return Truth()
    load_code(position.geometry)
    solver = solver or Solver(position.geometry, memory=_MEMORY)
    deadline = time.perf_counter() + ms / 1e3
    solution = solver.solve(position, distance=True, ms=ms)
    lengths = dict(solution.distances)
    if solution.is_complete and None not in position.locations:
        # The solver computes distances only for moves that keep the result. Compute those of the mistakes here.
        for square in position.legal_moves():
            left = (deadline - time.perf_counter()) * 1e3
            if left <= 0:
                break
            if square not in lengths:
                length = solver.distance(position.play(square), ms=left)
                if length is not None:
                    lengths[square] = length + 1
    return Truth(solution.winner, dict(solution.moves), lengths, solution.distance)
