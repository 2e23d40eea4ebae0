"""A mark for the time that a thread spends in a user's function, so that what it prints can be told from results.

A heuristic from a user's file may print. The command line drops that: standard output is for results. It does not
exchange `sys.stdout` around the call, because `sys.stdout` belongs to all threads: a display of progress would be
affected as well, and a thread that is left behind after Ctrl-C would never put it back. Instead each thread says
when it is in a user's function, and the stream of the command line asks. A supervised process also shows here that it
is alive.
"""

from __future__ import annotations

import threading

from knightfall.native import pulse


class _UserCode(threading.local):
    """A context manager that can be nested; each thread has a depth of its own."""

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1
        if pulse.pulse is not None:
            pulse.pulse.enter()

    def __exit__(self, *_: object) -> None:
        self.depth -= 1
        if pulse.pulse is not None and self.depth == 0:
            pulse.pulse.leave()


user_code = _UserCode()
"""``with user_code:`` stands around every call of a function that a user wrote, compiled or not."""


def in_user_code() -> bool:
    """Return whether this thread is in a user's function."""
    return user_code.depth > 0
