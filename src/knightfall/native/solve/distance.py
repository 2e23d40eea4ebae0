"""Distance: how many moves a decided game lasts when the winner hurries and the loser delays.

The question is put as one of yes or no: does the winner win within so many plies? The first number for which the answer
is yes is the distance. Answers are kept in a table of their own, as bounds; an entry is four words that hold the
position as it is, in buckets of two.
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
_ASK_FACTS = 10  # with this many empty squares or more, who wins is asked first: it is much cheaper
_TABLE_FROM = 8


@part
def bucket(block: Any, low: Any, high: Any, who: Any) -> Any:
    """The address of the bucket of a position."""
    word = np.uint64(low) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(high) * np.uint64(0xC2B2AE3D27D4EB4F)
    word = ((word ^ (word >> np.uint64(29))) + np.uint64(who)) * np.uint64(0xD6E8FEB86659FD93)
    return (
        peek(block, Field.DISTANCES)
        + (np.int64(word >> np.uint64(24)) & peek(block, Field.DISTANCE_MASK)) * BUCKET_BYTES
    )


@part
def bounds(block: Any, low: Any, high: Any, who: Any) -> Any:
    """The most plies known not to suffice, and the fewest known to."""
    at = bucket(block, low, high, who)
    for slot in range(2):
        entry = at + slot * ENTRY_BYTES
        if load_word(entry, 2) == who and load_word(entry, 0) == low and load_word(entry, 1) == high:
            known = load_word(entry, 3)
            return known & 255, known >> 8 & 255
    return 0, _NEVER


@part
def keep_bounds(block: Any, low: Any, high: Any, who: Any, too_few: Any, enough: Any, size: Any) -> None:
    """Write both bounds down. Of two entries the one with more empty squares stays."""
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
    """The recursion of :func:`within`."""
    word = types.int64
    return call_of_itself(types.boolean(control_type, BitsType(empty.width), word, word, word, types.boolean))


@part
def within(block: Any, empty: Any, mover: Any, other: Any, plies: Any, attacking: Any) -> Any:
    """Whether the player who is to win does so within that many plies; ``attacking`` says that it is to move.

    Means nothing when the search was stopped.
    """
    tables = tables_in(block, empty)
    soon = at_once(tables, empty, mover, other)
    if soon != UNKNOWN:
        # Won at once by the attacker means one ply; lost at once by the defender means none.
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
    # Moves that lose at once are not among these: no attacker makes them, and a defender lasts two plies by them.
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
    """The number of plies the game lasts, from ``least`` up to ``most``; -1 when the budget ended first.

    ``won`` says whether the player to move wins. The winner makes the last move, so only every other number can be.
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
