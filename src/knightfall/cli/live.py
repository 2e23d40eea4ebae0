"""What a terminal shows while something is worked out, and how Ctrl-C ends that without losing what is known."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from knightfall.agents.choice import Analysis
    from knightfall.agents.native_agent import Deepening

_REFRESH = 0.1  # seconds
_FIRST_LINE = 8.0  # seconds until the first plain line; what is done by then tells nothing but its result
_NEXT_LINE = 5.0  # seconds between two
_PATIENCE = 2.0  # seconds that a search gets to see that it was stopped


class LiveLine:
    """One line that is written again and again. Where nobody sits at a terminal nothing is written."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self.is_on = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._length = 0

    def write(self, text: str) -> None:
        """Put this text in the place of the last."""
        if self.is_on:
            # A line that is as long as the terminal is wide would wrap, and could not be taken back.
            text = text[: shutil.get_terminal_size().columns - 1]
            print(f"\r{text.ljust(self._length)}", end="", file=self._stream, flush=True)
            self._length = len(text)

    def clear(self) -> None:
        """Leave an empty line, and stand at its beginning."""
        if self._length:
            self.write(" " * (self._length + len("^C")))  # which a terminal shows behind the text
            print("\r", end="", file=self._stream, flush=True)
            self._length = 0


class Ticker:
    """Tells how far long work is: on a terminal in one live line, elsewhere by a plain line every few seconds.

    It looks from a thread of its own, so the work itself need not know of it.
    """

    def __init__(self, describe: Callable[[], str]) -> None:
        self._describe = describe
        self._line = LiveLine()
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
        wait = _REFRESH if self._line.is_on else _FIRST_LINE
        while not self._over.wait(wait):
            if self._line.is_on:
                self._line.write(self._describe())
            else:
                print(self._describe(), file=sys.stderr, flush=True)
                wait = _NEXT_LINE


@dataclass
class Followed:
    """What came of an analysis: the last that was found, and what ended it before its time."""

    last: Analysis | None = None
    interrupted: bool = False
    error: Exception | None = None


def follow(deepening: Deepening, describe: Callable[[Analysis], str]) -> Followed:
    """Hear an analysis to its end, or until Ctrl-C; a live line describes how far it has come.

    The analysis runs in a thread of its own, and Ctrl-C stops it in an orderly way: the search sees the flag and ends.
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
