"""The process between a command and a process that calls users' functions: `python -m knightfall.native.guard`.

It forks that process and watches the memory and the number of the process and its children. It kills all of them when
the process ends, when they are too large or too many, or when the command has ended. It also finds children that have
left their group or session, or whose parents ended, because they become children of the guard.

Standard input is a pipe that is closed when the command ends. The last line on standard output reports how the process
ended. The guard has no other task, so it imports nothing that is slow to import.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys

from knightfall.native.lifetime import adopt_orphans, descendants, end_descendants, limit_memory

_LOOK = 0.1  # seconds between two checks
MOST_PROCESSES = 16


def main() -> None:
    """Fork the process, watch it, and clean up."""
    connection, place, parent, memory = (int(word) for word in sys.argv[1:5])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    guard = os.getpid()
    child = os.fork()
    if child == 0:
        from knightfall.native.contained import main as contained

        os.setsid()  # signals that it sends to its own group do not reach the guard
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
    """Wait until the process ends or must be ended; return the reason."""
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
