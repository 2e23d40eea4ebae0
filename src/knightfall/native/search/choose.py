"""The ways into the native search: one move of any native agent, or one iteration of an analysis."""

from __future__ import annotations

from typing import Any

import numpy as np

from knightfall.native.control import peek
from knightfall.native.jit import compiled
from knightfall.native.search import tree
from knightfall.native.search.block import Field, block_at
from knightfall.native.search.root import RANDOM, TREE, begin, bring_to_front, deepen, iterate
from knightfall.native.seeds import seed_of_words
from knightfall.native.state import legal_moves

_KIND = int(Field.KIND)
_KEY = int(Field.KEY)
_BEST_INDEX = int(Field.BEST_INDEX)
_PLAYOUT_LIMIT = int(Field.PLAYOUT_LIMIT)


@compiled
def choose(address: Any, state: Any) -> Any:
    """The move of the agent whose block is at that address; -1 where there is none."""
    block = block_at(address)
    empty, mover, other, to_move = state.empty, state.mover, state.other, state.to_move
    kind = peek(block, _KIND)
    if kind == TREE:
        if tree.plant(block, empty, mover, other, to_move) == 0:
            return -1
        return tree.grow(block, empty, mover, other, to_move, peek(block, _PLAYOUT_LIMIT))
    if kind == RANDOM:
        moves = legal_moves(state)
        if not moves:
            return -1
        word = seed_of_words(peek(block, _KEY), empty, mover, other, to_move)
        return tree.nth(moves, np.int64(word % np.uint64(len(moves))))
    return deepen(block, empty, mover, other, to_move)


@compiled
def start(address: Any, state: Any) -> Any:
    """Begin an analysis; the number of root moves."""
    block = block_at(address)
    if peek(block, _KIND) == TREE:
        return tree.plant(block, state.empty, state.mover, state.other, state.to_move)
    return begin(block, state.empty, state.mover, state.other, state.to_move)


@compiled
def one_iteration(address: Any, state: Any, count: Any, depth: Any) -> Any:
    """Search every root move to a depth; whether that was finished. The best move is first in the next one."""
    block = block_at(address)
    finished = iterate(block, state.empty, state.mover, state.other, count, depth)
    bring_to_front(block, peek(block, _BEST_INDEX))
    return finished


@compiled
def more_playouts(address: Any, state: Any, playouts: Any) -> Any:
    """Go on with a tree until it has that many playouts; the best move."""
    block = block_at(address)
    return tree.grow(block, state.empty, state.mover, state.other, state.to_move, playouts)
