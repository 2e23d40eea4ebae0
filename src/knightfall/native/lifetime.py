"""Processes that do not outlive the process that started them, and limits for them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LOOK = 0.5  # seconds between two checks whether the parent is alive, for systems that do not report its end


def die_with(parent: int) -> None:
    """Make this process end when its parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call of prctl
        os._exit(1)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="knightfall-watch").start()


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parents end (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def limit_memory(most: int) -> None:
    """Limit the memory of this process and disable core files. Do nothing on systems without such limits."""
    import resource

    for kind, limit in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_DATA, most)):
        with contextlib.suppress(OSError, ValueError):
            _, hard = resource.getrlimit(kind)
            lowered = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(kind, (lowered, lowered))


def descendants(root: int) -> dict[int, int]:
    """Return the descendants of a process with their memory in bytes; empty on systems that do not report them."""
    found: dict[int, int] = {}
    edge = [root]
    while edge:
        for child in _children(edge.pop()):
            if child not in found:
                found[child] = _memory(child)
                edge.append(child)
    return found


def end_descendants() -> None:
    """Kill all descendants of this process and wait until none remains."""
    while True:
        for process in descendants(os.getpid()):
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _children(process: int) -> list[int]:
    """Return the children of a process."""
    found = []
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError, ValueError):
            found += [int(number) for number in file.read_text().split()]
    return found


def _memory(process: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    return 0
