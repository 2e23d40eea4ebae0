"""A worker process from its parent's view: the tasks it was given, the current one, and how the process ended."""

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
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

from knightfall.native.cache import PACKAGE
from knightfall.work.executor import ExecutorError, Job, Lost, Numbered

START_SECONDS = 600.0
"""The time limit for the start of a worker, including compilation."""

NOTHING = -1
"""The task number of a worker that is idle."""

SHARED = 16
"""The size in bytes of the shared memory: the current task's number, and whether the worker itself sent signals."""

_GAP = 1.0  # if two checks of a worker are further apart, this process was not listening

_CRASHES = ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS")
"""Signals that a process causes itself.

All others come from outside, for example from a person or a system short of memory.
"""


class WorkerProcess:
    """A worker process and the tasks that it has not reported yet."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.tasks: deque[Numbered] = deque()
        self.sizes: deque[int] = deque()
        self.is_ready = False
        self.is_ending = False
        self.last_heard = self._looked = time.monotonic()
        self._why_killed = ""
        self._was_stopped = False
        with contextlib.ExitStack() as opened:
            try:
                ours, theirs = Pipe()
                self.connection: Connection[Any, Any] = opened.enter_context(ours)
                opened.callback(theirs.close)
                self._place = opened.enter_context(_memory())
                self._errors = opened.enter_context(_memory())
                # Write the bytes instead of only setting the length: if memory is short, the error occurs here and not
                # as a signal later.
                self._place.write(NOTHING.to_bytes(8, "little", signed=True) + bytes(8))
                self._place.flush()
                self.process = self._start(theirs)
            except OSError as error:
                raise ExecutorError(f"a worker cannot be started: {error.strerror or error}") from None
            opened.pop_all()
            theirs.close()
        with contextlib.suppress(OSError):  # if it is dead, that is detected elsewhere
            self.connection.send(job)

    def _start(self, theirs: Connection[Any, Any]) -> subprocess.Popen[bytes]:
        handles = [theirs.fileno(), self._place.fileno()]
        numbers = [str(number) for number in (*handles, os.getpid())]
        command = [sys.executable, "-P", "-m", "knightfall.work.worker", *numbers]
        paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        # Ctrl-C at a terminal reaches all its processes. The worker must ignore it from the start. Only the main thread
        # can set this; other threads do not receive Ctrl-C.
        before = _ignore_interrupts()
        try:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=handles,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            )
        finally:
            if before is not None:
                signal.signal(signal.SIGINT, before)

    def give(self, batch: Sequence[Numbered]) -> None:
        """Send tasks; if the worker has died, :meth:`loss` returns them."""
        if not self.tasks:
            self.last_heard = self._looked = time.monotonic()
        self.tasks.extend(batch)
        self.sizes.append(len(batch))
        with contextlib.suppress(OSError):
            self.connection.send(list(batch))

    def hear(self) -> list[Numbered]:
        """Receive one message and return its results; raise EOFError or OSError if the worker is dead."""
        message = self.connection.recv()
        self.last_heard = time.monotonic()
        if message == "ready":
            self.is_ready = True
            return []
        if isinstance(message, str):
            raise ExecutorError(f"a worker failed: {message}")
        for result in message:
            assert self.tasks[0].number == result.number
            self.tasks.popleft()
            self.sizes[0] -= 1
            if self.sizes[0] == 0:
                self.sizes.popleft()
        return list(message)

    def end(self) -> None:
        """Let the worker finish its current task and then exit."""
        self.is_ending = True
        with contextlib.suppress(OSError):  # if it is dead, that is detected elsewhere
            self.connection.send(None)

    def lose_patience(self, patience: float | None) -> None:
        """Kill the worker if it has been silent for too long, because its task will not end.

        ``patience`` is the limit in seconds; None disables it for tasks, but not for the start.
        """
        now = time.monotonic()
        gap, self._looked = now - self._looked, now
        if gap > _GAP:  # this process was paused; messages sent meanwhile have not been read yet
            self.last_heard += gap
        silence = now - self.last_heard
        if not self.is_ready:
            if silence > START_SECONDS:
                self._why_killed = f"it was not ready within {START_SECONDS:.0f} seconds"
                self.process.kill()
        elif patience is not None and self.tasks and silence > patience:
            self._was_stopped = _is_stopped(self.process.pid)
            self._why_killed = "it was stopped from outside" if self._was_stopped else "it did not come to an end"
            self.process.kill()

    def loss(self) -> Lost | None:
        """Return the tasks lost with a dead worker; None if it exited as requested."""
        code = self.process.wait()
        if self.is_ending and code == 0:
            return None
        number, sent_itself_a_signal = self._read_place()
        at = tuple(task for task in self.tasks if task.number == number) if self.is_ready else ()
        by_host = not any(map(self._job.is_foreign, at)) or self._was_stopped
        if code < 0 and not self._why_killed and not sent_itself_a_signal:
            by_host = by_host or _signal_name(-code) not in _CRASHES
        # Only the current task can have killed the worker; the others had not started.
        return Lost(tuple(self.tasks), at, self._last_words(code), by_host=by_host)

    def _last_words(self, code: int) -> str:
        if self._why_killed:
            return self._why_killed
        if code < 0:
            return f"signal {-code} ({_signal_name(-code)})"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {code}"

    def _read_place(self) -> tuple[int, bool]:
        self._place.seek(0)
        content = self._place.read(SHARED)
        return int.from_bytes(content[:8], "little", signed=True), any(content[8:])

    def kill(self) -> None:
        """Kill the process immediately."""
        self.process.kill()
        self.process.wait()
        self.connection.close()
        self._errors.close()
        self._place.close()


def _memory() -> IO[bytes]:
    """Return a file to share with other processes.

    It is in memory if the system supports this, so that a full disk does not matter.
    """
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("knightfall"), "w+b")
    return tempfile.TemporaryFile()


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


def _is_stopped(process: int) -> bool:
    """Return whether a process is stopped by a signal; False if the system does not provide this information."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] in ("T", "t")
