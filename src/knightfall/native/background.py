"""Long native calls that Ctrl-C can interrupt.

During a native call in the main thread, Python does not see the signal until the call returns. So the call runs in
another thread, without the GIL, while the main thread waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def interruptible(work: Callable[[], T], stop: Callable[[], None] | None = None) -> T:
    """Return or raise what ``work()`` returns or raises, but raise KeyboardInterrupt at once.

    Without ``stop``, the thread continues after an interrupt and ends with the process. With ``stop``, an interrupt
    calls it and waits for the thread, which then ends soon. So no other code uses the thread's memory too early.
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
    # Wait with a timeout, because on some systems only a timed wait can be interrupted.
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
