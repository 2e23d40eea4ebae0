"""Perft: the number of move sequences of a given length. This is the standard test of a move generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from knightfall.native.background import interruptible
from knightfall.native.bits import single
from knightfall.native.board_tables import jumps_from
from knightfall.native.jit import compiled
from knightfall.native.state import State, legal_moves
from knightfall.rules import KnightfallError, Position

_QUICK_DEPTH = 6  # a knight has at most eight moves, so there are at most 262,144 leaves


@compiled
def _count(tables: Any, empty: Any, mover: Any, other: Any, depth: Any) -> Any:
    """Return the number of leaves at a depth of at least 2. The last ply is counted in bulk, without a call.

    The parts of the state are separate arguments. The player to move is not needed, and each word that is passed down
    the recursion costs a tenth of the speed.
    """
    moves = jumps_from(tables, mover) & empty
    leaves = 0
    if depth == 2:
        replies = jumps_from(tables, other) & empty
        for square in moves:
            leaves += len(replies - single(replies, square))
        return leaves
    for square in moves:
        leaves += _count(tables, empty - single(empty, square), other, square, depth - 1)
    return leaves


@compiled
def count_leaves(state: Any, depth: Any) -> Any:
    """Return the number of leaves below a state at any depth from 0."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(legal_moves(state))
    return _count(state.tables, state.empty, state.mover, state.other, depth)


def perft(position: Position, depth: int) -> int:
    """Return the number of sequences of ``depth`` moves that can be played from a position.

    Raise :class:`~knightfall.KnightfallError` if the depth is not a whole number of at least 0.

    >>> perft(Position.from_fen("8/8/8/4n3/3N4/8/8/8 w"), 8)
    485018
    """
    _check_depth(depth)
    return _leaves(position, depth)


def divide(position: Position, depth: int, after_move: Callable[[int, int], None] | None = None) -> dict[int, int]:
    """Return the perft number of each first move. ``after_move(square, leaves)`` is called after each move.

    >>> list(divide(Position.from_fen("8/8/8/4n3/3N4/8/8/8 w"), 4).values())
    [235, 312, 226, 312, 223, 235, 223, 226]
    """
    _check_depth(depth, least=1)
    counts = {}
    for square in position.legal_moves():
        counts[square] = _leaves(position.play(square), depth - 1)
        if after_move is not None:
            after_move(square, counts[square])
    return counts


def _leaves(position: Position, depth: int) -> int:
    """Return the number of leaves. If counting may take long, it can be interrupted with Ctrl-C."""
    state = State.of(position)

    def count() -> int:
        return int(count_leaves(state, depth))

    return count() if depth <= _QUICK_DEPTH and None not in position.locations else interruptible(count)


def _check_depth(depth: int, least: int = 0) -> None:
    if isinstance(depth, bool) or not hasattr(depth, "__index__"):
        raise KnightfallError(f"the depth must be a whole number, not {depth!r}")
    if depth < least:
        raise KnightfallError(f"the depth must be at least {least}, not {depth}")
