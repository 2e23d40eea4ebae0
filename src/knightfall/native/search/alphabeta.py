"""Plain alpha-beta as published: no transposition table and no move ordering."""

from __future__ import annotations

from typing import Any

from knightfall.native.bits import single
from knightfall.native.block_access import tables_in
from knightfall.native.board_tables import jumps_from
from knightfall.native.control import peek
from knightfall.native.jit import kernel
from knightfall.native.search.block import Field
from knightfall.native.search.calls import alphabeta_again
from knightfall.native.search.evaluation import leaf, lost, step
from knightfall.native.search.line import extend_line, start_line


@kernel
def alphabeta(block: Any, empty: Any, mover: Any, other: Any, depth: Any, alpha: Any, beta: Any) -> Any:
    """Return the value of a position for its player to move, ``depth`` plies (one or more) deep.

    A result of at most ``alpha`` is an upper bound, and a result of at least ``beta`` is a lower bound. The last ply is
    evaluated here, without a recursive call, because a call costs as much as a cheap heuristic.
    """
    tables = tables_in(block, empty)
    moves = jumps_from(tables, mover) & empty
    start_line(block, depth)
    if not moves:
        return lost(block, depth)
    best = -float("inf")
    for square in moves:
        if step(block):
            return best
        left = empty - single(empty, square)
        if depth == 1:
            value = -leaf(block, tables, left, other, square, 0)
        else:
            value = -alphabeta_again(block, left, other, square, depth - 1, -beta, -alpha)
            if peek(block, Field.STOPPED) != 0:
                return best
        if value > best:
            best = value
            if value > alpha:
                if value >= beta:
                    return value
                alpha = value
                extend_line(block, depth, square)
    return best
