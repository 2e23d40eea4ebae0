"""The tasks that are still to be done: the sizes of batches, and the rules for tasks that were lost with a worker."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Generic, TypeVar

from knightfall.rules.formatting import plural
from knightfall.work.executor import Executor, ExecutorError, Lost, Numbered

DEATHS = 3
"""The number of workers that a task may kill before it is given up."""

_LARGEST_BATCH = 256
_LOST_ROUNDS = 3  # how often all workers may be lost in a row until the machine is considered the cause
_WEIGHT = 0.05  # of the latest task in the average duration
_SHORTEST = 1e-4  # seconds

Task = TypeVar("Task", bound=Numbered)


class TaskQueue(Generic[Task]):
    """Tasks in the order in which they are done.

    ``seconds`` is a guess of a task's duration, used until the first result. ``noun`` and ``describe`` name tasks in
    error messages.
    """

    def __init__(self, tasks: Iterable[Task], seconds: float, noun: str, describe: Callable[[Task], str]) -> None:
        self._tasks = deque(tasks)
        self._alone: deque[Task] = deque()
        self._kills: Counter[int] = Counter()
        self._losses = 0  # workers lost by the machine since the last result
        self._seconds = seconds
        self.noun, self.describe = noun, describe

    def __len__(self) -> int:
        return len(self._alone) + len(self._tasks)

    def __iter__(self) -> Iterator[Task]:
        yield from self._alone
        yield from self._tasks

    def feed(self, executor: Executor) -> None:
        """Submit as many batches as the executor accepts."""
        size = max(1, min(int(executor.batch_seconds / self._seconds), _LARGEST_BATCH))
        for _ in range(executor.room):
            if self._alone:  # suspected worker-killers run alone
                executor.submit([self._alone.popleft()])
            elif self._tasks:
                # Smaller batches towards the end, so that no worker waits for another.
                fair = max(1, len(self._tasks) // (2 * executor.workers))
                executor.submit([self._tasks.popleft() for _ in range(min(size, fair, len(self._tasks)))])
            else:
                return

    def count_result(self, seconds: float) -> None:
        """Take note of a result and of the time that its task took."""
        self._losses = 0
        self._seconds += _WEIGHT * (max(seconds, _SHORTEST) - self._seconds)

    def put_back(self, loss: Lost) -> list[Task]:
        """Queue lost tasks again; return those that are given up, because they have killed too many workers."""
        suspects = {task.number for task in loss.suspects}
        given_up, first, last = [], [], []
        for task in loss.tasks:
            is_charged = task.number in suspects and not loss.by_host
            self._kills[task.number] += is_charged
            if is_charged and self._kills[task.number] >= DEATHS:
                given_up.append(task)
            elif is_charged:
                self._alone.append(task)
            elif task.number in suspects:
                # At the end, so that a task that is too large for the machine does not block the others.
                last.append(task)
            else:
                first.append(task)
        self._tasks.extendleft(reversed(first))
        self._tasks.extend(last)
        return given_up

    def count_loss(self, loss: Lost, workers: int) -> None:
        """Take note of a lost worker; raise ExecutorError if the machine loses too many without a result."""
        if not loss.by_host:
            return
        self._losses += 1
        if self._losses >= _LOST_ROUNDS * max(workers, 2):
            dead = f"{plural(self._losses, 'worker')} died one after another and no {self.noun} was finished"
            raise ExecutorError(f"{dead}: {loss.why}" + "".join(f", at {self.describe(at)}" for at in loss.suspects))

    def remove(self, tasks: Collection[Task]) -> None:
        """Remove tasks that need not be done any more."""
        numbers = {task.number for task in tasks}
        self._tasks = deque(task for task in self._tasks if task.number not in numbers)
        self._alone = deque(task for task in self._alone if task.number not in numbers)
