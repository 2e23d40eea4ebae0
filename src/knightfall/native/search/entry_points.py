"""The entry points of the native search: one function per kind of agent. The block says what it should do.

All of them have the same signature (see :func:`knightfall.native.search.calls.move_signature`), so a game needs only
the address of each agent's function. The analysis of a position uses the same functions, with other tasks. So only the
code that an agent needs is compiled, and only once.
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
"""The tasks: choose a move; start an analysis; run one more iteration, or more playouts, of an analysis."""


@compiled
def search_move(address: Any, state: Any) -> Any:
    """Return the move of an agent that searches by depth, or do one step of its analysis."""
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
    """Return the move of an agent that grows a tree, or do one step of its analysis."""
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
    """Return the move of an agent that plays random moves."""
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
    """Prepare a block for an agent of this kind: compile or load its code, and write the addresses."""
    block[Field.KIND] = kind
    block[Field.ENTRY] = address_of(_ENTRIES[kind], move_signature(width))
    if kind in _KERNELS:
        function, signature = _KERNELS[kind]
        block[Field.KERNEL] = address_of(function, signature(width))


def is_compiled(kind: int, width: int) -> bool:
    """Return whether the code for an agent of this kind is in the cache."""
    wanted = [(_ENTRIES[kind], move_signature(width))]
    if kind in _KERNELS:
        function, signature = _KERNELS[kind]
        wanted.append((function, signature(width)))
    return all(dispatcher._cache.holds(signature) for dispatcher, signature in wanted)


def perform(block: Block, state: State, task: int = MOVE, count: int = 0, depth: int = 0) -> int:
    """Run one task of the agent that a block belongs to.

    MOVE returns the square, or -1 if there is no move. START returns the number of root moves. For a search, CONTINUE
    searches ``count`` root moves to ``depth`` and returns whether this was finished. For a tree, it continues until
    there are ``count`` playouts and returns the best move.
    """
    entry = _ENTRIES[block[Field.KIND]]
    if task == MOVE:  # the block contains MOVE whenever no analysis is running, for games
        return int(entry(block.address, state))
    block[Field.TASK], block[Field.TASK_COUNT], block[Field.TASK_DEPTH] = task, count, depth
    try:
        return int(entry(block.address, state))
    finally:
        block[Field.TASK] = MOVE
