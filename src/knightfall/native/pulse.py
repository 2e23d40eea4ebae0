"""Heartbeats of a process that evaluates users' functions, for the process that supervises it.

They are in memory that both processes share: the number of calls of users' functions, whether such a call is running,
and for which position. So the supervisor can distinguish a function that does not return from a slow one. It can also
report which position was evaluated when the process died, whatever the state of that process.
"""

from __future__ import annotations

import mmap
import struct
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from knightfall.rules import Position

SIZE = 4096
_HEAD = struct.Struct("=QQQQ")
_COUNT, _BUSY, _LENGTH, _DONE = range(4)
_SAMPLE_SECONDS = 0.2


class Pulse:
    """The shared memory. One process writes to it, the other reads it."""

    def __init__(self, memory: mmap.mmap) -> None:
        self._words = memoryview(memory)[: _HEAD.size].cast("Q")
        self._text = memoryview(memory)[_HEAD.size : SIZE]
        self._block: Any = None
        self._many: tuple[Sequence[Any], Sequence[int]] | None = None

    @property
    def count(self) -> int:
        """The number of heartbeats so far."""
        return self._words[_COUNT]

    @property
    def is_busy(self) -> bool:
        """Whether a call of a user's function is running."""
        return self._words[_BUSY] != 0

    @property
    def where(self) -> str:
        """What is being evaluated, as in "player 1 in FEN"; empty if unknown."""
        length = min(self._words[_LENGTH], len(self._text))
        return bytes(self._text[:length]).decode(errors="replace")

    @property
    def is_done(self) -> bool:
        """Whether the process ended normally."""
        return self._words[_DONE] != 0

    def finish(self) -> None:
        """Record that the process ends now, and that no user's function is the reason."""
        self._words[_DONE] = 1

    def enter(self) -> None:
        """Record that a call of a user's function begins."""
        self._words[_COUNT] += 1
        self._words[_BUSY] = 1

    def leave(self) -> None:
        """Record that the call returned or raised."""
        self._words[_BUSY] = 0

    def beat(self) -> None:
        """Record that the call is still running."""
        self._words[_COUNT] += 1

    def note(self, where: str) -> None:
        """Set what is evaluated from now on."""
        self._many = None
        self._write(where)

    def note_many(self, positions: Sequence[Any], players: Sequence[int]) -> None:
        """Set many positions that are evaluated in one native call."""
        self._many = (positions, players)
        self._write("")

    def watch(self, block: Any) -> None:
        """Count changes of this control block as heartbeats."""
        self._block = block

    def _write(self, where: str) -> None:
        told = where.encode()[: len(self._text)]
        self._words[_LENGTH] = 0
        self._text[: len(told)] = told
        self._words[_LENGTH] = len(told)

    def start_sampling(self) -> None:
        """Check the control block in a thread, because long native calls cannot send heartbeats themselves."""
        threading.Thread(target=self._sample, daemon=True, name="knightfall-pulse").start()

    def _sample(self) -> None:
        last = b""
        stop = threading.Event()
        while not stop.wait(_SAMPLE_SECONDS):
            block, many = self._block, self._many
            if block is None or not self.is_busy:
                continue
            now = block.memory.tobytes()
            if now != last:
                last = now
                self.beat()
                if many is not None and block.leaf < len(many[0]):
                    positions, players = many
                    self._write(f"player {players[block.leaf]} in {positions[block.leaf].fen()}")


pulse: Pulse | None = None
"""The pulse of this process, if it is supervised."""


def show_pulse(memory: mmap.mmap) -> Pulse:
    """Write heartbeats to this memory from now on."""
    global pulse
    pulse = Pulse(memory)
    pulse.start_sampling()
    return pulse


def note(position: Position, player_or_what: int | str) -> None:
    """Set what is evaluated from now on, if this process is supervised: a position with a player or a description."""
    if pulse is not None:
        what = player_or_what if isinstance(player_or_what, str) else f"player {player_or_what} in"
        pulse.note(f"{what} {position.fen()}")


def note_many(positions: Sequence[Position], players: Sequence[int]) -> None:
    """Set many positions that are evaluated in one native call, if this process is supervised."""
    if pulse is not None:
        pulse.note_many(positions, players)


def watch(block: Any) -> None:
    """Count changes of this control block as heartbeats, if this process is supervised."""
    if pulse is not None:
        pulse.watch(block)
