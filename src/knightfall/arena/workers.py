"""Processes on this machine that do the work.

They are started as programs of their own, not forked and not by way of the caller's main module: a script that holds a
tournament needs no special form, and no thread of ours is ever in two processes. One that dies is replaced; what it was
doing is done again.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import IO, Any, cast

from knightfall.arena.executor import Event, Executor, ExecutorError, Job, Lost, Numbered
from knightfall.native.cache import PACKAGE

_QUEUE = 2  # batches that a worker has at a time: while it reports one, it plays the other
_FAILED_STARTS = 3


class _Worker:
    """One process, and what it has been given and not yet told of."""

    def __init__(self, job: Job) -> None:
        ours, theirs = Pipe()
        self.connection: Connection[Any, Any] = ours
        self.place: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed when the worker is)
        self.place.truncate(8)
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed when the worker is)
        self.tasks: deque[Numbered] = deque()
        self.sizes: deque[int] = deque()
        self.is_ready = False
        self.is_ending = False
        self.is_stuck = False
        self.last_heard = time.monotonic()
        handles = [theirs.fileno(), self.place.fileno()]
        numbers = [str(number) for number in (*handles, os.getpid())]
        command = [sys.executable, "-P", "-m", "knightfall.arena.worker", *numbers]
        paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        # Ctrl-C at a terminal reaches every process of it; from its first moment on this one is not to hear it.
        # Only the main thread can say so; elsewhere nobody presses Ctrl-C.
        before = _ignore_interrupts()
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self.errors,
                pass_fds=handles,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            )
        finally:
            if before is not None:
                signal.signal(signal.SIGINT, before)
            theirs.close()
        self.connection.send(job)

    def give(self, batch: Sequence[Numbered]) -> None:
        if not self.tasks:
            self.last_heard = time.monotonic()
        self.tasks.extend(batch)
        self.sizes.append(len(batch))
        self.connection.send(list(batch))

    def heard(self, result: Numbered) -> None:
        """Cross out a task that is done."""
        self.last_heard = time.monotonic()
        assert self.tasks[0].number == result.number
        self.tasks.popleft()
        self.sizes[0] -= 1
        if self.sizes[0] == 0:
            self.sizes.popleft()

    def end(self) -> None:
        """Let it finish the task that it is at, and no more."""
        self.is_ending = True
        with contextlib.suppress(OSError):  # it is dead; that is heard of elsewhere
            self.connection.send(None)

    def last_words(self) -> str:
        """How it ended."""
        code = self.process.wait()
        if self.is_stuck:
            return "it did not come to an end"
        if code < 0:
            return f"signal {-code} ({_signal_name(-code)})"
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {code}"

    def suspects(self) -> tuple[Numbered, ...]:
        """The task that it was at."""
        self.place.seek(0)
        number = int.from_bytes(self.place.read(8), "little", signed=True)
        return tuple(task for task in self.tasks if task.number == number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.connection.close()
        self.errors.close()
        self.place.close()


def _ignore_interrupts() -> Any:
    try:
        return signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:
        return None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


class Workers(Executor):
    """So many processes."""

    batch_seconds = 0.1

    def __init__(self, job: Job, count: int, patience: float | None = None) -> None:
        self.workers = count
        self._patience = patience
        self._job = job
        self._failed_starts = 0
        self._finishing = False
        self._team: list[_Worker] = []
        try:
            for _ in range(count):
                self._team.append(_Worker(job))
        except BaseException:
            self.close()
            raise

    @property
    def room(self) -> int:
        return 0 if self._finishing else sum(max(_QUEUE - len(worker.sizes), 0) for worker in self._team)

    @property
    def is_busy(self) -> bool:
        # A worker that was told to finish leaves when it has; what it has not begun is not waited for.
        return bool(self._team) if self._finishing else any(worker.tasks for worker in self._team)

    def submit(self, batch: Sequence[Numbered]) -> None:
        idlest = min(self._team, key=lambda worker: len(worker.tasks))
        with contextlib.suppress(OSError):  # it has just died; its tasks come back by way of `wait`
            idlest.give(batch)

    def wait(self, seconds: float) -> list[Event]:
        found: list[Event] = []
        self._lose_patience()
        by_connection: dict[Any, _Worker] = {worker.connection: worker for worker in self._team}
        for connection in wait(list(by_connection), seconds):
            worker = by_connection[connection]
            try:
                self._hear(worker, worker.connection.recv(), found)
            except (EOFError, OSError):
                lost = self._bury(worker)
                if lost is not None:
                    found.append(lost)
        return found

    def _lose_patience(self) -> None:
        """Kill those that have not said anything for too long: what they are at will not end."""
        now = time.monotonic()
        for worker in self._team:
            if self._patience is not None and worker.tasks and now - worker.last_heard > self._patience:
                worker.is_stuck = True
                worker.process.kill()

    def _hear(self, worker: _Worker, message: object, found: list[Event]) -> None:
        if message == "ready":
            worker.is_ready = True
            self._failed_starts = 0
        elif isinstance(message, str):
            raise ExecutorError(f"a worker failed: {message}")
        else:
            for result in cast("list[Numbered]", message):
                worker.heard(result)
                found.append(result)

    def _bury(self, worker: _Worker) -> Lost | None:
        """A worker is dead: put another in its place, and tell what it leaves undone."""
        self._team.remove(worker)
        was_asked = worker.is_ending
        why = worker.last_words()
        tasks, suspects = tuple(worker.tasks), worker.suspects()
        worker.kill()
        if was_asked and why == "exit code 0":
            return None
        if not worker.is_ready:
            self._failed_starts += 1
            if self._failed_starts >= _FAILED_STARTS:
                raise ExecutorError(f"the workers do not start: {why}")
        if not self._finishing:
            self._team.append(_Worker(self._job))
        # It died of the task it was at, if of any; the others have done nothing.
        return Lost(tasks, suspects if worker.is_ready else (), why)

    def finish(self) -> None:
        self._finishing = True
        for worker in self._team:
            worker.end()

    def close(self) -> None:
        for worker in self._team:
            worker.kill()
        self._team.clear()
