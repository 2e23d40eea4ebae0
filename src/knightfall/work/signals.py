"""Stopping at Ctrl-C and SIGTERM without losing the results of running tasks."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[list[int]]:
    """Call ``stop`` on Ctrl-C and SIGTERM; yield a list that collects the signals. A second signal takes effect at
    once.

    Outside the main thread, signals cannot be handled, and nothing is changed.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def handle(number: int, frame: object) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt
        stop()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
