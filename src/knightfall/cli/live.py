"""The live display on a terminal during long work, and analyses that keep their result after Ctrl-C."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TextIO

from knightfall.cli.layout import cells, clipped, terminal_size, wrapped
from knightfall.rules.printable import printable

if TYPE_CHECKING:
    from knightfall.agents.choice import Analysis
    from knightfall.agents.native_agent import Deepening

_REFRESH = 0.1  # seconds
_PATIENCE = 2.0  # seconds that a search gets to notice that it was stopped

_MARGIN = len("^C")  # printed by a terminal after the text; if it wrapped, the display would be off by one line


PROGRESS = "KNIGHTFALL_PROGRESS"
"""The environment variable that turns progress off if it is ``off``."""


class Screen:
    """The live part of the terminal at standard error, which is rewritten in place. There is only one.

    ``with SCREEN:`` prevents other threads from writing to the terminal.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._shown: list[str] = []
        self._stream: TextIO | None = None

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @staticmethod
    def stream() -> TextIO:
        """Return the original standard error, which a command wraps."""
        found: TextIO = getattr(sys.stderr, "beneath", sys.stderr)
        return found

    def show(self, lines: Sequence[str]) -> None:
        """Replace the previous lines by these; the cursor stays after the last one."""
        rows = terminal_size(self.stream()).lines
        safe = [printable(line, colours=True).replace("\n", " ") for line in lines[: max(rows - 1, 1)]]
        fitting = [clipped(line, live_width()) for line in safe]
        with self:
            erasing = self._erase() or "\r"
            self._stream = self.stream()
            self._shown = fitting
            self._stream.write(erasing + "\n".join(fitting))
            self._stream.flush()

    def give_way(self) -> None:
        """Erase the lines; the cursor returns to where they began."""
        with self:
            if self._shown and self._stream is not None:
                erasing = self._erase()
                self._shown = []
                self._stream.write(erasing)
                self._stream.flush()

    def _erase(self) -> str:
        """Return the characters that erase the lines and move the cursor back to their beginning."""
        if not self._shown:
            return ""
        # If the terminal was made narrower, it has wrapped the lines.
        columns = max(terminal_size(self.stream()).columns, 1)
        above = sum(max(cells(line) - 1, 0) // columns + 1 for line in self._shown) - 1
        if not above:  # spaces work on any terminal
            return "\r" + " " * (cells(self._shown[0]) + _MARGIN) + "\r"
        # Erase line by line: some terminals keep a copy of a screen that is cleared from its first line.
        return "\r\x1b[2K" + "\x1b[1A\x1b[2K" * above


SCREEN = Screen()


def live_width() -> int:
    """Return the maximum length of a line in the live display."""
    return max(terminal_size(Screen.stream()).columns - 1 - _MARGIN, 10)


class LiveLine:
    """Text that is rewritten in place, usually one line. Nothing is written if standard error is not a terminal."""

    def __init__(self) -> None:
        is_off = os.environ.get(PROGRESS, "").lower() == "off"
        self.is_on = sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not is_off

    def write(self, text: str) -> None:
        """Replace the previous text. Long text is wrapped."""
        if self.is_on:
            SCREEN.show(wrapped(text, live_width()))

    def show(self, lines: Sequence[str]) -> None:
        """Replace the previous text by these lines. They should not be longer than :func:`live_width`."""
        if self.is_on:
            SCREEN.show(lines)

    def clear(self) -> None:
        """Erase the text."""
        SCREEN.give_way()


class PlainProgress:
    """Lines of progress on standard error without a terminal, some seconds apart.

    The first line comes late, so that short work prints only its result. ``KNIGHTFALL_PROGRESS=off`` turns the lines
    off.
    """

    def __init__(self, first: float = 8.0, interval: float = 5.0) -> None:
        self._interval = interval
        is_off = os.environ.get(PROGRESS, "").lower() == "off"
        self._due = float("inf") if is_off else time.monotonic() + first

    @property
    def is_due(self) -> bool:
        """Whether it is time for a line."""
        return time.monotonic() >= self._due

    def write(self, text: str) -> None:
        """Print a line if it is time for one."""
        if self.is_due:
            self._due = time.monotonic() + self._interval
            print(text, file=sys.stderr, flush=True)


class Ticker:
    """Shows the progress of long work: on a terminal in one live line, elsewhere as a plain line every few seconds.

    It runs in its own thread, so the work itself need not report progress.
    """

    def __init__(self, describe: Callable[[], str]) -> None:
        self._describe = describe
        self._line = LiveLine()
        self._plain = PlainProgress()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True, name="knightfall-progress")

    def __enter__(self) -> Ticker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._line.clear()

    def _tick(self) -> None:
        while not self._over.wait(_REFRESH):
            if self._line.is_on:
                self._line.write(self._describe())
            elif self._plain.is_due:
                self._plain.write(self._describe())


@dataclass
class Followed:
    """The outcome of an analysis: the last result, and what ended it early."""

    last: Analysis | None = None
    interrupted: bool = False
    error: Exception | None = None


def follow(deepening: Deepening, describe: Callable[[Analysis], str]) -> Followed:
    """Run an analysis to its end, or until Ctrl-C, with its progress in a live line.

    The analysis runs in its own thread. Ctrl-C stops it cleanly: the search sees a flag and ends.
    """
    heard: SimpleQueue[Analysis | Exception | None] = SimpleQueue()
    followed = Followed()
    line = LiveLine()
    began = time.monotonic()
    give_up = float("inf")

    def listen() -> None:
        try:
            for analysis in deepening:
                heard.put(analysis)
            heard.put(None)
        except Exception as error:
            heard.put(error)

    threading.Thread(target=listen, daemon=True, name="knightfall-analysis").start()
    while time.monotonic() < give_up:
        try:
            try:
                news = heard.get(timeout=_REFRESH)
            except Empty:
                pass
            else:
                if news is None:
                    break
                if isinstance(news, Exception):
                    followed.error = news
                    break
                followed.last = news
            known = "" if followed.last is None else f"{describe(followed.last)}, "
            line.write(f"{known}{time.monotonic() - began:.1f} s")
        except KeyboardInterrupt:
            deepening.stop()
            followed.interrupted = True
            give_up = time.monotonic() + _PATIENCE
    line.clear()
    return followed
