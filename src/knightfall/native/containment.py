"""Work that calls users' functions, in a separate process that cannot harm this one.

A function may print, exit, crash, use up the memory, start processes or never return. Here it runs in a process that a
small guard (:mod:`knightfall.native.guard`) watches. Both processes, and everything that they started, end with this
process, however it ends.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from typing import IO, Any

from knightfall.native import pulse
from knightfall.native.cache import PACKAGE
from knightfall.native.contained import FAILED, INVALID, MESSAGE, NO_CONNECTION, RESULT
from knightfall.native.pulse import SIZE, Pulse

Send = Callable[[object], None]
Job = Callable[[Send], Any]

# Each thread of a linear algebra library reserves memory, and by default there is one thread per core.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_LOOK = 0.1  # seconds between two checks of the pulse
_FAREWELL = 10.0  # seconds that the guard has to kill all processes
_UNBUSY = 600.0  # seconds without a call of a user's function; compilation of one takes a minute at most


def patience() -> float:
    """Return the seconds that one call of a user's function may take. The environment variable is for tests."""
    return float(os.environ.get("_KNIGHTFALL_PATIENCE", "30"))


def most_memory() -> int:
    """Return the bytes of memory that a contained process and its children may use. The variable is for tests."""
    return int(float(os.environ.get("_KNIGHTFALL_MEMORY", "4")) * 2**30)


def is_contained() -> bool:
    """Return whether this process is supervised itself."""
    return pulse.pulse is not None


class Ended(Exception):
    """A contained process ended before its job was done. The message says why and, if known, what it evaluated."""

    def __init__(self, why: str, where: str = "") -> None:
        super().__init__(f"{why}; {where}" if where else why)
        self.why = why
        self.where = where


class TooLong(Ended):
    """A process worked for too long without calling a user's function, because it was compiling one."""

    def __init__(self) -> None:
        super().__init__(f"was not compiled within {_UNBUSY:g} seconds")


class Contained:
    """One contained process and its job.

    Iterate over it to get the messages of the job. Afterwards ``result`` is the return value of the job.
    """

    def __init__(self, job: Job, *, seconds: float | None = None) -> None:
        """Start ``job``. All calls of users' functions together may take ``seconds``."""
        self.result: Any = None
        self._patience = patience()
        self._seconds = seconds
        self._connection, theirs = Pipe()
        self._memory = most_memory()
        with _shared_file() as place:
            self._pulse = Pulse(mmap.mmap(place.fileno(), SIZE))
            handles = [theirs.fileno(), place.fileno()]
            numbers = [str(number) for number in (*handles, os.getpid(), self._memory)]
            paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
            try:
                self._guard = subprocess.Popen(
                    [sys.executable, "-P", "-m", "knightfall.native.guard", *numbers],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    pass_fds=handles,
                    start_new_session=True,
                    env={**_ONE_THREAD, **os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                )
            finally:
                theirs.close()
        with contextlib.suppress(OSError):  # the process has ended; `__iter__` reports it
            self._connection.send(job)

    def __iter__(self) -> Iterator[Any]:
        heard, since, spent = -1, time.monotonic(), 0.0
        before = since
        while True:
            while self._connection.poll(_LOOK):
                kind, content = self._receive()
                if kind == RESULT:
                    self.result = content
                    return
                if kind == INVALID:
                    raise content
                if kind == FAILED:
                    raise Ended(f"failed: {content}", self._pulse.where)
                yield content
            now = time.monotonic()
            is_busy, count = self._pulse.is_busy, self._pulse.count
            if count != heard:
                heard, since = count, now
            elif is_busy and now - since > self._patience:
                raise Ended(f"did not return within {self._patience:g} seconds", self._pulse.where)
            elif now - since > _UNBUSY:
                raise TooLong
            spent += now - before if is_busy else 0.0
            before = now
            if self._seconds is not None and spent > self._seconds:
                raise Ended(f"did not end within {self._seconds:g} seconds", self._pulse.where)

    def _receive(self) -> tuple[str, Any]:
        try:
            kind, content = self._connection.recv()
        except (EOFError, OSError):
            raise Ended(self._last_words(), self._pulse.where) from None
        except Exception:  # a function wrote bytes into the connection
            raise Ended("wrote into files that are not its own", self._pulse.where) from None
        if kind not in (MESSAGE, RESULT, INVALID, FAILED):
            raise Ended("wrote into files that are not its own", self._pulse.where)
        return kind, content

    def _last_words(self) -> str:
        """Return how the process ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._guard.wait(_FAREWELL)
        told = self._end()
        why, code = told.get("why"), told.get("code")
        if why == "memory":
            return f"needs more than {self._memory / 2**30:g} GiB of memory"
        if why == "processes":
            return "starts too many processes"
        if why == "stopped" or code == NO_CONNECTION:
            return "closed files that are not its own"
        if not isinstance(code, int):
            return "ended the process that supervises it"
        return exit_words(code)

    def _end(self) -> dict[str, Any]:
        """End all processes; return the guard's report."""
        try:
            said, _ = self._guard.communicate(timeout=_FAREWELL)
            found = json.loads(said.decode().strip().rpartition("\n")[2])
        except (subprocess.TimeoutExpired, ValueError):
            found = {}
        finally:
            self._guard.kill()
            self._guard.wait()
        return found if isinstance(found, dict) else {}

    def close(self) -> None:
        """End all processes that still run."""
        self._connection.close()
        if self._guard.poll() is None:
            assert self._guard.stdin is not None
            with contextlib.suppress(OSError):
                self._guard.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._guard.wait(_FAREWELL)
            self._guard.kill()
            self._guard.wait()
        for stream in (self._guard.stdin, self._guard.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def __enter__(self) -> Contained:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _shared_file() -> IO[bytes]:
    """Return a file for shared memory. It is in memory if possible, so that a full disk does not matter."""
    if hasattr(os, "memfd_create"):
        file: IO[bytes] = os.fdopen(os.memfd_create("knightfall"), "w+b")
    else:
        file = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    file.truncate(SIZE)
    return file


def exit_words(code: int) -> str:
    """Return how a process ended, from its exit code as Python reports it: negative for a signal."""
    if code >= 0:
        return f"ended the process with exit code {code}"
    return f"ended the process by signal {-code} ({_signal_name(-code)})"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def contained(job: Job, *, seconds: float | None = None) -> Any:
    """Run a job in a contained process and return its result."""
    with Contained(job, seconds=seconds) as process:
        for _ in process:
            pass
        return process.result
