"""A whole game between two native agents in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from knightfall.native.block_access import block_at
from knightfall.native.control import now, peek
from knightfall.native.jit import compiled
from knightfall.native.memory import float_bits, store_word
from knightfall.native.search.block import Field, peek_float
from knightfall.native.search.calls import move_at
from knightfall.native.search.root import RANDOM
from knightfall.native.state import moves_from, state_after

RECORD = np.dtype([("square", "i8"), ("nodes", "i8"), ("depth", "i8"), ("value", "f8"), ("nanoseconds", "i8")])
"""The recorded data of a move."""

ILLEGAL = -1

_WORDS = RECORD.itemsize // 8


@compiled
def play_game(first: Any, second: Any, state: Any, records: Any) -> Any:
    """Play from a state to the end; return the number of moves, or ILLEGAL if an agent made an illegal move.

    ``first`` and ``second`` are the addresses of the agents' blocks. ``records`` is the address of enough memory for
    all moves. The player to move after the last move cannot move and has lost.
    """
    count = 0
    while True:
        address = first if state.to_move == 1 else second
        began = now()
        square = move_at(address, state)
        if square < 0:
            return count
        if square not in moves_from(state):
            return ILLEGAL
        block = block_at(address)
        searched = peek(block, Field.KIND) != RANDOM
        at = count * _WORDS
        store_word(records, at, square)
        store_word(records, at + 1, peek(block, Field.NODES) if searched else 0)
        store_word(records, at + 2, peek(block, Field.BEST_DEPTH) if searched else 0)
        store_word(records, at + 3, float_bits(peek_float(block, Field.BEST_VALUE) if searched else 0.0))
        store_word(records, at + 4, now() - began)
        state = state_after(state, square)
        count += 1
