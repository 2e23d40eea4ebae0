"""Distance: how many moves a decided game lasts when the winner hurries and the loser delays.

The search answers a yes-or-no question: does the winner win within a number of plies? The first number with the answer
yes is the distance. The answers are stored as bounds in a separate table. An entry has four words and contains the
whole position. A bucket has two entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from knightfall.native.bits import BitsType, single
from knightfall.native.block_access import block_at, tables_in
from knightfall.native.board_tables import jumps_from
from knightfall.native.control import control_type, peek
from knightfall.native.itself import call_of_itself
from knightfall.native.jit import compiled, part
from knightfall.native.memory import load_word, store_word
from knightfall.native.seeds import high_word, low_word
from knightfall.native.solve.block import ROW, Field
from knightfall.native.solve.facts import UNKNOWN, WON, find_key
from knightfall.native.solve.winloss import at_once, ordered, step, wins

ENTRY_BYTES = 32
BUCKET_BYTES = 2 * ENTRY_BYTES
_NEVER = 255
_ASK_FACTS = 10  # with at least this many empty squares, first find out who wins, because this is much cheaper
_TABLE_FROM = 8


@part
def bucket(block: Any, low: Any, high: Any, who: Any) -> Any:
    """Return the address of the bucket of a position."""
    word = np.uint64(low) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(high) * np.uint64(0xC2B2AE3D27D4EB4F)
    word = ((word ^ (word >> np.uint64(29))) + np.uint64(who)) * np.uint64(0xD6E8FEB86659FD93)
    return (
        peek(block, Field.DISTANCES)
        + (np.int64(word >> np.uint64(24)) & peek(block, Field.DISTANCE_MASK)) * BUCKET_BYTES
    )


@part
def bounds(block: Any, low: Any, high: Any, who: Any) -> Any:
    """Return the most plies known to be too few, and the fewest plies known to be enough."""
    at = bucket(block, low, high, who)
    for slot in range(2):
        entry = at + slot * ENTRY_BYTES
        if load_word(entry, 2) == who and load_word(entry, 0) == low and load_word(entry, 1) == high:
            known = load_word(entry, 3)
            return known & 255, known >> 8 & 255
    return 0, _NEVER


@part
def keep_bounds(block: Any, low: Any, high: Any, who: Any, too_few: Any, enough: Any, size: Any) -> None:
    """Store both bounds. An old entry with more empty squares stays; the new one then takes the second slot."""
    at = bucket(block, low, high, who)
    same = load_word(at, 2) == who and load_word(at, 0) == low and load_word(at, 1) == high
    if not same and load_word(at, 2) != 0 and load_word(at, 3) >> 16 > size:
        at += ENTRY_BYTES
    store_word(at, 0, low)
    store_word(at, 1, high)
    store_word(at, 2, who)
    store_word(at, 3, too_few | enough << 8 | size << 16)


@intrinsic
def _within_itself(context: Any, block: Any, empty: Any, mover: Any, other: Any, plies: Any, attacking: Any) -> Any:
    """Call :func:`within` recursively."""
    word = types.int64
    return call_of_itself(types.boolean(control_type, BitsType(empty.width), word, word, word, types.boolean))


@part
def within(block: Any, empty: Any, mover: Any, other: Any, plies: Any, attacking: Any) -> Any:
    """Return whether the winner wins within ``plies``. ``attacking`` says that the winner is to move.

    The result has no meaning if the search was stopped.
    """
    tables = tables_in(block, empty)
    soon = at_once(tables, empty, mover, other)
    if soon != UNKNOWN:
        # If the attacker wins at once, it takes one ply. If the defender loses at once, it takes none.
        return attacking == (soon == WON)
    if plies <= 1:
        return False
    size = len(empty)
    low = high = np.int64(0)
    who = mover << 8 | other << 1 | 1 << 20
    if attacking:
        who |= 1
    too_few, enough = 0, _NEVER
    if size >= _TABLE_FROM:
        low, high = np.int64(low_word(empty)), np.int64(high_word(empty))
        too_few, enough = bounds(block, low, high, who)
        if plies <= too_few:
            return False
        if plies >= enough:
            return True
    if size >= _ASK_FACTS and too_few == 0:
        index, mark = find_key(block, empty, mover, other)
        won = wins(block, empty, mover, other, index, mark)
        if peek(block, Field.STOPPED) != 0:
            return False
        if won != attacking:
            keep_bounds(block, low, high, who, _NEVER - 1, _NEVER, size)
            return False
    row = peek(block, Field.SCRATCH) + size * ROW * 8
    found = not attacking
    # Moves that lose at once are excluded. The attacker never makes such a move, and with it the defender lasts two
    # plies.
    for at in range(ordered(block, tables, empty, mover, other, size)):
        square = load_word(row, at) >> 8 & 255
        if step(block):
            return False
        answer = _within_itself(block, empty - single(empty, square), other, square, plies - 1, not attacking)
        if peek(block, Field.STOPPED) != 0:
            return False
        if answer == attacking:
            found = attacking
            break
    if size >= _TABLE_FROM:
        if found:
            keep_bounds(block, low, high, who, too_few, plies, size)
        else:
            keep_bounds(block, low, high, who, plies, enough, size)
    return found


@compiled
def distance(address: Any, state: Any, won: Any, least: Any, most: Any) -> Any:
    """Return the number of plies that the game lasts, from ``least`` to ``most``; -1 if the budget ended first.

    ``won`` says whether the player to move wins. The winner makes the last move, so only every second number is
    possible.
    """
    block = block_at(address)
    empty, mover, other = state.empty, state.mover, state.other
    plies = least
    if plies & 1 != (1 if won else 0):
        plies += 1
    if not (jumps_from(tables_in(block, empty), mover) & empty):
        return 0
    while plies <= most:
        if within(block, empty, mover, other, plies, won):
            return plies
        if peek(block, Field.STOPPED) != 0:
            return -1
        plies += 2
    return -1
