"""A worker process: `python -m knightfall.work.worker FD PLACE PARENT` performs the tasks sent over the connection.

It ends when its parent ends, for whatever reason, and leaves Ctrl-C to its parent. Results are sent several at a time,
because each message has a cost on both sides. The number of the current task is always in a small shared file. If the
worker dies, the parent reads there which task was running.
"""

from __future__ import annotations

import io
import mmap
import signal
import sys
import time
import warnings
from collections import deque
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, TextIO

from knightfall.native.lifetime import die_with
from knightfall.native.user_output import in_user_code
from knightfall.work.process import NOTHING, SHARED

_SENDING = ("os.kill", "os.killpg", "signal.pthread_kill")
_SEND_SECONDS = 0.02


def _notice_signals(place: mmap.mmap, event: str, arguments: tuple[object, ...]) -> None:
    """Record that a function in this process sends signals.

    A signal that ends the process is then not attributed to the host.
    """
    if event in _SENDING:
        place[8] = 1


class _Errors(io.TextIOBase):
    """Standard error without the output of users' functions; it is kept in memory, and only its last line is read."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return len(text) if in_user_code() else self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()


def serve(connection: Connection, place: mmap.mmap) -> None:
    """Perform tasks until the parent requests a stop."""
    job = connection.recv()
    job.check()
    perform = job.ready()
    sys.addaudithook(partial(_notice_signals, place))
    connection.send("ready")
    tasks: deque[Any] = deque()
    results: list[object] = []
    sent = time.monotonic()
    while True:
        # Between two tasks, receive waiting messages: more tasks, or the request to stop.
        while not tasks or (not results and connection.poll()):
            message = connection.recv()
            if message is None:
                return
            tasks.extend(message)
        task = tasks.popleft()
        place[:] = task.number.to_bytes(8, "little", signed=True) + bytes(SHARED - 8)
        results.append(perform(task))
        place[:8] = NOTHING.to_bytes(8, "little", signed=True)
        now = time.monotonic()
        if not tasks or now - sent >= _SEND_SECONDS:
            connection.send(results)
            results, sent = [], now


def main() -> None:
    """Serve the parent that started this process."""
    handle, place, parent = (int(word) for word in sys.argv[1:4])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with(parent)
    sys.stderr = _Errors(sys.stderr)
    warnings.simplefilter("ignore")  # the parent has already shown all warnings
    connection = Connection(handle)
    try:
        serve(connection, mmap.mmap(place, SHARED))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except BaseException as error:
        connection.send(f"{type(error).__name__}: {error}")
        raise


if __name__ == "__main__":
    main()
