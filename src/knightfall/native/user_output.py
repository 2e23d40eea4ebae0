"""Marks the time that a thread spends in a user's function, so that its output can be distinguished from results.

A heuristic from a user's file may print. The command line drops this output, because standard output is for results. It
does not replace `sys.stdout` during the call, because all threads share `sys.stdout`. A progress display would be
affected too, and a thread that is left running after Ctrl-C would never restore it. Instead, each thread marks when it
is in a user's function, and the stream of the command line checks the mark. In a supervised process, the mark also
produces heartbeats.
"""

from __future__ import annotations

import threading

from knightfall.native import pulse


class _UserCode(threading.local):
    """A context manager that can be nested. Each thread has its own depth."""

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
"""Use ``with user_code:`` around every call of a function that a user wrote, compiled or not."""


def in_user_code() -> bool:
    """Return whether this thread is in a user's function."""
    return user_code.depth > 0
