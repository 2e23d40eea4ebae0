"""One question to a solver: its budget, the nodes spent, and its progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from knightfall.native.control import DEADLINE, STOP
from knightfall.native.solve.block import UNLIMITED, Field, SolverBlock
from knightfall.native.solve.solution import Progress, SolverError

_REPORT_SECONDS = 0.5  # between two progress reports


class OutOfBudget(Exception):
    """The budget of a question ended before its answer was found."""


class Question:
    """A question with its budget. ``done`` is the number of decided root moves and the number of all root moves."""

    def __init__(
        self, ms: float | None = None, nodes: int | None = None, progress: Callable[[Progress], None] | None = None
    ) -> None:
        _check_budget(ms, nodes)
        self.began = time.perf_counter()
        self.spent = 0
        self.done = (0, 0)
        self.is_cancelled = False
        self._deadline = None if ms is None else time.monotonic() + ms / 1e3
        self._nodes = nodes
        self._progress = progress
        self._reported = self.began

    @property
    def seconds(self) -> float:
        """Seconds since the question began."""
        return time.perf_counter() - self.began

    @property
    def nodes_left(self) -> int:
        """The number of nodes that may still be searched."""
        return UNLIMITED if self._nodes is None else max(self._nodes - self.spent, 0)

    def prepare(self, block: SolverBlock, limit: int) -> None:
        """Write the limits of the next search into its block."""
        block[Field.NODES] = block[Field.NEXT] = block[Field.STOPPED] = 0
        block[Field.LIMIT] = limit
        block[DEADLINE] = 0 if self._deadline is None else max(int(self._deadline * 1e9), 1)

    def count(self, block: SolverBlock) -> None:
        """Add the nodes of a search that has ended, and reset its counter so that they are not counted twice."""
        self.spent += block[Field.NODES]
        block[Field.NODES] = 0

    def check(self, block: SolverBlock, threads: int = 1) -> None:
        """Raise :class:`OutOfBudget` if the budget is used up or if the search was stopped from outside."""
        if block[STOP]:
            raise OutOfBudget
        if self._nodes is not None and self._nodes - self.spent < threads:
            raise OutOfBudget
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise OutOfBudget

    def report(self, progress: Callable[[], Progress]) -> None:
        """Report progress, at most twice a second."""
        if self._progress is not None and time.perf_counter() - self._reported >= _REPORT_SECONDS:
            self._reported = time.perf_counter()
            self._progress(progress())


class Turn:
    """A lock for the duration of one question. A progress function that asks another question causes an error."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None

    def __enter__(self) -> None:
        if self._owner == threading.get_ident():
            raise SolverError("this solver is busy: it cannot be asked from its own progress function")
        self._lock.acquire()
        self._owner = threading.get_ident()

    def __exit__(self, *_: object) -> None:
        self._owner = None
        self._lock.release()


def _check_budget(ms: float | None, nodes: int | None) -> None:
    if ms is not None and (not isinstance(ms, int | float) or isinstance(ms, bool) or not 0 < ms < 1e12):
        raise SolverError(f"ms must be more than 0 and less than 1e12, not {ms!r}")
    if nodes is not None and (not isinstance(nodes, int) or isinstance(nodes, bool) or nodes < 1):
        raise SolverError(f"nodes must be a whole number from 1, not {nodes!r}")
