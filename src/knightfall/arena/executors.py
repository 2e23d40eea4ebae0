"""The choice of an executor: a cluster, processes on this machine, or this process."""

from __future__ import annotations

import math
import os
import sys
from functools import partial

from knightfall.agents.native_agent import NativeAgent
from knightfall.arena.plan import PlanError
from knightfall.arena.play import play_pair
from knightfall.arena.players import Player
from knightfall.arena.prepare import Prepared
from knightfall.arena.roster import Roster
from knightfall.catalogue.heuristic import Heuristic
from knightfall.native.cache import PACKAGE
from knightfall.rules import Geometry
from knightfall.work.executor import Executor, InProcess, Job
from knightfall.work.workers import Workers

_WORKERS_START = 1.0  # seconds
_NODE = 2e-7  # seconds per node of a compiled heuristic
_SLOWEST_NODE = 1e-3  # seconds per node of an interpreted heuristic
_FIXED_DEPTH = 3_600.0  # seconds, if the cost of a move is unknown


def default_workers() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_executor(
    prepared: Prepared, workers: int | None = None, cluster: str | None = None, roster: Job | None = None
) -> Executor:
    """Return the executor: a cluster, processes on this machine or, if there is no alternative, this process.

    ``roster`` replaces the roster of these players, for example by one that can create more players.
    """
    players, plan = prepared.players, prepared.plan
    strangers = [player.name for player in players.values() if not player.is_portable]
    if cluster is not None:
        from knightfall.work.cluster import Cluster

        if strangers:
            raise PlanError(f"{strangers[0]} is in no file and cannot be sent to a cluster")
        return Cluster(roster or Roster.of(players, plan.budget), cluster, _patience(prepared))
    here = bool(strangers) or workers == 0 or sys.platform == "win32"
    if here or (workers is None and roster is None and is_tiny(prepared)):
        return InProcess(partial(play_pair, players=players) if roster is None else roster.ready())
    wanted = default_workers() if workers is None else workers
    count = max(1, min(wanted, len(plan.openings) * len(plan.matchups)))
    return Workers(roster or Roster.of(players, plan.budget), count, _patience(prepared))


def is_tiny(prepared: Prepared) -> bool:
    """Return whether this process can play everything before other processes would have started.

    This applies only if all heuristics are from the catalogue. A user's function may hang or crash, and then only a
    worker is lost, not the tournament.
    """
    pairs = len(prepared.plan.openings) * len(prepared.plan.matchups)
    slowest = max(_seconds_per_move(player) for player in prepared.players.values())
    return 2 * pairs * Geometry.parse(prepared.plan.board).size * slowest < _WORKERS_START


def _seconds_per_move(player: Player) -> float:
    """Return the expected maximum time of a move; infinity if it is unknown."""
    made = player.agent
    heuristic: Heuristic | None = getattr(made, "heuristic", None)
    if heuristic is not None and (heuristic.code.path is None or not heuristic.code.path.is_relative_to(PACKAGE)):
        return math.inf
    if made.kind == "random":
        return 0.0
    if not isinstance(made, NativeAgent):
        return math.inf
    budget = made.budget
    if budget.ms is not None:
        return budget.ms / 1e3
    if budget.nodes is not None:
        return budget.nodes * _NODE
    return math.inf if budget.depth is None else 8.0**budget.depth * _NODE


def _patience(prepared: Prepared) -> float:
    """Return the seconds of silence after which a worker is considered stuck, far more than the slowest pair needs."""
    moves = 2 * Geometry.parse(prepared.plan.board).size
    longest = 0.0
    for player in prepared.players.values():
        budget = player.agent.budget
        if budget.ms is not None:
            longest = max(longest, 3 * moves * (2 * budget.ms + 100) / 1e3)
        elif budget.nodes is not None:
            longest = max(longest, moves * budget.nodes * _SLOWEST_NODE)
        else:
            longest = max(longest, _FIXED_DEPTH)
    return 60.0 + longest
