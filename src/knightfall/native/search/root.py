"""One move of a searching agent: it searches the root moves in order, iteration by iteration, within the budget."""

from __future__ import annotations

from typing import Any

import numpy as np

from knightfall.native.bits import single, width_of
from knightfall.native.block_access import tables_in
from knightfall.native.board_tables import jumps_from
from knightfall.native.control import DEADLINE, now, peek, write
from knightfall.native.jit import part
from knightfall.native.memory import load_byte, load_word, store_byte, store_float, store_word
from knightfall.native.search.block import (
    ROOT_DEPTHS,
    ROOT_LINES,
    ROOT_NODES,
    ROOT_SQUARES,
    ROOT_VALUES,
    ROW,
    Field,
    peek_float,
    write_float,
)
from knightfall.native.search.calls import alphabeta_at, minimax_at, refined_at
from knightfall.native.search.evaluation import leaf, overdue, step
from knightfall.native.search.line import copy_line
from knightfall.native.search.order import ROOT, forget
from knightfall.native.search.principal_variation import next_above
from knightfall.native.search.transposition import find_symmetries, renew
from knightfall.native.search.value import PROVEN
from knightfall.native.seeds import seed_of_words, stir

MINIMAX, ALPHABETA, REFINED, TREE, RANDOM = range(5)
"""The kinds of native agents. The first three search by iterations."""


BEST_LINE = 0
"""The row of lines that contains the best line of the search. Rows from 1 belong to depths."""


@part
def list_roots(block: Any, empty: Any, mover: Any, other: Any) -> Any:
    """Write the legal moves into the block and return their number.

    The moves are shuffled by the agent's key and the position if the agent's settings say so.
    """
    roots = peek(block, Field.ROOTS)
    count = 0
    for square in jumps_from(tables_in(block, empty), mover) & empty:
        store_word(roots, ROOT_SQUARES + count, square)
        store_word(roots, ROOT_NODES + square, 0)
        store_word(roots, ROOT_DEPTHS + square, 0)
        store_float(roots, ROOT_VALUES + square, 0.0)
        store_byte(roots, ROOT_LINES + square * ROW, 0)
        count += 1
    if peek(block, Field.SHUFFLE) != 0:
        word = seed_of_words(peek(block, Field.KEY), empty, mover, other, peek(block, Field.SEARCHER))
        for at in range(count - 1, 0, -1):
            word = stir(word)
            swap = np.int64(word % np.uint64(at + 1))
            square = load_word(roots, ROOT_SQUARES + at)
            store_word(roots, ROOT_SQUARES + at, load_word(roots, ROOT_SQUARES + swap))
            store_word(roots, ROOT_SQUARES + swap, square)
    return count


@part
def begin(block: Any, empty: Any, mover: Any, other: Any, to_move: Any) -> Any:
    """Begin a new move: reset the state of the search. Return the number of root moves."""
    size = len(jumps_from(tables_in(block, empty), width_of(empty)))
    write(block, Field.SEARCHER, to_move)
    write(block, Field.ROOT_COUNT, size - len(empty))
    write(block, Field.NODES, 0)
    write(block, Field.NEXT, 0)
    write(block, Field.STOPPED, 0)
    write(block, Field.INTERVAL, 1)
    milliseconds = peek_float(block, Field.MS_LIMIT)
    time = now()
    write(block, Field.CHECKED, time)
    write(block, DEADLINE, np.int64(time + milliseconds * 1e6) if milliseconds > 0.0 else 0)
    forget(block)
    renew(block, to_move, size - len(empty))
    find_symmetries(block, empty, mover, other)
    count = list_roots(block, empty, mover, other)
    roots = peek(block, Field.ROOTS)
    write(block, Field.BEST_SQUARE, load_word(roots, ROOT_SQUARES) if count > 0 else -1)
    write_float(block, Field.BEST_VALUE, 0.0)
    write(block, Field.BEST_DEPTH, 0)
    write(block, Field.BEST_INDEX, 0)
    store_byte(peek(block, Field.PV), BEST_LINE, 0)
    return count


@part
def iterate(block: Any, empty: Any, mover: Any, other: Any, count: Any, depth: Any) -> Any:
    """Run one iteration: search every root move to ``depth``. Return True if it was finished.

    Afterwards, the BEST_… fields contain the best move. If an iteration was not finished, they contain its best move so
    far if partial results may be used.
    """
    tables = tables_in(block, empty)
    roots = peek(block, Field.ROOTS)
    searcher = peek(block, Field.SEARCHER)
    write(block, Field.PARITY, depth ^ (searcher - 1))
    write(block, Field.COUNT_BASE, peek(block, Field.ROOT_COUNT) + depth)
    kind, multi, careful = peek(block, Field.KIND), peek(block, Field.MULTI), peek(block, Field.CAREFUL)
    infinity = float("inf")
    alpha, best, best_index = -infinity, -infinity, -1
    finished = True
    for at in range(count):
        if step(block):
            finished = False
            break
        before = peek(block, Field.NODES)
        square = load_word(roots, ROOT_SQUARES + at)
        left = empty - single(empty, square)
        store_byte(peek(block, Field.PV), (depth - 1) * ROW, 0)
        if depth == 1:
            value = -leaf(block, tables, left, other, square, 0)
        elif kind == MINIMAX:
            value = -minimax_at(block, left, other, square, depth - 1)
        elif kind == ALPHABETA:
            value = -alphabeta_at(block, left, other, square, depth - 1, -infinity, -alpha)
        elif at == 0 or multi != 0 or peek(block, Field.WINDOW) == 0:
            value = -refined_at(block, left, other, square, depth - 1, -infinity, -alpha, empty)
        else:
            value = -refined_at(block, left, other, square, depth - 1, -next_above(alpha), -alpha, empty)
            if value > alpha and peek(block, Field.STOPPED) == 0:
                value = -refined_at(block, left, other, square, depth - 1, -infinity, -alpha, empty)
        # A heuristic that checks the clock may have returned another value because the time was up.
        if peek(block, Field.STOPPED) != 0 or (careful != 0 and overdue(block, peek(block, Field.NODES))):
            finished = False
            break
        store_word(
            roots, ROOT_NODES + square, load_word(roots, ROOT_NODES + square) + peek(block, Field.NODES) - before + 1
        )
        if multi != 0 or value > best:
            _note_root(block, square, value, depth)
        if value > best:
            best, best_index = value, at
            if multi == 0:
                alpha = value
    if best_index >= 0 and (finished or peek(block, Field.PARTIAL) != 0 or peek(block, Field.BEST_DEPTH) == 0):
        write(block, Field.BEST_SQUARE, load_word(roots, ROOT_SQUARES + best_index))
        write_float(block, Field.BEST_VALUE, best)
        write(block, Field.BEST_DEPTH, depth)
        write(block, Field.BEST_INDEX, best_index)
        copy_line(roots + ROOT_LINES, load_word(roots, ROOT_SQUARES + best_index), peek(block, Field.PV))
    return finished


@part
def _note_root(block: Any, square: Any, value: Any, depth: Any) -> None:
    """Store the value, the depth and the line of one root move."""
    roots = peek(block, Field.ROOTS)
    store_float(roots, ROOT_VALUES + square, value)
    store_word(roots, ROOT_DEPTHS + square, depth)
    line = roots + ROOT_LINES + square * ROW
    copy_line(peek(block, Field.PV), depth - 1, line + 1)
    length = load_byte(line, 1) if depth > 1 else 0
    store_byte(line, 0, length + 1)
    store_byte(line, 1, square)


@part
def bring_to_front(block: Any, index: Any) -> None:
    """Move one root move to the front and keep the order of the others."""
    roots = peek(block, Field.ROOTS)
    chosen = load_word(roots, ROOT_SQUARES + index)
    for at in range(index, 0, -1):
        store_word(roots, ROOT_SQUARES + at, load_word(roots, ROOT_SQUARES + at - 1))
    store_word(roots, ROOT_SQUARES, chosen)


@part
def deepen(block: Any, empty: Any, mover: Any, other: Any, to_move: Any) -> Any:
    """Return a move chosen within the budget in the block, or -1 if there is no move."""
    count = begin(block, empty, mover, other, to_move)
    if count == 0:
        return -1
    deepest = min(peek(block, Field.MAX_DEPTH), len(empty) + 1)
    depth = 1 if peek(block, Field.DEEPEN) != 0 else deepest
    while depth <= deepest:
        if not iterate(block, empty, mover, other, count, depth):
            break
        if abs(peek_float(block, Field.BEST_VALUE)) >= PROVEN:
            break
        if peek(block, Field.ORDER) & ROOT != 0:
            bring_to_front(block, peek(block, Field.BEST_INDEX))
        depth += 1
    return peek(block, Field.BEST_SQUARE)
