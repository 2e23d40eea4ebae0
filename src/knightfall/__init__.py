"""Knightfall: a laboratory for knight-move Isolation.

>>> import knightfall as kf
>>> position = kf.Position.from_fen("7/7/3n3/7/7/2N4/7 w")
>>> position.to_move, len(position.legal_moves()), kf.perft(position, 4)
(1, 6, 736)

The names below are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from knightfall.agents.agent import Agent as Agent
    from knightfall.agents.analysis import analyze as analyze
    from knightfall.agents.analysis import deepening as deepening
    from knightfall.agents.choice import Analysis as Analysis
    from knightfall.agents.choice import Choice as Choice
    from knightfall.agents.choice import MoveScore as MoveScore
    from knightfall.agents.errors import AgentError as AgentError
    from knightfall.agents.make import agent as agent
    from knightfall.agents.match import play as play
    from knightfall.arena.results import Results as Results
    from knightfall.arena.tournament import tournament as tournament
    from knightfall.catalogue.heuristic import Heuristic as Heuristic
    from knightfall.catalogue.registry import heuristic as heuristic
    from knightfall.catalogue.registry import heuristics as heuristics
    from knightfall.lab.review import Review as Review
    from knightfall.lab.review import review as review
    from knightfall.native.perft import perft as perft
    from knightfall.native.solve.solution import Solution as Solution
    from knightfall.native.solve.solver import Solver as Solver
    from knightfall.native.solve.solver import solve as solve
    from knightfall.rules import FenError as FenError
    from knightfall.rules import Game as Game
    from knightfall.rules import GameError as GameError
    from knightfall.rules import Geometry as Geometry
    from knightfall.rules import IllegalMove as IllegalMove
    from knightfall.rules import KnightfallError as KnightfallError
    from knightfall.rules import MoveData as MoveData
    from knightfall.rules import Outcome as Outcome
    from knightfall.rules import Position as Position
    from knightfall.rules import SquareLike as SquareLike
    from knightfall.rules import Symmetry as Symmetry

__version__ = "0.1.0"

_HOME = {
    "Agent": "agents.agent",
    "AgentError": "agents.errors",
    "Analysis": "agents.choice",
    "Choice": "agents.choice",
    "FenError": "rules",
    "Game": "rules",
    "GameError": "rules",
    "Geometry": "rules",
    "Heuristic": "catalogue.heuristic",
    "IllegalMove": "rules",
    "KnightfallError": "rules",
    "MoveData": "rules",
    "MoveScore": "agents.choice",
    "Outcome": "rules",
    "Position": "rules",
    "Results": "arena.results",
    "Review": "lab.review",
    "SquareLike": "rules",
    "Symmetry": "rules",
    "agent": "agents.make",
    "analyze": "agents.analysis",
    "deepening": "agents.analysis",
    "heuristic": "catalogue.registry",
    "heuristics": "catalogue.registry",
    "Solution": "native.solve.solution",
    "Solver": "native.solve.solver",
    "perft": "native.perft",
    "play": "agents.match",
    "review": "lab.review",
    "solve": "native.solve.solver",
    "tournament": "arena.tournament",
}

__all__ = ["__version__", *_HOME]


if not TYPE_CHECKING:  # type checkers know the names from above; with this they would accept any name

    def __getattr__(name: str) -> object:
        home = _HOME.get(name)
        if home is None:
            raise AttributeError(f"module 'knightfall' has no attribute {name!r}")
        value = getattr(import_module(f"knightfall.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
