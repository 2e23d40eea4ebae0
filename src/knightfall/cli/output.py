"""The two streams of a command: results on standard output, everything else on standard error.

Both are wrapped once while the command runs. Output of users' functions is dropped, in any thread. On a terminal, the
live display is cleared before other output, so that no line appears in the middle of it. All output for people passes
through here, so this is where text from other sources (names, messages, file names) is made safe for terminals.
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
    """A stream that drops the output of users' functions, and coordinates with the live display on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.beneath = stream
        self._owner = threading.current_thread()
        self._is_terminal = stream.isatty()
        self._begun = ""  # an incomplete line; `print` writes a line in two parts

    def write(self, text: str) -> int:
        """Write text, except from a user's function. On a terminal, write whole lines only."""
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
        """Return whether a user's function started this thread. Our own threads have names, or run the command."""
        thread = threading.current_thread()
        return thread is not self._owner and not thread.name.startswith("knightfall-")

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several strings."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Write an incomplete line, too, such as a prompt."""
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
    """Wrap both streams.

    With ``for_good``, they stay wrapped until the process ends, because threads may outlive the command.
    """
    before = sys.stdout, sys.stderr
    sys.stdout = Output(before[0])
    sys.stderr = Output(before[1])
    try:
        yield
    finally:
        if not for_good:
            sys.stdout, sys.stderr = before
