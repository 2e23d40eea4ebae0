"""A whole game between native agents as one compiled call.

If it is played move by move, a game of fast agents spends most of its time in Python. Here Python runs only before the
first move and after the last move.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from knightfall.agents.agent import Agent
from knightfall.agents.native_agent import NativeAgent, Workspace, load
from knightfall.agents.simple import RandomAgent
from knightfall.native.background import interruptible
from knightfall.native.control import STOP
from knightfall.native.search.block import Field
from knightfall.native.search.game import RECORD, play_game
from knightfall.native.search.root import RANDOM
from knightfall.native.state import State
from knightfall.native.user_output import user_code
from knightfall.rules import Geometry, Position

_QUICK = 0.01  # seconds of a whole game; a separate thread would cost as much as the shortest games
_NOTHING_REMEMBERED = 1 << 30  # more moves than any game has

_idle: list[Workspace] = []  # workspaces of random players, which need no other memory


@dataclass(frozen=True)
class NativeGame:
    """The moves of one game. ``records`` has one row per move, see :data:`knightfall.native.search.game.RECORD`."""

    moves: tuple[int, ...]
    records: npt.NDArray[np.void]
    seconds: float


def is_native(agent: Agent) -> bool:
    """Return whether an agent's moves come from its block, that is, a subclass has not overridden ``choose``."""
    return type(agent).choose in (NativeAgent.choose, RandomAgent.choose)


def play_native(
    agents: tuple[Agent, Agent], opening: Position, keys: tuple[int, int], *, obey_ctrl_c: bool = False
) -> NativeGame | None:
    """Play from an opening to the end; return None after an error, and then the game must be played move by move.

    Both agents must be native. ``keys`` are those of their seeds. The call returns when the game is over, however long
    it takes. With ``obey_ctrl_c``, a game that may be long runs in a separate thread, and Ctrl-C ends it.
    """
    workspaces = [_workspace(agent, opening) for agent in agents]
    for workspace, key in zip(workspaces, keys, strict=True):
        workspace.block[Field.KEY] = key - (key >> 63 << 64)  # as a signed word
        workspace.block[STOP] = 0
        # Forget everything from games that were played in this memory before.
        workspace.block[Field.LAST_COUNT] = _NOTHING_REMEMBERED
    records = np.zeros(opening.geometry.size + 1, RECORD)
    state = State.of(opening)

    def work() -> Any:
        with user_code:  # the leaves call heuristics
            return play_game(workspaces[0].block.address, workspaces[1].block.address, state, records.ctypes.data)

    def stop() -> None:
        for workspace in workspaces:
            workspace.block.stop()

    quick = not obey_ctrl_c or _is_quick(agents, workspaces, opening)
    began = time.perf_counter()
    try:
        count = int(work() if quick else interruptible(work, stop))
    except Exception:
        return None
    seconds = time.perf_counter() - began
    for agent, workspace in zip(agents, workspaces, strict=True):
        if isinstance(agent, NativeAgent):
            agent.game_seconds[_kind(opening)] = seconds
            agent.give_back(workspace)
        else:
            _idle.append(workspace)
    if count < 0:
        return None
    return NativeGame(tuple(records["square"][:count].tolist()), records[:count], seconds)


def _workspace(agent: Agent, opening: Position) -> Workspace:
    if isinstance(agent, NativeAgent):
        load(agent, opening)
        workspace = agent.take(opening.geometry)
        if agent.budget.ms is not None:
            workspace.block.floats[Field.MS_LIMIT] = agent.budget.ms
        return workspace
    while _idle:
        with contextlib.suppress(IndexError):  # another thread has taken it
            workspace = _idle.pop()
            if workspace.geometry == opening.geometry:
                return workspace
    workspace = Workspace(opening.geometry)
    workspace.become(RANDOM)
    return workspace


def _is_quick(agents: tuple[Agent, Agent], workspaces: list[Workspace], opening: Position) -> bool:
    """Return whether the game is likely to be short enough that Ctrl-C can wait for it, according to the last games."""
    if any(workspace.callback is not None for workspace in workspaces):
        return False  # Ctrl-C inside a Python function would look like an error of that function
    kind = _kind(opening)
    searching = [agent for agent in agents if isinstance(agent, NativeAgent)]
    return all(agent.game_seconds.get(kind, _QUICK) < _QUICK for agent in searching)


def _kind(opening: Position) -> tuple[Geometry, int]:
    """Return what the length of a game mainly depends on: the board, and the number of knights to be placed."""
    return opening.geometry, opening.locations.count(None)
