"""Running the real command at a real terminal: a pseudo-terminal of a given size, with pyte as the screen.

Nothing here waits for a fixed time. Keys are typed when a text has appeared, and reading ends when the last process
that has the terminal open closes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import termios
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyte
from commands import LONGEST, environment, zygote_for
from pyte import modes

ROWS = 40
CTRL_C = "\x03"
ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[a-zA-Z]|[()].)")

Keys = Sequence[tuple[str, str]]
"""Pairs of a text and the keys to type when it has appeared."""


class Screen(pyte.HistoryScreen):
    """A terminal that keeps the lines that have scrolled out, and the first part of every line that was too long."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__(columns, rows, history=100_000)
        self.too_long: list[str] = []
        self.unseen: list[str] = []
        self._is_broken = False  # whether the current line was too long

    def draw(self, data: str) -> None:
        """Show characters at the cursor."""
        for letter in data:
            breaks = self.cursor.x == self.columns and modes.DECAWM in self.mode
            if breaks and not self._is_broken:
                self.too_long.append(self.display[self.cursor.y])
            was_broken = self._is_broken
            super().draw(letter)
            self._is_broken = was_broken or breaks

    def carriage_return(self) -> None:
        """Move to the beginning of the line."""
        super().carriage_return()
        self._is_broken = False

    @property
    def text(self) -> list[str]:
        """All lines, including those that have scrolled out, without spaces and empty lines at the end."""
        above = ["".join(line[at].data for at in range(self.columns)) for line in self.history.top]
        lines = [line.rstrip() for line in (*above, *self.display)]
        while lines and not lines[-1]:
            lines.pop()
        return lines


@dataclass(frozen=True)
class Session:
    """The outcome of a command at a terminal."""

    code: int
    screen: Screen
    raw: str
    out: str
    """The content of standard output, if it was a file."""

    @property
    def text(self) -> str:
        """The screen at the end, and the lines above it."""
        return "\n".join(self.screen.text)

    @property
    def shown(self) -> str:
        """Everything that was ever shown, in order, without escape sequences."""
        return ESCAPE.sub("", self.raw)

    @property
    def is_cursor_visible(self) -> bool:
        return not self.screen.cursor.hidden


def at_terminal(
    *arguments: str,
    columns: int = 80,
    keys: Keys = (),
    out: Path | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Session:
    """Run `knightfall` at a terminal; ``out`` is a file for standard output, as with `>`.

    The command is a child of the process that has imported the libraries. It has its own session and terminal, so
    that the terminal handles Ctrl-C.
    """
    changed = environment(TERM="xterm-256color", **(env or {}))
    for name in ("COLUMNS", "LINES", *(() if "NO_COLOR" in (env or {}) else ("NO_COLOR",))):
        changed.pop(name, None)
    request = {"arguments": arguments, "environment": changed, "folder": str(cwd or Path.cwd()), "terminal": True}
    with _terminal(columns) as (ours, theirs), _file(out) as target:
        line = zygote_for(env)
        socket.send_fds(line, [json.dumps(request).encode()], [theirs, theirs if target is None else target, theirs])
        os.close(theirs)
        with line.makefile("rb", buffering=0) as answers:
            child = int(answers.readline())
            with _ended(lambda: os.kill(child, signal.SIGKILL)):
                screen, raw = _follow(ours, columns, keys)
                code = int(answers.readline())
    assert not screen.unseen, f"{screen.unseen[0]!r} was never shown:\n" + "\n".join(screen.text)
    return Session(code, screen, raw, "" if out is None else out.read_text(encoding="utf-8"))


def program_at_terminal(
    command: Sequence[str], columns: int = 80, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Session:
    """Run any program at a terminal."""
    with _terminal(columns) as (ours, theirs):
        process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment(TERM="xterm-256color", **(env or {})),
            cwd=cwd,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        with _ended(process.kill):
            screen, raw = _follow(ours, columns, ())
            code = process.wait()
    return Session(code, screen, raw, "")


@contextlib.contextmanager
def _terminal(columns: int) -> Iterator[tuple[int, int]]:
    """Yield both ends of a new terminal. The caller closes the second end."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    try:
        yield ours, theirs
    finally:
        os.close(ours)


@contextlib.contextmanager
def _file(path: Path | None) -> Iterator[int | None]:
    if path is None:
        yield None
        return
    with path.open("wb") as file:
        yield file.fileno()


@contextlib.contextmanager
def _ended(end: Callable[[], None]) -> Iterator[None]:
    """End a process that hangs."""
    watch = threading.Timer(LONGEST, end)
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def _follow(terminal: int, columns: int, keys: Keys) -> tuple[Screen, str]:
    """Show all output until the terminal is closed, and type the keys."""
    screen = Screen(columns, ROWS)
    stream = pyte.ByteStream(screen)
    raw = b""
    waiting = list(keys)
    seen = 0
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # raised by Linux when no process has the other end open
            break
        if not piece:
            break
        raw += piece
        stream.feed(piece)
        while waiting and waiting[0][0] in ESCAPE.sub("", raw[seen:].decode(errors="replace")):
            seen = len(raw)
            os.write(terminal, waiting.pop(0)[1].encode())
    screen.unseen = [text for text, _ in waiting]
    return screen, raw.decode()
