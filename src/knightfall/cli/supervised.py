"""Commands that call functions from users' files in their own process, supervised by another process.

The command runs in a child of this process, which only supervises it. So a function that exits, crashes or does not
return causes a one-line error and a proper exit code. Ctrl-C works even while Python itself does not handle signals.
Output that a function writes to the standard streams without `print` is discarded. Commands that need no supervision
run directly: `accuracy`, `--check`, and tournaments with workers call users' functions in separate processes anyway.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TextIO

from knightfall.native.pulse import SIZE, Pulse, show_pulse

Complain = Callable[[str, str, int], int]

_COMMANDS = ("analyze", "play", "heuristics", "agents", "tune")
_FILE = re.compile(r"[^\s(),=]+\.py(?::\w+)?(?!\w)")
_LOOK = 0.2
_SLOW_TO_STOP = 3.0  # seconds that a function may continue after Ctrl-C
_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def users_files(given: Sequence[str]) -> list[str]:
    """Return the users' functions in a command line, if the command calls them in its own process.

    >>> users_files(["analyze", "--agent", "alphabeta(my.py:f, ms=100)"]), users_files(["accuracy", "my.py"])
    (['my.py:f'], [])
    """
    alone = given[:1] and given[0] in _COMMANDS and "--check" not in given
    without_workers = "--workers=0" in given or ("--workers", "0") in pairwise(given)
    if not hasattr(signal, "sigtimedwait") or not (alone or without_workers):
        return []
    return list(dict.fromkeys(name for text in given for name in _FILE.findall(text)))


def run_supervised(names: Sequence[str], command: Callable[[], int], complain: Complain) -> int:
    """Run a command in a child; return its exit code, or the one for the reason why it was ended."""
    from knightfall.native.lifetime import adopt_orphans, end_descendants

    memory = mmap.mmap(-1, SIZE)
    signals = {*_ASKING, signal.SIGCHLD}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    sys.stdout.flush()
    sys.stderr.flush()
    supervisor = os.getpid()
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _run(command, memory, supervisor)
    adopt_orphans()
    watched = _Watched(child, Pulse(memory))
    code, why = watched.wait()
    end_descendants()
    if why is not None:
        who = " or ".join(names)
        return complain(f"{who}: it {why}", "agent", 3) if why else complain("interrupted", "interrupted", 130)
    if code < 0:  # by a signal that this process received, too
        signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.kill(supervisor, -code)
    return code


def _run(command: Callable[[], int], memory: mmap.mmap, supervisor: int) -> None:
    """Run the command in this process, then exit."""
    from knightfall.native.lifetime import die_with

    code = 1
    try:
        die_with(supervisor)
        _keep_streams()
        pulse = show_pulse(memory)
        code = command()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):  # the reader of our output has gone
                stream.flush()
        pulse.finish()
    except BaseException:
        traceback.print_exc()  # a bug in Knightfall
        show_pulse(memory).finish()
    finally:
        os._exit(code)


def _keep_streams() -> None:
    """Move standard output and error to other file descriptors. Output to the usual ones is discarded."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    sys.stdout = _moved(sys.stdout, nowhere)
    sys.stderr = _moved(sys.stderr, nowhere)
    os.close(nowhere)
    sys.unraisablehook = lambda _: None  # errors in a function's `__del__`


def _moved(stream: TextIO, nowhere: int) -> TextIO:
    number = stream.fileno()
    if number > 2:
        return stream  # it was closed, and goes to the null device already
    copy = os.fdopen(
        os.dup(number), "w", encoding=stream.encoding, errors=stream.errors, buffering=1 if _is_by_line(stream) else -1
    )
    os.dup2(nowhere, number)
    return copy


def _is_by_line(stream: TextIO) -> bool:
    return stream.isatty() or bool(getattr(stream, "line_buffering", False))


class _Watched:
    """The child as its supervisor sees it."""

    def __init__(self, child: int, pulse: Pulse) -> None:
        self._child = child
        self._pulse = pulse
        self._heard = -1
        self._since = time.monotonic()
        self._asked: float | None = None

    def wait(self) -> tuple[int, str | None]:
        """Wait for the child to end.

        Return its exit code, and the reason if it did not end by itself: None if it did, and an empty string if it
        had to be killed after a request to stop.
        """
        from knightfall.native.containment import exit_words, patience

        limit = patience()
        forwarded: set[int] = set()
        while True:
            asked = signal.sigtimedwait({*_ASKING, signal.SIGCHLD}, _LOOK)
            if asked is not None and asked.si_signo in _ASKING:
                forwarded.add(asked.si_signo)
                self._asked = self._asked or time.monotonic()
                if (
                    asked.si_code <= 0
                ):  # Ctrl-C at a terminal reaches the child as well; a signal from a process does not
                    os.kill(self._child, asked.si_signo)
            ended, status = os.waitpid(self._child, os.WNOHANG)
            where = f"; {self._pulse.where}" if self._pulse.where else ""
            if ended:
                code = os.waitstatus_to_exitcode(status)
                if self._pulse.is_done or -code in forwarded:
                    return code, None
                return code, exit_words(code) + where
            still = self._still()
            if self._asked is not None and min(still, time.monotonic() - self._asked) > _SLOW_TO_STOP:
                os.kill(self._child, signal.SIGKILL)
                return 130, ""
            if still > limit:
                os.kill(self._child, signal.SIGKILL)
                return 3, f"did not return within {limit:g} seconds{where}"

    def _still(self) -> float:
        """Return for how many seconds a user's function has shown no activity."""
        now = time.monotonic()
        if not self._pulse.is_busy or self._pulse.count != self._heard:
            self._heard, self._since = self._pulse.count, now
        return now - self._since
