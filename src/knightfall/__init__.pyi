"""The public names and where they are defined; `__init__.py` reads this list."""

from .agents.agent import Agent as Agent
from .agents.analysis import analyze as analyze
from .agents.analysis import deepening as deepening
from .agents.choice import Analysis as Analysis
from .agents.choice import Choice as Choice
from .agents.choice import MoveScore as MoveScore
from .agents.errors import AgentError as AgentError
from .agents.make import agent as agent
from .agents.match import play as play
from .arena.results import Results as Results
from .arena.tournament import tournament as tournament
from .catalogue.heuristic import Heuristic as Heuristic
from .catalogue.registry import heuristic as heuristic
from .catalogue.registry import heuristics as heuristics
from .lab.replication.api import replicate as replicate
from .lab.replication.replicate import Replication as Replication
from .lab.review import Review as Review
from .lab.review import review as review
from .lab.truth.accuracy import Accuracy as Accuracy
from .lab.truth.measure import accuracy as accuracy
from .lab.tuning.study import Study as Study
from .lab.tuning.tune import tune as tune
from .native.perft import perft as perft
from .native.solve.solution import Solution as Solution
from .native.solve.solver import Solver as Solver
from .native.solve.solver import solve as solve
from .reporting.api import report as report
from .rules import FenError as FenError
from .rules import Game as Game
from .rules import GameError as GameError
from .rules import Geometry as Geometry
from .rules import IllegalMove as IllegalMove
from .rules import KnightfallError as KnightfallError
from .rules import MoveData as MoveData
from .rules import Outcome as Outcome
from .rules import Position as Position
from .rules import SquareLike as SquareLike
from .rules import Symmetry as Symmetry

__version__: str
__all__: list[str]
