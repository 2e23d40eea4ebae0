"""Move ordering: the earlier the best move is tried, the less is searched."""

from __future__ import annotations

from typing import Any

from knightfall.native.board_tables import jumps_from
from knightfall.native.control import peek
from knightfall.native.jit import part
from knightfall.native.memory import load_word, store_word
from knightfall.native.search.block import MOST_MOVES, Field

NO_MOVE = 255


ROOT, TABLE, KILLER, HISTORY, REPLIES = 1, 2, 4, 8, 16
"""What the order can depend on: the last iteration's best root move, the table's move, killers, history, replies."""


@part
def ordered(block: Any, tables: Any, empty: Any, moves: Any, other: Any, depth: Any, table_move: Any) -> Any:
    """Write the moves into the scratch row of this depth, best first, and return their number.

    With REPLIES, each move that the mover will have afterwards counts one, and a square taken from the opponent counts
    two. Other weights from -1 to 16 were tried and were worse or no better.
    """
    row = peek(block, Field.SCRATCH) + depth * MOST_MOVES * 8
    order = peek(block, Field.ORDER)
    history = peek(block, Field.HISTORY) + ((depth ^ peek(block, Field.PARITY)) & 1) * (MOST_MOVES + 1) * 8
    theirs = jumps_from(tables, other) & empty
    first, second = killer(block, depth, 0), killer(block, depth, 1)
    count = 0
    for square in moves:
        rank = 0
        if order & REPLIES != 0:
            rank = len(jumps_from(tables, square) & empty) << 20
            if square in theirs:
                rank += 2 << 20
        if order & HISTORY != 0:
            rank += min(load_word(history, square), (1 << 20) - 1)
        if square in (first, second):
            rank += (2 if square == first else 1) << 30
        if square == table_move:
            rank += 1 << 40
        # 255 minus the square, so that among equal ranks the lowest square comes first.
        packed = rank << 8 | (255 - square)
        at = count
        while at > 0 and load_word(row, at - 1) < packed:
            store_word(row, at, load_word(row, at - 1))
            at -= 1
        store_word(row, at, packed)
        count += 1
    return count


@part
def killer(block: Any, depth: Any, which: Any) -> Any:
    """Return a move that caused a cutoff in another position at the same move number; NO_MOVE if there is none."""
    if peek(block, Field.ORDER) & KILLER == 0:
        return NO_MOVE
    return load_word(peek(block, Field.KILLERS) + (peek(block, Field.COUNT_BASE) - depth) * 16, which)


@part
def move_at(block: Any, depth: Any, at: Any) -> Any:
    """Return the move at an index of the order."""
    return 255 - (load_word(peek(block, Field.SCRATCH) + depth * MOST_MOVES * 8, at) & 255)


@part
def remember_cutoff(block: Any, depth: Any, square: Any) -> None:
    """Record that a move caused a cutoff."""
    killers = peek(block, Field.KILLERS) + (peek(block, Field.COUNT_BASE) - depth) * 16
    if load_word(killers, 0) != square:
        store_word(killers, 1, load_word(killers, 0))
        store_word(killers, 0, square)
    history = peek(block, Field.HISTORY) + ((depth ^ peek(block, Field.PARITY)) & 1) * (MOST_MOVES + 1) * 8
    store_word(history, square, load_word(history, square) + depth * depth)


@part
def forget(block: Any) -> None:
    """Clear the killers and the history."""
    killers, history = peek(block, Field.KILLERS), peek(block, Field.HISTORY)
    for at in range(2 * (MOST_MOVES + 2)):
        store_word(killers, at, NO_MOVE)
    for at in range(2 * (MOST_MOVES + 1)):
        store_word(history, at, 0)
