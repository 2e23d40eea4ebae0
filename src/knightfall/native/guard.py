"""The process between a command and a process that calls users' functions: `python -m knightfall.native.guard`.

It forks that process, watches how much memory it and its children take and how many they are, and kills all of them
when it ends, when they are too large or too many, or when the command is no longer there. Children that have left their
group or session, or whose parents ended, are found too: they become children of this process.

Its standard input is a pipe that ends when the command does; on its standard output it writes, as a last line, how the
process ended. Nothing heavy is imported here: the guard has no more to do than that.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys

from knightfall.native.lifetime import adopt_orphans, descendants, end_descendants, limit_memory

_LOOK = 0.1  # seconds between two looks
MOST_PROCESSES = 16


def main() -> None:
    """Fork, watch, and clean up."""
    connection, place, parent, memory = (int(word) for word in sys.argv[1:5])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    guard = os.getpid()
    child = os.fork()
    if child == 0:
        from knightfall.native.contained import main as contained

        os.setsid()  # what it sends to its own group does not meet the guard
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        limit_memory(memory)
        contained(connection, place, guard)
    os.close(connection)
    os.close(place)
    told = _watch(child, parent, memory)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    end_descendants()
    with contextlib.suppress(OSError):
        os.write(1, f"{json.dumps(told)}\n".encode())


def _watch(child: int, parent: int, memory: int) -> dict[str, object]:
    """Wait for the end of the process; return how it came about."""
    handles = [0]
    with contextlib.suppress(OSError, AttributeError):  # Linux only: readable when the process has ended
        handles.append(os.pidfd_open(child))
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return {"code": os.waitstatus_to_exitcode(status)}
        if os.getppid() != parent or 0 in select.select(handles, [], [], _LOOK)[0]:
            return {"why": "stopped"}
        sizes = descendants(os.getpid())
        if len(sizes) > MOST_PROCESSES:
            return {"why": "processes"}
        if sum(sizes.values()) > memory:
            return {"why": "memory"}


if __name__ == "__main__":
    main()
