"""Long native calls that Ctrl-C can end.

A native call in the main thread keeps Python from seeing the signal until it returns. So the call runs in a thread
of its own, without the GIL, and the main thread waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def interruptible(work: Callable[[], T], stop: Callable[[], None] | None = None) -> T:
    """What ``work()`` returns or raises; a KeyboardInterrupt does not wait for it.

    After an interrupt the thread is left to itself. It ends with the process. Where ``stop`` is given, it is called
    instead, and the thread, which then ends soon, is waited for: the memory it works in is not used by anyone else.
    """
    results: list[T] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=run, daemon=True, name="knightfall-native").start()
    # With a time limit, because on some systems only a timed wait can be interrupted.
    try:
        while not done.wait(0.1):
            pass
    except KeyboardInterrupt:
        if stop is not None:
            stop()
            done.wait()
        raise
    if errors:
        raise errors[0]
    return results[0]
