"""Machine code that calls Python until both knights are placed.

Before that, ``get_player_location`` returns None. A function may use this None in ways that have no compiled form (in a
list, a set, a sum of cells). Games rarely stay in this phase, so the rest of the function is still compiled.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numba
from numba import objmode

from knightfall.native.board_tables import board_height, board_width
from knightfall.native.control import DEADLINE, read
from knightfall.native.seeds import high_word, low_word
from knightfall.native.view import heuristic_signature
from knightfall.rules import Geometry, Position

Evaluate = Callable[[Position, int, tuple[float, ...], int], float]
"""Returns the interpreted value for a position, player, packed parameters and deadline (nanoseconds, 0: none)."""

_counter = itertools.count(1)
_evaluators: dict[int, Evaluate] = {}


def _ask(
    number: int,
    size: tuple[int, int],
    empty: tuple[int, int],
    first: int,
    active: int,
    player: int,
    params: tuple[float, ...],
    deadline: int,
) -> float:
    geometry = Geometry(*size)
    used = ((1 << geometry.size) - 1) & ~(empty[1] << 64 | empty[0])
    location = None if first >= geometry.size else first
    return _evaluators[number](Position(geometry, (location, None), used, active), player, params, deadline)


def guarded(compiled: Any, width: int, evaluate: Evaluate) -> Any:
    """Return ``compiled`` with a check: positions in which a knight is not placed are evaluated by ``evaluate``."""
    number = next(_counter)
    _evaluators[number] = evaluate

    def guarded_entry(game: Any, player: Any, params: Any) -> Any:
        if game._first < width and game._second < width:
            return compiled(game, player, params)
        size = (board_width(game._tables), board_height(game._tables))
        empty = (low_word(game._empty), high_word(game._empty))
        first, active, deadline = game._first, game.active_player, read(game._control, DEADLINE)
        with objmode(value="float64"):
            value = _ask(number, size, empty, first, active, player, params, deadline)
        return value  # noqa: RET504 - a block of object mode cannot return

    dispatcher = numba.njit(guarded_entry)
    dispatcher.compile(heuristic_signature(width))
    return dispatcher
