"""A heuristic that Python runs, behind the same kind of pointer as a compiled one.

The search does not know the difference. It calls machine code of the usual signature, and that code calls Python. An
error of the function is stored here and reported after the search. For the search, its value is nan.
"""

from __future__ import annotations

import itertools
import math
import time
from typing import Any

import numba
from numba import objmode

from knightfall.catalogue.heuristic import Heuristic
from knightfall.compiler.interpreted import TwinControl
from knightfall.native.control import DEADLINE, DEFAULT_TICKS, OutOfTime
from knightfall.native.search.block import Block
from knightfall.native.seeds import high_word, low_word, seed_of
from knightfall.native.view import heuristic_signature
from knightfall.rules import Geometry, Position

_counter = itertools.count(1)
_by_number: dict[int, Callback] = {}
_dispatchers: dict[int, Any] = {}


class Callback:
    """A heuristic with its board and block. It can be called by its number until :meth:`close`."""

    def __init__(self, heuristic: Heuristic, geometry: Geometry, block: Block) -> None:
        self.heuristic = heuristic
        self.geometry = geometry
        self.block = block
        self.error: tuple[BaseException, Position, int] | None = None
        self.number = next(_counter)
        _by_number[self.number] = self

    def close(self) -> None:
        """Unregister the number. There must be no more calls."""
        _by_number.pop(self.number, None)

    def __call__(self, low: int, high: int, first: int, second: int, active: int, player: int) -> float:
        geometry = self.geometry
        used = ((1 << geometry.size) - 1) & ~(high << 64 | low)
        at = tuple(None if square >= geometry.size else square for square in (first, second))
        position = Position(geometry, (at[0], at[1]), used, active)
        deadline = self.block[DEADLINE]
        seconds = deadline / 1e9 - time.monotonic() if deadline else None
        ticks = DEFAULT_TICKS if seconds is None else 2**60
        try:
            value = self.heuristic.interpret(position, player, TwinControl(ticks, seconds, lambda: seed_of(position)))
            return self.heuristic.checked(value, position, player)
        except OutOfTime:
            return 0.0  # the search notices itself that the time is up
        except BaseException as error:
            self.error = self.error or (error, position, player)
            return math.nan


def _call(number: int, low: int, high: int, first: int, second: int, active: int, player: int) -> float:
    return _by_number[number](low, high, first, second, active, player)


def callback_dispatcher(width: int) -> Any:
    """Return the machine code that calls Python, for boards of that width. The first parameter is the number."""
    if width not in _dispatchers:

        def callback(game: Any, player: Any, params: Any) -> Any:
            number = int(params[0])
            low, high = low_word(game._empty), high_word(game._empty)
            first, second, active = game._first, game._second, game.active_player
            with objmode(value="float64"):
                value = _call(number, low, high, first, second, active, player)
            return value  # noqa: RET504 - a block of object mode cannot return

        dispatcher = numba.njit(callback)
        dispatcher.compile(heuristic_signature(width))
        _dispatchers[width] = dispatcher
    return _dispatchers[width]
