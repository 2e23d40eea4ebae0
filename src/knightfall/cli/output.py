"""The two streams of a command: results on standard output, everything else on standard error.

Both are wrapped once, for as long as the command runs. What users' functions print is dropped,
whichever thread calls them; and on a terminal whatever is written makes a live display give way first, so that no line
is written into the middle of it. Everything for people passes here, so this is where text that others wrote (names,
messages, file names) loses its power over terminals.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from knightfall.cli.live import SCREEN
from knightfall.native.user_output import in_user_code
from knightfall.rules.printable import printable


class Output:
    """A stream that leaves out what users' functions write, and takes turns with the live display on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.beneath = stream
        self._owner = threading.current_thread()
        self._is_terminal = stream.isatty()
        self._begun = ""  # a line that has not been ended; `print` writes a line in two parts

    def write(self, text: str) -> int:
        """Write it, unless a user's function does; on a terminal whole lines at a time."""
        if in_user_code() or self._is_foreign():
            return len(text)
        if not self._is_terminal:
            self.beneath.write(printable(text))
            return len(text)
        with SCREEN:
            lines, end, self._begun = (self._begun + text).rpartition("\n")
            if end:
                SCREEN.give_way()
                self.beneath.write(printable(lines + end, colours=True))
        return len(text)

    def _is_foreign(self) -> bool:
        """Whether this thread was started by a user's function: ours have names, and one runs the command."""
        thread = threading.current_thread()
        return thread is not self._owner and not thread.name.startswith("knightfall-")

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Write what is held back, too: a prompt."""
        if self._begun:
            with SCREEN:
                SCREEN.give_way()
                begun, self._begun = self._begun, ""
                self.beneath.write(printable(begun, colours=True))
        self.beneath.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)


@contextmanager
def own_streams(*, for_good: bool) -> Iterator[None]:
    """Wrap both streams. ``for_good``: to the end of the process, in which threads may outlive the command."""
    before = sys.stdout, sys.stderr
    sys.stdout = Output(before[0])
    sys.stderr = Output(before[1])
    try:
        yield
    finally:
        if not for_good:
            sys.stdout, sys.stderr = before
