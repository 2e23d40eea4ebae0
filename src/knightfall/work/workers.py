"""Executor that runs tasks in worker processes on this machine.

Workers start as separate programs. They are neither forked nor started through the caller's main module. So a script
that runs a tournament needs no `if __name__ == "__main__":`, and no thread ends up in two processes. A worker that dies
is replaced, and its tasks are repeated.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from multiprocessing.connection import wait
from typing import Any

from knightfall.work.executor import FINISH_SECONDS, Event, Executor, ExecutorError, Job, Lost, Numbered
from knightfall.work.process import WorkerProcess

_QUEUE = 2  # batches per worker: it works on one while it reports another
_FAILED_STARTS = 3


class Workers(Executor):
    """A fixed number of worker processes."""

    batch_seconds = 0.1

    def __init__(self, job: Job, count: int, patience: float | None = None) -> None:
        self.workers = count
        self._patience = patience
        self._job = job
        self._failed_starts = 0
        self._deadline: float | None = None
        self._team: list[WorkerProcess] = []
        try:
            for _ in range(count):
                self._team.append(WorkerProcess(job))
        except BaseException:
            self.close()
            raise

    @property
    def room(self) -> int:
        if self._deadline is not None:
            return 0
        return sum(max(_QUEUE - len(worker.sizes), 0) for worker in self._team)

    @property
    def is_busy(self) -> bool:
        # During a stop, workers leave when they have finished; tasks that have not started are dropped.
        return bool(self._team) if self._deadline is not None else any(worker.tasks for worker in self._team)

    def submit(self, batch: Sequence[Numbered]) -> None:
        min(self._team, key=lambda worker: len(worker.tasks)).give(batch)

    def wait(self, seconds: float) -> list[Event]:
        found: list[Event] = []
        self._lose_patience()
        by_connection: dict[Any, WorkerProcess] = {worker.connection: worker for worker in self._team}
        for connection in wait(list(by_connection), seconds):
            worker = by_connection[connection]
            try:
                found += worker.hear()
                if worker.is_ready:
                    self._failed_starts = 0
            except (EOFError, OSError):
                lost = self._bury(worker)
                if lost is not None:
                    found.append(lost)
        return found

    def _lose_patience(self) -> None:
        now = time.monotonic()
        for worker in self._team:
            worker.lose_patience(self._patience)
        if self._deadline is not None and now > self._deadline:
            self.close()

    def _bury(self, worker: WorkerProcess) -> Lost | None:
        """Replace a dead worker; return its lost tasks."""
        self._team.remove(worker)
        lost = worker.loss()
        worker.kill()
        if lost is None:
            return None
        if not worker.is_ready:
            self._failed_starts += 1
            if self._failed_starts >= _FAILED_STARTS:
                raise ExecutorError(f"the workers do not start: {lost.why}")
        if self._deadline is None:
            self._team.append(WorkerProcess(self._job))
        return lost

    def finish(self) -> None:
        self._deadline = time.monotonic() + FINISH_SECONDS
        for worker in self._team:
            worker.end()

    def close(self) -> None:
        for worker in self._team:
            worker.kill()
        self._team.clear()
