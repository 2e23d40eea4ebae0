"""A worker process: `python -m knightfall.work.worker FD PLACE PARENT` does what comes over the connection.

It ends when its parent does, however that came about, and leaves Ctrl-C to its parent. Results are sent a few at a
time, because each message costs both sides some work; which task it is at is always to be read in a little file both
have open, so that the parent knows what it died of, if it dies.
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
    """Note that a function in this process sends signals: if one ends it, nobody outside is to blame."""
    if event in _SENDING:
        place[8] = 1


class _Errors(io.TextIOBase):
    """Standard error without what users' functions print: it is kept in memory, and only its last line is read."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return len(text) if in_user_code() else self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()


def serve(connection: Connection, place: mmap.mmap) -> None:
    """Do tasks until there are no more, or until told to stop."""
    job = connection.recv()
    job.check()
    perform = job.ready()
    sys.addaudithook(partial(_notice_signals, place))
    connection.send("ready")
    tasks: deque[Any] = deque()
    results: list[object] = []
    sent = time.monotonic()
    while True:
        # What has come is taken in between two tasks: more of them, or the word that this is the end.
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
    warnings.simplefilter("ignore")  # the parent has told what there is to tell
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
