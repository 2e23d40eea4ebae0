"""Who does the work: this process, others on this machine, or a cluster. All of them look alike from outside.

The work is a job, which can be sent to another process and made ready there, and numbered tasks. In a tournament the
job is the roster, and a task is a pair.
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
    """Workers that cannot be had or have gone for good; described in one line."""


class Numbered(Protocol):
    """A task, or what came of one."""

    @property
    def number(self) -> int:
        """Which task it is."""


class Job(Protocol):
    """Work that can be sent elsewhere."""

    def ready(self) -> Callable[[Any], Numbered]:
        """Prepare for it, once in each process; what does one task."""

    def check(self) -> None:
        """Raise an error in a process that would do the work otherwise: one with other sources of ours."""

    def is_foreign(self, task: Any) -> bool:
        """Whether a user's function runs in this task: only such a task can be what a worker died of."""


@dataclass(frozen=True)
class Lost:
    """Tasks that were given to a worker that died. ``suspects`` is what it was at when it died.

    ``by_host``: it was ended from outside, as by a person or by a system short of memory, or what it was at cannot kill
    a worker. The suspects are then not to blame.
    """

    tasks: tuple[Any, ...]
    suspects: tuple[Any, ...]
    why: str
    by_host: bool = False


Event = Numbered | Lost

DEATHS = 3
"""Workers that a task may kill before it is left out."""

FINISH_SECONDS = 10.0
"""How long a stop waits for tasks that have been begun; those that take longer are done anew another time."""


class Executor(ABC):
    """Does batches of tasks. What is finished is heard of by ``wait``."""

    batch_seconds: float
    """How long a batch should take: long enough to be worth its way, short enough to hear of it often."""

    workers: int
    """How many tasks are done at a time."""

    @property
    @abstractmethod
    def room(self) -> int:
        """How many more batches it takes now."""

    @property
    @abstractmethod
    def is_busy(self) -> bool:
        """Whether something is still being done."""

    @abstractmethod
    def submit(self, batch: Sequence[Numbered]) -> None:
        """Do these tasks."""

    @abstractmethod
    def wait(self, seconds: float) -> list[Event]:
        """What has come to its end, after at most so many seconds."""

    @abstractmethod
    def finish(self) -> None:
        """Bring the tasks that have been begun to their end, if that does not take too long, and no others."""

    @abstractmethod
    def close(self) -> None:
        """End at once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class InProcess(Executor):
    """Works in this process: for players that no other process can make, and where there are no processes."""

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
        # In a thread of its own: a native call in this one would keep Ctrl-C from being heard.
        return [interruptible(partial(self._perform, self._tasks.popleft()))] if self._tasks else []

    def finish(self) -> None:
        self._tasks.clear()

    def close(self) -> None:
        self._tasks.clear()
