"""Calls a compiled heuristic for many positions in one native call, for timing or if a Python loop would be slow.

The heuristic is passed as a pointer to machine code with one fixed signature. So this code is compiled once per width
and serves all heuristics.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from knightfall.native.bits import BitsType, join_words
from knightfall.native.board_tables import TablesType
from knightfall.native.cache import FolderCache, engine_folder
from knightfall.native.control import LEAF, TICKS, WORK, Control, control_type, work_for, write
from knightfall.native.user_output import user_code
from knightfall.native.view import PARAMETERS, View, heuristic_signature, make_game

Words = npt.NDArray[np.uint64]


def words_of(views: list[View]) -> Words:
    """Return views of one geometry as rows: empty squares (low, high), locations, active player, move count."""
    rows = [(v.low, v.high, v.first, v.second, v.active, v.move_count) for v in views]
    return np.array(rows, np.uint64)


@intrinsic
def _tables_at(context: Any, bits: Any, address: Any) -> Any:
    kind = TablesType(bits.width)

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        return b.inttoptr(args[1], ir.IntType(8).as_pointer())

    return kind(bits, types.int64), codegen


@intrinsic
def _control_at(context: Any, address: Any) -> Any:
    return control_type(types.int64), lambda c, b, sig, args: b.inttoptr(args[0], ir.IntType(64).as_pointer())


def _bits_maker(width: int) -> Any:
    def typer(context: Any, low: Any, high: Any) -> Any:
        def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
            return join_words(b, width, *args)

        return BitsType(width)(types.uint64, types.uint64), codegen

    return intrinsic(typer)


def _batch(width: int) -> Any:
    make_bits = _bits_maker(width)

    def batch(
        function: Any,
        params: Any,
        tables: Any,
        words: Any,
        players: Any,
        control: Any,
        ticks: Any,
        rounds: Any,
        out: Any,
    ) -> None:
        block = _control_at(control)
        work = work_for(ticks)
        for _ in range(rounds):
            for at in range(len(words)):
                empty = make_bits(words[at, 0], words[at, 1])
                write(block, TICKS, ticks)
                write(block, WORK, work)
                write(block, LEAF, at)
                game = make_game(
                    _tables_at(empty, tables),
                    empty,
                    np.int64(words[at, 2]),
                    np.int64(words[at, 3]),
                    np.int64(words[at, 4]),
                    np.int64(words[at, 5]),
                    block,
                )
                out[at] = function(game, players[at], params)

    signature = types.void(
        types.FunctionType(heuristic_signature(width)),
        types.UniTuple(types.float64, PARAMETERS),
        types.int64,
        types.Array(types.uint64, 2, "C"),
        types.Array(types.int64, 1, "C"),
        types.int64,
        types.int64,
        types.int64,
        types.Array(types.float64, 1, "C"),
    )
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(batch)
    batch.__qualname__ = f"batch{width}"
    dispatcher._cache = FolderCache(batch, engine_folder())
    dispatcher.compile(signature)
    return dispatcher


_batches: dict[int, Any] = {}


def evaluate_many(
    dispatcher: Any,
    params: tuple[float, ...],
    views: list[View],
    players: list[int],
    control: Control,
    *,
    ticks: int = 10_000,
    rounds: int = 1,
) -> npt.NDArray[np.float64]:
    """Return the value of each view for the player at the same index of ``players``.

    All views must have the same geometry. ``rounds`` repeats the evaluation, for timing. If the function raises,
    ``control.leaf`` is the index of the view.
    """
    prepared = Prepared(views, players)
    return prepared.evaluate(dispatcher, params, control, ticks=ticks, rounds=rounds)


class Prepared:
    """Views of one geometry and the players to evaluate them for, prepared for repeated evaluation."""

    def __init__(self, views: list[View], players: list[int]) -> None:
        self.width = views[0].width
        self._tables = views[0].address
        self._words = words_of(views)
        self._players = np.array(players, np.int64)

    def evaluate(
        self, dispatcher: Any, params: tuple[float, ...], control: Control, *, ticks: int = 10_000, rounds: int = 1
    ) -> npt.NDArray[np.float64]:
        """Return the value of each view; see :func:`evaluate_many`."""
        if self.width not in _batches:
            _batches[self.width] = _batch(self.width)
        out = np.zeros(len(self._players), np.float64)
        control.allow(ticks)
        batch = _batches[self.width]
        with user_code:
            batch(dispatcher, params, self._tables, self._words, self._players, control.address, ticks, rounds, out)
        return out
