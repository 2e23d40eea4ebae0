"""The ways into the native search: one function for each kind of agent, and what it is to do stands in the block.

All have one signature (see :func:`knightfall.native.search.calls.move_signature`), so that a game needs to know only
the address of each agent's function; the analysis of a position goes the same way, by another task. Thus the code that
one agent needs is compiled once, and that of other agents is not compiled with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from knightfall.native.block_access import block_at
from knightfall.native.control import peek
from knightfall.native.jit import compiled
from knightfall.native.search import tree
from knightfall.native.search.alphabeta import alphabeta
from knightfall.native.search.block import Block, Field
from knightfall.native.search.calls import (
    address_of,
    alphabeta_signature,
    minimax_signature,
    move_signature,
    refined_signature,
)
from knightfall.native.search.minimax import minimax
from knightfall.native.search.principal_variation import refined
from knightfall.native.search.root import (
    ALPHABETA,
    MINIMAX,
    RANDOM,
    REFINED,
    TREE,
    begin,
    bring_to_front,
    deepen,
    iterate,
)
from knightfall.native.seeds import seed_of_words
from knightfall.native.state import State, moves_from

MOVE, START, CONTINUE = range(3)
"""What can be asked for: a move; the start of an analysis; one more iteration, or more playouts, of an analysis."""


@compiled
def search_move(address: Any, state: Any) -> Any:
    """The move of an agent that searches by depth, or one step of its analysis."""
    block = block_at(address)
    empty, mover, other, to_move = state.empty, state.mover, state.other, state.to_move
    task = peek(block, Field.TASK)
    if task == START:
        return begin(block, empty, mover, other, to_move)
    if task == CONTINUE:
        finished = iterate(block, empty, mover, other, peek(block, Field.TASK_COUNT), peek(block, Field.TASK_DEPTH))
        bring_to_front(block, peek(block, Field.BEST_INDEX))
        return 1 if finished else 0
    return deepen(block, empty, mover, other, to_move)


@compiled
def tree_move(address: Any, state: Any) -> Any:
    """The move of an agent that grows a tree, or one step of its analysis."""
    block = block_at(address)
    empty, mover, other, to_move = state.empty, state.mover, state.other, state.to_move
    task = peek(block, Field.TASK)
    count = 1
    if task != CONTINUE:
        count = tree.plant(block, empty, mover, other, to_move)
    if task == START:
        return count
    if count == 0:
        return -1
    playouts = peek(block, Field.TASK_COUNT) if task == CONTINUE else peek(block, Field.PLAYOUT_LIMIT)
    return tree.grow(block, empty, mover, other, to_move, playouts)


@compiled
def random_move(address: Any, state: Any) -> Any:
    """The move of an agent that draws one."""
    moves = moves_from(state)
    if not moves:
        return -1
    word = seed_of_words(peek(block_at(address), Field.KEY), state.empty, state.mover, state.other, state.to_move)
    return tree.nth(moves, np.int64(word % np.uint64(len(moves))))


_ENTRIES: dict[int, Any] = {
    MINIMAX: search_move,
    ALPHABETA: search_move,
    REFINED: search_move,
    TREE: tree_move,
    RANDOM: random_move,
}
_KERNELS: dict[int, tuple[Any, Any]] = {
    MINIMAX: (minimax, minimax_signature),
    ALPHABETA: (alphabeta, alphabeta_signature),
    REFINED: (refined, refined_signature),
}


def prepare_kind(block: Block, kind: int, width: int) -> None:
    """Make a block that of an agent of this kind: what it runs is compiled or loaded, and its addresses written."""
    block[Field.KIND] = kind
    block[Field.ENTRY] = address_of(_ENTRIES[kind], move_signature(width))
    if kind in _KERNELS:
        function, signature = _KERNELS[kind]
        block[Field.KERNEL] = address_of(function, signature(width))


def is_compiled(kind: int, width: int) -> bool:
    """Whether what an agent of this kind runs is in the cache."""
    wanted = [(_ENTRIES[kind], move_signature(width))]
    if kind in _KERNELS:
        function, signature = _KERNELS[kind]
        wanted.append((function, signature(width)))
    return all(dispatcher._cache.holds(signature) for dispatcher, signature in wanted)


def perform(block: Block, state: State, task: int = MOVE, count: int = 0, depth: int = 0) -> int:
    """Do one task of the agent that a block belongs to.

    MOVE returns the square, or -1 if there is no move; START the number of root moves. CONTINUE searches ``count`` root
    moves to a depth and returns whether that was finished, or goes on with a tree until it has ``count`` playouts and
    returns the best move.
    """
    entry = _ENTRIES[block[Field.KIND]]
    if task == MOVE:  # as the block says whenever no analysis is at work, for games
        return int(entry(block.address, state))
    block[Field.TASK], block[Field.TASK_COUNT], block[Field.TASK_DEPTH] = task, count, depth
    try:
        return int(entry(block.address, state))
    finally:
        block[Field.TASK] = MOVE
