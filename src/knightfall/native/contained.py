"""The process that calls users' functions. :mod:`knightfall.native.guard` forks it.

It receives a job over the connection, runs it, and sends the result. Its standard streams are redirected to the null
device, so nothing that a function prints is visible.
"""

from __future__ import annotations

import mmap
import os
import pickle
import warnings
from multiprocessing.connection import Connection
from typing import Any

from knightfall.native.lifetime import die_with
from knightfall.native.pulse import SIZE, show_pulse

NO_CONNECTION = 113
"""The exit code of a process that cannot send its result because a function closed its files."""

MESSAGE, RESULT, INVALID, FAILED = "message", "result", "invalid", "failed"


def main(connection: int, place: int, guard: int) -> None:
    """Run one job, then end without exit handlers, because users' functions may have registered some."""
    die_with(guard)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nowhere, number)
    warnings.simplefilter("ignore")
    show_pulse(mmap.mmap(place, SIZE))
    os.close(place)
    line: Connection[Any, Any] = Connection(connection)
    from knightfall.rules import KnightfallError

    try:
        job = line.recv()
        answer = (RESULT, job(lambda message: line.send((MESSAGE, message))))
    except KnightfallError as error:
        answer = (INVALID, error)
    except BaseException as error:
        answer = (FAILED, f"{type(error).__name__}: {error}")
    try:
        try:
            line.send(answer)
        except (TypeError, AttributeError, pickle.PicklingError):  # the answer cannot be pickled
            line.send((FAILED, str(answer[1])))
    except BaseException:
        os._exit(NO_CONNECTION)
    os._exit(0)
