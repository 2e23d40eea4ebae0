"""Monte Carlo tree search: UCT with random playouts, proven wins and losses, and a tree of limited size.

The tree is one array of nodes of four half words each: the number of visits; the score (in halves, for the player who
moved there); the index of the first child; then three bytes for the number of children, the square that was moved to,
and the proof. The children of a node are adjacent, four per cache line. When the array is full, leaves are no longer
expanded, only played out.

Proofs are stated for the player to move in the node. A node is LOST if that player is stuck or if all its moves lead to
positions that are won for the opponent. It is WON if a move leads to a position that is lost for the opponent.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from knightfall.native.bits import lowest, single, without_lowest
from knightfall.native.block_access import tables_in
from knightfall.native.board_tables import jumps_from
from knightfall.native.control import peek, write
from knightfall.native.jit import inlined, part
from knightfall.native.memory import load_byte, load_half, load_word, store_byte, store_half, store_word
from knightfall.native.search.block import Field, evaluate, peek_float, write_float
from knightfall.native.search.evaluation import overdue, prepare, step, trace
from knightfall.native.search.root import begin
from knightfall.native.search.value import NotANumber
from knightfall.native.seeds import seed_of_words, stir
from knightfall.native.view import make_game

NODE = 4  # half words
VISITS, HALVES, CHILDREN = range(3)
COUNT, SQUARE, PROOF = 12, 13, 14  # bytes
BYTES = 4 * NODE
RECORD = np.dtype(
    [("visits", "u4"), ("halves", "u4"), ("children", "u4"), ("count", "u1"), ("square", "u1"), ("proof", "u2")]
)
"""A node as Python reads it."""
UNKNOWN, WON, LOST = 0, 1, 2
PATH = 130
"""Words after the tree, for the current path from the root."""

NOTHING = -1.0
"""The win rate of a move that was never tried."""

_POSSIBLE, _CERTAIN = 1 << 50, 1 << 60  # added rank of moves that may win, and rank of moves that certainly win


@inlined
def nth(squares: Any, index: Any) -> Any:
    """Return the square at an index of a set.

    A knight has at most eight moves. Seven steps that are always executed are faster than a loop whose end the
    processor cannot predict.
    """
    while index > 7:
        squares = without_lowest(squares)
        index -= 1
    for drop in range(7):
        fewer = without_lowest(squares)
        squares = fewer if drop < index else squares
    return lowest(squares)


@part
def expand(block: Any, tree: Any, node: Any, moves: Any) -> Any:
    """Add the children of a node; return False if there is no room for them."""
    size, count = peek(block, Field.TREE_SIZE), len(moves)
    if size + count > peek(block, Field.TREE_LIMIT):
        return False
    store_half(tree, node * NODE + CHILDREN, size)
    store_byte(tree, node * BYTES + COUNT, count)
    for square in moves:
        for half in range(NODE):
            store_half(tree, size * NODE + half, 0)
        store_byte(tree, size * BYTES + SQUARE, square)
        size += 1
    write(block, Field.TREE_SIZE, size)
    return True


@part
def select(block: Any, tree: Any, node: Any) -> Any:
    """Return the child to visit next: one that was not visited yet, else the one with the best upper bound.

    A child that is proven won for its player to move is a mistake and is skipped. There is always another child,
    because otherwise the node itself would be proven.
    """
    first, count = load_half(tree, node * NODE + CHILDREN), load_byte(tree, node * BYTES + COUNT)
    exploration = peek_float(block, Field.EXPLORATION)
    spread = exploration * exploration * math.log(float(max(load_half(tree, node * NODE + VISITS), 1)))
    best, best_bound = first, -1.0
    for child in range(first, first + count):
        if load_byte(tree, child * BYTES + PROOF) == WON:
            continue
        visits = load_half(tree, child * NODE + VISITS)
        if visits == 0:
            return child
        share = 1.0 / visits
        bound = 0.5 * load_half(tree, child * NODE + HALVES) * share + math.sqrt(spread * share)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@part
def judged(block: Any, tables: Any, empty: Any, mover: Any, other: Any, to_move: Any) -> Any:
    """Return the halves won by the player to move in a playout that is cut off: compare the heuristic's values."""
    first = mover if to_move == 1 else other
    second = other if to_move == 1 else mover
    size = peek(block, Field.COUNT_BASE)
    game = make_game(tables, empty, first, second, to_move, size - len(empty), block)
    if peek(block, Field.CAREFUL) != 0:
        prepare(block, empty, mover, other, to_move)
    write(block, Field.ASKED, to_move)
    mine = evaluate(block, game, to_move)
    if peek(block, Field.CAREFUL) != 0:
        prepare(block, empty, mover, other, to_move)
    if mine == mine:
        write(block, Field.ASKED, 3 - to_move)
    theirs = evaluate(block, game, 3 - to_move)
    if not (mine == mine and theirs == theirs):
        trace(block, empty, first, second, to_move)
        raise NotANumber("it returns nan, which is no number")
    return 2 if mine > theirs else (0 if mine < theirs else 1)


@part
def playout(block: Any, tables: Any, empty: Any, mover: Any, other: Any, to_move: Any, word: Any) -> Any:
    """Play random moves to the end or the cutoff; return the halves won by the player to move and the random number.

    The halves are -1 if the search must end.
    """
    cutoff = peek(block, Field.CUTOFF)
    plies = 0
    while True:
        moves = jumps_from(tables, mover) & empty
        # After an even number of plies, the player to move is the same as at the beginning.
        if not moves:
            return (0 if plies & 1 == 0 else 2), word
        if plies == cutoff:
            halves = judged(block, tables, empty, mover, other, to_move if plies & 1 == 0 else 3 - to_move)
            return (halves if plies & 1 == 0 else 2 - halves), word
        if step(block):
            return -1, word
        # Hash a counter, so that the next number need not wait for this one. The upper half of the product is as good
        # as a remainder and needs no division.
        word += np.uint64(1)
        index = np.int64(((stir(word) >> np.uint64(32)) * np.uint64(len(moves))) >> np.uint64(32))
        square = nth(moves, index)
        empty -= single(empty, square)
        mover, other = other, square
        plies += 1


@part
def back_up(tree: Any, path: Any, length: Any, halves: Any) -> None:
    """Add a result to every node on the path. ``halves`` were won by the player to move in the last node."""
    for at in range(length - 1, -1, -1):
        halves = 2 - halves  # a node counts the halves of the player who moved there
        node = load_word(path, at) * NODE
        store_half(tree, node + VISITS, load_half(tree, node + VISITS) + 1)
        store_half(tree, node + HALVES, load_half(tree, node + HALVES) + halves)


@part
def prove(tree: Any, path: Any, length: Any) -> None:
    """Update the proofs of the nodes on the path after the last one was proven."""
    at = length - 1
    while at > 0:
        proof = load_byte(tree, load_word(path, at) * BYTES + PROOF)
        parent = load_word(path, at - 1)
        if proof == LOST:
            store_byte(tree, parent * BYTES + PROOF, WON)
        elif proof == WON:
            first, count = load_half(tree, parent * NODE + CHILDREN), load_byte(tree, parent * BYTES + COUNT)
            for child in range(first, first + count):
                if load_byte(tree, child * BYTES + PROOF) != WON:
                    return
            store_byte(tree, parent * BYTES + PROOF, LOST)
        else:
            return
        at -= 1


@part
def final_child(tree: Any, node: Any, word: Any) -> Any:
    """Return the child to play: one that is lost for the opponent, else the most visited one that is not a mistake.

    A mistake is a child that is proven won for the opponent; it is chosen only if there is nothing else. The random
    word breaks ties. Return -1 if there are no children.
    """
    first, count = load_half(tree, node * NODE + CHILDREN), load_byte(tree, node * BYTES + COUNT)
    best, best_rank, equals = -1, -1, 0
    for child in range(first, first + count):
        proof = load_byte(tree, child * BYTES + PROOF)
        rank = _CERTAIN if proof == LOST else load_half(tree, child * NODE + VISITS)
        if proof == UNKNOWN:
            rank += _POSSIBLE
        if rank > best_rank:
            best, best_rank, equals = child, rank, 1
        elif rank == best_rank:
            equals += 1
            word = stir(word)
            if word % np.uint64(equals) == np.uint64(0):
                best = child
    return best


@part
def plant(block: Any, empty: Any, mover: Any, other: Any, to_move: Any) -> Any:
    """Start a new tree with the root and its children; return the number of children."""
    count = begin(block, empty, mover, other, to_move)
    tree = peek(block, Field.TREE)
    for half in range(NODE):
        store_half(tree, half, 0)
    write(block, Field.TREE_SIZE, 1)
    write(block, Field.PLAYOUTS, 0)
    write(block, Field.COUNT_BASE, peek(block, Field.ROOT_COUNT) + len(empty))
    write(block, Field.WORD, seed_of_words(peek(block, Field.KEY), empty, mover, other, to_move))
    expand(block, tree, 0, jumps_from(tables_in(block, empty), mover) & empty)
    return count


@part
def grow(block: Any, empty: Any, mover: Any, other: Any, to_move: Any, playouts: Any) -> Any:
    """Run playouts until the given number is reached, the root is proven, or the budget ends; return the best move."""
    tables = tables_in(block, empty)
    tree = peek(block, Field.TREE)
    path = tree + peek(block, Field.TREE_LIMIT) * BYTES
    word = np.uint64(peek(block, Field.WORD))
    while (
        peek(block, Field.PLAYOUTS) < playouts and load_byte(tree, PROOF) == UNKNOWN and peek(block, Field.STOPPED) == 0
    ):
        word = one_playout(block, tables, tree, path, empty, mover, other, to_move, word)
        if peek(block, Field.CAREFUL) != 0 and overdue(block, peek(block, Field.NODES)):
            break
    write(block, Field.WORD, word)
    chosen = final_child(tree, 0, word)
    report(block, tree, chosen)
    return load_byte(tree, chosen * BYTES + SQUARE)


@part
def one_playout(
    block: Any, tables: Any, tree: Any, path: Any, empty: Any, mover: Any, other: Any, to_move: Any, word: Any
) -> Any:
    """Descend the tree, add one new node, run a playout, and back up its result. Return the random number reached."""
    node, length, player = 0, 1, to_move
    store_word(path, 0, 0)
    while load_byte(tree, node * BYTES + COUNT) > 0:
        node = select(block, tree, node)
        if step(block):
            return word
        square = load_byte(tree, node * BYTES + SQUARE)
        empty -= single(empty, square)
        mover, other, player = other, square, 3 - player
        store_word(path, length, node)
        length += 1
        if load_half(tree, node * NODE + VISITS) == 0:
            break
        if load_byte(tree, node * BYTES + COUNT) == 0:
            moves = jumps_from(tables, mover) & empty
            if not moves or not expand(block, tree, node, moves):
                break
    if length - 1 > peek(block, Field.BEST_DEPTH):
        write(block, Field.BEST_DEPTH, length - 1)
    if not (jumps_from(tables, mover) & empty):
        store_byte(tree, node * BYTES + PROOF, LOST)
        halves = 0
        prove(tree, path, length)
    else:
        halves, word = playout(block, tables, empty, mover, other, player, word)
        if halves < 0:
            return word
    back_up(tree, path, length, halves)
    write(block, Field.PLAYOUTS, peek(block, Field.PLAYOUTS) + 1)
    return word


@part
def report(block: Any, tree: Any, chosen: Any) -> None:
    """Write the result into the block: the best move, its win rate and its line."""
    rows = peek(block, Field.PV)
    visits = max(load_half(tree, chosen * NODE + VISITS), 1)
    write(block, Field.BEST_SQUARE, load_byte(tree, chosen * BYTES + SQUARE))
    proof = load_byte(tree, chosen * BYTES + PROOF)
    rate = load_half(tree, chosen * NODE + HALVES) / (2.0 * visits)
    if load_half(tree, chosen * NODE + VISITS) == 0:
        rate = NOTHING
    write_float(block, Field.BEST_VALUE, float("inf") if proof == LOST else -float("inf") if proof == WON else rate)
    node, length = chosen, 0
    while node >= 0 and length < PATH - 2 and (length == 0 or load_half(tree, node * NODE + VISITS) > 0):
        length += 1
        store_byte(rows, length, load_byte(tree, node * BYTES + SQUARE))
        node = final_child(tree, node, np.uint64(0)) if load_byte(tree, node * BYTES + COUNT) > 0 else -1
    store_byte(rows, 0, length)
