"""A line on the terminal when something is compiled, so that users know why they wait."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from numba.core import event

from knightfall.native.store import cache_root, is_kept

PATIENCE = 1.0
"""Seconds of compilation after which the line is printed."""


class CompilationAnnouncer(event.Listener):
    """Adds up the time spent on compilation and prints one line when it exceeds :data:`PATIENCE`."""

    def __init__(self) -> None:
        self.is_shown_elsewhere = False
        """Set while other code reports what is compiled and how long it takes."""
        self._spent = 0.0
        self._running = 0
        self._began = 0.0
        self._timer: threading.Timer | None = None
        self._announced = False

    def on_start(self, event: Any) -> None:
        self._running += 1
        if self._running == 1 and not self._announced and sys.stderr is not None and sys.stderr.isatty():
            self._began = time.monotonic()
            self._timer = threading.Timer(max(0.0, PATIENCE - self._spent), self._announce)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        self._running -= 1
        if self._running == 0 and self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._spent += time.monotonic() - self._began

    def _announce(self) -> None:
        if self.is_shown_elsewhere:
            return
        self._announced = True
        if is_kept():
            print(f"compiling, once: the machine code is kept in {cache_root()}", file=sys.stderr)
        else:
            print("compiling: the machine code is not kept", file=sys.stderr)


announcer = CompilationAnnouncer()
"""The announcer of this process."""


def announce_compilation() -> None:
    """Watch every compilation in this process from now on."""
    event.register("numba:compile", announcer)
