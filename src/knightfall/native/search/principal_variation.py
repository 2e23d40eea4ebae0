"""The project's own alpha-beta: transposition table, move ordering, null windows, folded symmetries.

Its value is the same as that of plain alpha-beta. All refinements only save work. A table entry is used only if it was
searched to the same remaining depth.
"""

from __future__ import annotations

from typing import Any

from knightfall.native.bits import lowest, single
from knightfall.native.block_access import tables_in
from knightfall.native.board_tables import jumps_from
from knightfall.native.control import peek
from knightfall.native.jit import kernel, part
from knightfall.native.memory import float_bits, float_from_bits, load_word
from knightfall.native.search.block import Field
from knightfall.native.search.calls import refined_again
from knightfall.native.search.evaluation import leaf, lost, step
from knightfall.native.search.line import extend_line, start_line
from knightfall.native.search.order import HISTORY, NO_MOVE, REPLIES, TABLE, killer, move_at, ordered, remember_cutoff
from knightfall.native.search.transposition import (
    AT_LEAST,
    AT_MOST,
    EXACT,
    entry_bound,
    entry_depth,
    entry_move,
    entry_value,
    find,
    make_key,
    remember,
)

_TABLE_DEPTH = 3
"""The least remaining depth at which the table is used. Nearer to the horizon it costs more than it saves."""


@part
def next_above(value: Any) -> Any:
    """Return the smallest number greater than a finite one. The two are the narrowest possible window."""
    bits = float_bits(value)
    if value > 0.0:
        return float_from_bits(bits + 1)
    if value < 0.0:
        return float_from_bits(bits - 1)
    return float_from_bits(1)


@kernel
def refined(block: Any, empty: Any, mover: Any, other: Any, depth: Any, alpha: Any, beta: Any, root_empty: Any) -> Any:
    """Return the value of a position for its player to move, ``depth`` plies (one or more) deep."""
    tables = tables_in(block, empty)
    moves = jumps_from(tables, mover) & empty
    start_line(block, depth)
    if not moves:
        return lost(block, depth)
    best = -float("inf")
    if depth == 1:
        for square in moves:
            if step(block):
                return best
            value = -leaf(block, tables, empty - single(empty, square), other, square, 0)
            if value > best:
                best = value
                if value > alpha:
                    if value >= beta:
                        return value
                    alpha = value
                    extend_line(block, depth, square)
        return best

    low = high = locations = symmetry = 0
    table_move = NO_MOVE
    has_table = peek(block, Field.TABLE) != 0 and depth >= _TABLE_DEPTH
    if has_table:
        make_key(block, empty, mover, other, root_empty)
        low, high = peek(block, Field.KEY_LOW), peek(block, Field.KEY_HIGH)
        locations, symmetry = peek(block, Field.KEY_LOCATIONS), peek(block, Field.KEY_SYMMETRY)
        entry = find(block, low, high, locations)
        if entry >= 0:
            meta = load_word(peek(block, Field.TABLE), entry + 2)
            if entry_depth(meta) == depth:
                known, bound = entry_value(block, entry), entry_bound(meta)
                if bound == EXACT or (bound == AT_LEAST and known >= beta) or (bound == AT_MOST and known <= alpha):
                    return known
            if peek(block, Field.ORDER) & TABLE != 0:
                table_move = entry_move(block, meta, symmetry)

    floor = alpha
    best_move = NO_MOVE
    narrow = peek(block, Field.WINDOW) != 0
    is_sorted = peek(block, Field.ORDER) & (HISTORY | REPLIES) != 0
    if is_sorted:
        ordered(block, tables, empty, moves, other, depth, table_move)
    first, second, third = table_move, killer(block, depth, 0), killer(block, depth, 1)
    pending, at = moves, -1
    while pending:
        at += 1
        if is_sorted:
            square = move_at(block, depth, at)
        elif first != NO_MOVE:
            square, first = first, NO_MOVE
        elif second != NO_MOVE and second in pending:
            square, second = second, NO_MOVE
        elif third != NO_MOVE and third in pending:
            square, third = third, NO_MOVE
        else:
            square = lowest(pending)
        pending -= single(pending, square)
        if step(block):
            return best
        left = empty - single(empty, square)
        if narrow and at > 0 and alpha < beta and alpha > -float("inf"):
            above = next_above(alpha)
            value = -refined_again(block, left, other, square, depth - 1, -above, -alpha, root_empty)
            if alpha < value < beta and above < beta and peek(block, Field.STOPPED) == 0:
                value = -refined_again(block, left, other, square, depth - 1, -beta, -alpha, root_empty)
        else:
            value = -refined_again(block, left, other, square, depth - 1, -beta, -alpha, root_empty)
        if peek(block, Field.STOPPED) != 0:
            return best
        if value > best:
            best, best_move = value, square
            if value > alpha:
                if value >= beta:
                    remember_cutoff(block, depth, square)
                    break
                alpha = value
                extend_line(block, depth, square)
    if has_table:
        bound = AT_LEAST if best >= beta else (EXACT if best > floor else AT_MOST)
        # If no move exceeded the lower bound, the best of them means nothing.
        kept = best_move if bound != AT_MOST else table_move
        remember(block, low, high, locations, symmetry, depth, bound, kept, best)
    return best
