"""A common interface for all executors: this process, worker processes on this machine, or a cluster.

The work consists of a job and numbered tasks. The job can be sent to another process and is prepared there. In a
tournament, the job is the roster, and a task is a pair.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any, Protocol, Self

from knightfall.native.background import interruptible
from knightfall.rules import KnightfallError


class ExecutorError(KnightfallError):
    """Workers are unavailable, or were lost for good; the message is one line."""


class Numbered(Protocol):
    """A task, or the result of one."""

    @property
    def number(self) -> int:
        """The number of the task."""


class Job(Protocol):
    """Work that can be sent to another process."""

    def ready(self) -> Callable[[Any], Numbered]:
        """Prepare for the job, once per process; return the function that performs one task."""

    def check(self) -> None:
        """Raise an error if this process cannot do the work, for example because its Knightfall sources differ."""

    def is_foreign(self, task: Any) -> bool:
        """Return whether this task runs a user's function; only such a task can be blamed for a worker's death."""


@dataclass(frozen=True)
class Lost:
    """Tasks of a worker that died; ``suspects`` are those that were running when it died.

    ``by_host`` means that the suspects are not to blame. Either the worker was ended from outside, for example by a
    person or because the system was short of memory, or its task cannot kill a worker.
    """

    tasks: tuple[Any, ...]
    suspects: tuple[Any, ...]
    why: str
    by_host: bool = False


Event = Numbered | Lost

FINISH_SECONDS = 10.0
"""How long a stop waits for running tasks; those that take longer are repeated in a later run."""


class Executor(ABC):
    """Performs batches of tasks; ``wait`` returns the results."""

    batch_seconds: float
    """The target duration of a batch: long enough to justify the overhead, short enough for frequent results."""

    workers: int
    """The number of tasks that run at the same time."""

    @property
    @abstractmethod
    def room(self) -> int:
        """The number of further batches that the executor accepts now."""

    @property
    @abstractmethod
    def is_busy(self) -> bool:
        """Whether tasks are still running or waiting."""

    @abstractmethod
    def submit(self, batch: Sequence[Numbered]) -> None:
        """Add a batch of tasks."""

    @abstractmethod
    def wait(self, seconds: float) -> list[Event]:
        """Return results and losses; wait for at most this many seconds."""

    @abstractmethod
    def finish(self) -> None:
        """Finish the running tasks, unless that takes too long, and drop all others."""

    @abstractmethod
    def close(self) -> None:
        """Stop immediately."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class InProcess(Executor):
    """Runs tasks in this process: for players that other processes cannot create, or if processes are unavailable."""

    batch_seconds = 0.05
    workers = 1

    def __init__(self, perform: Callable[[Any], Numbered]) -> None:
        self._perform = perform
        self._tasks: deque[Numbered] = deque()

    @property
    def room(self) -> int:
        return 0 if self._tasks else 1

    @property
    def is_busy(self) -> bool:
        return bool(self._tasks)

    def submit(self, batch: Sequence[Numbered]) -> None:
        self._tasks.extend(batch)

    def wait(self, seconds: float) -> list[Event]:
        # Run in a separate thread: a native call in this thread would delay Ctrl-C.
        return [interruptible(partial(self._perform, self._tasks.popleft()))] if self._tasks else []

    def finish(self) -> None:
        self._tasks.clear()

    def close(self) -> None:
        self._tasks.clear()
