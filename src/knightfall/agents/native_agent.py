"""Agents whose whole move is one native call."""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from knightfall.agents.agent import Agent
from knightfall.agents.callback import Callback, callback_dispatcher
from knightfall.agents.choice import Analysis, Choice
from knightfall.agents.errors import AgentError
from knightfall.catalogue.heuristic import Heuristic
from knightfall.native import pulse
from knightfall.native.background import interruptible
from knightfall.native.board_tables import bit_width, tables_of
from knightfall.native.control import DEFAULT_TICKS, STOP, TABLES
from knightfall.native.search.block import PERMUTATION, Block, Field, address_of_code
from knightfall.native.search.entry_points import MOVE, perform, prepare_kind
from knightfall.native.search.root import TREE
from knightfall.native.search.tree import BYTES, PATH
from knightfall.native.state import State
from knightfall.native.user_output import user_code
from knightfall.rules import Geometry, Position

UNLIMITED = 2**62
_ENDLESS = 2**60  # ticks
_QUICK_NODES = 1_000_000
_QUICK_MS = 50  # a move that may take longer runs in a separate thread, so that Ctrl-C works

Words = npt.NDArray[np.int64]


class Workspace:
    """All the memory that one move needs, for one board."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.width = bit_width(geometry)
        self.block = Block()
        self.block[TABLES] = tables_of(geometry).address
        self.block[Field.ALLOWED_TICKS] = DEFAULT_TICKS
        self.block[Field.NODE_LIMIT] = UNLIMITED
        self.block[Field.PLAYOUT_LIMIT] = UNLIMITED
        self.block[Field.CUTOFF] = -1
        self.callback: Callback | None = None
        self.table: Words | None = None
        self.tree: Words | None = None

    def use(self, heuristic: Heuristic) -> None:
        """Evaluate leaves with this heuristic: by its machine code, or by Python if it has none."""
        block = self.block
        dispatcher = heuristic.code.dispatcher(self.width)
        if dispatcher is None:
            heuristic.code.warn_if_interpreted()
            self.callback = Callback(heuristic, self.geometry, block)
            dispatcher = callback_dispatcher(self.width)
            block.floats[Field.PARAMS_0] = self.callback.number
        else:
            block.floats[Field.PARAMS_0 : Field.PARAMS_7 + 1] = heuristic.code.pack(heuristic.parameters)
        block[Field.FUNCTION] = address_of_code(dispatcher, self.width)
        block[Field.CAREFUL] = self.callback is not None or heuristic.code.needs_care
        block[Field.SEEDED] = heuristic.code.needs_care

    def become(self, kind: int) -> None:
        """Compile or load the code for an agent of this kind."""
        prepare_kind(self.block, kind, self.width)

    def fold(self) -> None:
        """Let symmetric positions share an entry of the table."""
        symmetries = self.geometry.symmetries[1:]
        for index, symmetry in enumerate(symmetries):
            for half, squares in enumerate((symmetry.squares, symmetry.inverse().squares)):
                begin = (2 * index + half) * PERMUTATION
                row = self.block.symmetries[begin : begin + PERMUTATION]
                row[:] = np.arange(PERMUTATION)
                row[: len(squares)] = squares
        self.block[Field.SYMMETRY_TOTAL] = len(symmetries)

    @property
    def bytes(self) -> int:
        """The size of its table and its tree in bytes."""
        return sum(memory.nbytes for memory in (self.table, self.tree) if memory is not None)

    def plant(self, nodes: int) -> None:
        """Allocate a Monte Carlo tree of that many nodes."""
        self.tree = np.zeros(nodes * BYTES // 8 + PATH, np.int64)
        self.block[Field.TREE] = self.tree.ctypes.data
        self.block[Field.TREE_LIMIT] = nodes

    def __del__(self) -> None:
        if getattr(self, "callback", None) is not None:
            assert self.callback is not None
            self.callback.close()


class Deepening(Iterator[Analysis]):
    """Iterator over analyses of one position, each deeper than the one before.

    ``stop()`` may be called from another thread.
    """

    def __init__(self, agent: NativeAgent | None, workspace: Workspace | None, analyses: Iterator[Analysis]) -> None:
        self._agent = agent
        self._workspace = workspace
        self._closed = False
        self._analyses = analyses
        self._stopped = False

    def __next__(self) -> Analysis:
        if self._closed or self._stopped:
            self.close()
            raise StopIteration
        try:
            return next(self._analyses)
        except BaseException:
            self.close()
            raise

    def stop(self) -> None:
        """End the search. The results so far are the last analysis."""
        self._stopped = True
        if self._workspace is not None:
            self._workspace.block.stop()

    def close(self) -> None:
        """Return the memory to the agent."""
        self._closed = True
        workspace, self._workspace = self._workspace, None
        if workspace is not None and self._agent is not None:
            workspace.block[Field.MULTI] = 0
            self._agent.give_back(workspace)

    def __enter__(self) -> Deepening:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class NativeAgent(Agent):
    """An agent whose settings are written into a block and whose move is one native call."""

    heuristic: Heuristic | None = None

    def __init__(self, seed: int = 0, name: str = "") -> None:
        super().__init__(seed, name)
        self._idle: dict[Geometry, list[Workspace]] = {}
        self._lock = threading.Lock()
        self.game_seconds: dict[tuple[Geometry, int], float] = {}
        """The duration of its last game, by board and by the number of knights that were not placed yet."""
        self._key_word = self.key - (self.key >> 63 << 64)  # as a signed word

    @property
    @abstractmethod
    def native_kind(self) -> int:
        """The kind of native search that it runs."""

    @abstractmethod
    def prepare(self, workspace: Workspace) -> None:
        """Write the settings into the block of a new workspace, and allocate the memory that they need."""

    @abstractmethod
    def read(self, workspace: Workspace, position: Position, square: int, seconds: float) -> Choice:
        """Return the result that the search wrote into the block, as a choice."""

    @abstractmethod
    def score(self, value: float, depth: int) -> float | None:
        """Return a value from the block as shown to users; None if the search found nothing."""

    def take(self, geometry: Geometry) -> Workspace:
        """Return a workspace that no other thread uses."""
        with self._lock:
            idle = self._idle.setdefault(geometry, [])
            if idle:
                found = idle.pop()
                found.block[STOP] = 0
                found.block[Field.KEY] = self._key_word  # a game of a tournament may have changed it
                return found
        made = Workspace(geometry)
        if self.heuristic is not None:
            made.use(self.heuristic)
        if self.budget.ms is not None:
            made.block[Field.ALLOWED_TICKS] = _ENDLESS  # the clock ends the search instead
        made.block[Field.KEY] = self._key_word
        made.become(self.native_kind)
        try:
            self.prepare(made)
        except MemoryError:
            raise AgentError(f"{self}: there is not enough memory for its table or tree") from None
        return made

    def give_back(self, workspace: Workspace) -> None:
        """Make the workspace available for the next move."""
        with self._lock:
            self._idle[workspace.geometry].append(workspace)

    def release(self, most: int) -> None:
        """Free the idle workspaces that use more than ``most`` bytes."""
        with self._lock:
            for geometry, idle in self._idle.items():
                self._idle[geometry] = [workspace for workspace in idle if workspace.bytes <= most]

    def choose(self, position: Position) -> Choice:
        self.check(position)
        load(self, position)
        began = time.perf_counter()
        workspace = self.take(position.geometry)
        square = self.call(workspace, position, began)
        made = self.read(workspace, position, square, time.perf_counter() - began)
        self.give_back(workspace)
        return made

    def call(self, workspace: Workspace, position: Position, began: float, task: int = MOVE) -> int:
        """Run one task for a position, in a separate thread if it may take long."""
        block = workspace.block
        budget = self.budget
        if budget.ms is not None:
            # The time to create the workspace is part of the move's time.
            block.floats[Field.MS_LIMIT] = max(budget.ms - (time.perf_counter() - began) * 1e3, 1e-3)
        state = State.of(position)
        pulse.note(position, "in a search from")
        return self.guarded(workspace, self.is_quick(workspace), lambda: perform(block, state, task))

    def is_quick(self, workspace: Workspace) -> bool:
        """Return whether a move is short enough that Ctrl-C can wait for it."""
        budget = self.budget
        if budget.ms is not None and budget.ms <= _QUICK_MS:
            return True
        return budget.nodes is not None and budget.nodes <= _QUICK_NODES and workspace.callback is None

    def guarded(self, workspace: Workspace, quick: bool, work: Callable[[], Any]) -> int:
        """Run native code, in a separate thread unless it is quick. Errors become one clear line."""

        pulse.watch(workspace.block)

        def search() -> Any:
            with user_code:  # the leaves call the heuristic
                return work()

        try:
            return int(search() if quick else interruptible(search, workspace.block.stop))
        except Exception as error:
            raise self._error(workspace, error) from None

    def _error(self, workspace: Workspace, error: Exception) -> BaseException:
        """Return the error with the position in which it occurred."""
        callback = workspace.callback
        if callback is not None and callback.error is not None:
            cause, position, player = callback.error
            callback.error = None
            if isinstance(cause, KeyboardInterrupt):
                return cause
            return callback.heuristic.error_in(position, player, cause)
        if self.heuristic is None:
            return error
        block, geometry = workspace.block, workspace.geometry
        empty = (block[Field.LEAF_HIGH] % 2**64) << 64 | block[Field.LEAF_LOW] % 2**64
        locations = (block[Field.LEAF_FIRST], block[Field.LEAF_SECOND])
        first, second = (None if at >= geometry.size else at for at in locations)
        position = Position(geometry, (first, second), ((1 << geometry.size) - 1) & ~empty, block[Field.LEAF_ACTIVE])
        player = block[Field.ASKED] if block[Field.KIND] == TREE else block[Field.SEARCHER]
        return self.heuristic.error_in(position, player, error)


def line_of(workspace: Workspace) -> tuple[int, ...]:
    """Return the best line that a search wrote into its block."""
    row = workspace.block.pv
    return tuple(int(square) for square in row[1 : 1 + int(row[0])])


def load(agent: NativeAgent, position: Position) -> None:
    """Compile or load the agent's machine code before its first move on a board. It is not part of the move's time."""
    if position.geometry not in agent._idle:
        agent.give_back(agent.take(position.geometry))
