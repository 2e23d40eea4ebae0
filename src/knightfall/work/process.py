"""One worker process as the process that started it sees it: what it was given, what it is at, and how it ended."""

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
"""How long a worker may take to get ready, compilation included."""

NOTHING = -1
"""The number of the task that a worker is at while it is at none."""

SHARED = 16
"""Bytes that both sides have open: the number of the task, and whether the worker's own code sent it a signal."""

_GAP = 1.0  # seconds between two looks at a worker after which nobody was there to hear it

_CRASHES = ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS")
"""Signals that a process brings upon itself. All others come from outside: a person, or the system short of memory."""


class WorkerProcess:
    """One process, and what it has been given and not yet told of."""

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
                # Written, not only made long: where there is no room, that is said now and not by a signal later.
                self._place.write(NOTHING.to_bytes(8, "little", signed=True) + bytes(8))
                self._place.flush()
                self.process = self._start(theirs)
            except OSError as error:
                raise ExecutorError(f"a worker cannot be started: {error.strerror or error}") from None
            opened.pop_all()
            theirs.close()
        with contextlib.suppress(OSError):  # it is dead; that is heard of elsewhere
            self.connection.send(job)

    def _start(self, theirs: Connection[Any, Any]) -> subprocess.Popen[bytes]:
        handles = [theirs.fileno(), self._place.fileno()]
        numbers = [str(number) for number in (*handles, os.getpid())]
        command = [sys.executable, "-P", "-m", "knightfall.work.worker", *numbers]
        paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        # Ctrl-C at a terminal reaches every process of it; from its first moment on this one is not to hear it.
        # Only the main thread can say so; elsewhere nobody presses Ctrl-C.
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
        """Send tasks; if the worker has just died, they come back by way of :meth:`loss`."""
        if not self.tasks:
            self.last_heard = self._looked = time.monotonic()
        self.tasks.extend(batch)
        self.sizes.append(len(batch))
        with contextlib.suppress(OSError):
            self.connection.send(list(batch))

    def hear(self) -> list[Numbered]:
        """Take in one message; raises EOFError or OSError if the worker is dead."""
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
        """Let it finish the task that it is at, and no more."""
        self.is_ending = True
        with contextlib.suppress(OSError):  # it is dead; that is heard of elsewhere
            self.connection.send(None)

    def lose_patience(self, patience: float | None) -> None:
        """Kill it if it has said nothing for too long: what it is at will not end."""
        now = time.monotonic()
        gap, self._looked = now - self._looked, now
        if (
            gap > _GAP
        ):  # this process has been stopped or kept waiting; what the worker said meanwhile is still to be heard
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
        """What is lost with a dead worker; None if it ended because it was told to."""
        code = self.process.wait()
        if self.is_ending and code == 0:
            return None
        number, sent_itself_a_signal = self._read_place()
        at = tuple(task for task in self.tasks if task.number == number) if self.is_ready else ()
        by_host = not any(map(self._job.is_foreign, at)) or self._was_stopped
        if code < 0 and not self._why_killed and not sent_itself_a_signal:
            by_host = by_host or _signal_name(-code) not in _CRASHES
        # It died of the task it was at, if of any; the others have done nothing.
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
        """End it at once."""
        self.process.kill()
        self.process.wait()
        self.connection.close()
        self._errors.close()
        self._place.close()


def _memory() -> IO[bytes]:
    """A file that other processes can be given, in memory where the system has such files: no disk can be too full."""
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
    """Whether a process has been stopped by a signal, where the system tells."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] in ("T", "t")
