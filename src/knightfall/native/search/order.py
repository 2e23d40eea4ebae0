"""The order in which moves are tried: the sooner the best one, the less is searched."""

from __future__ import annotations

from typing import Any

from knightfall.native.board_tables import jumps_from
from knightfall.native.control import peek
from knightfall.native.jit import part
from knightfall.native.memory import load_word, store_word
from knightfall.native.search.block import MOST_MOVES, Field

NO_MOVE = 255


ROOT, TABLE, KILLER, HISTORY, REPLIES = 1, 2, 4, 8, 16
"""What the order can go by: the last iteration's best root move, the table's move, killers, history, replies."""


@part
def ordered(block: Any, tables: Any, empty: Any, moves: Any, other: Any, depth: Any, table_move: Any) -> Any:
    """Write the moves into the scratch row of this depth, best first, and return how many there are.

    Replies: each move that the mover will have afterwards counts one, a square taken from the opponent two. The other
    weights that were tried, from -1 to 16, were worse or no better.
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
        # Squares are taken from 255, so that of equals the lowest comes first.
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
    """A move that was good enough in another position this many moves into the game; NO_MOVE if there is none."""
    if peek(block, Field.ORDER) & KILLER == 0:
        return NO_MOVE
    return load_word(peek(block, Field.KILLERS) + (peek(block, Field.COUNT_BASE) - depth) * 16, which)


@part
def move_at(block: Any, depth: Any, at: Any) -> Any:
    """The move at a place of the order."""
    return 255 - (load_word(peek(block, Field.SCRATCH) + depth * MOST_MOVES * 8, at) & 255)


@part
def remember_cutoff(block: Any, depth: Any, square: Any) -> None:
    """A move was good enough to end the search of its position."""
    killers = peek(block, Field.KILLERS) + (peek(block, Field.COUNT_BASE) - depth) * 16
    if load_word(killers, 0) != square:
        store_word(killers, 1, load_word(killers, 0))
        store_word(killers, 0, square)
    history = peek(block, Field.HISTORY) + ((depth ^ peek(block, Field.PARITY)) & 1) * (MOST_MOVES + 1) * 8
    store_word(history, square, load_word(history, square) + depth * depth)


@part
def forget(block: Any) -> None:
    """Begin with no killers and no history."""
    killers, history = peek(block, Field.KILLERS), peek(block, Field.HISTORY)
    for at in range(2 * (MOST_MOVES + 2)):
        store_word(killers, at, NO_MOVE)
    for at in range(2 * (MOST_MOVES + 1)):
        store_word(history, at, 0)
