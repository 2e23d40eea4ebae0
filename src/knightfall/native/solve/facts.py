"""The table of facts: positions that are known to be won or lost. A fact never becomes invalid.

On boards of up to 64 squares an entry is one word. Nevertheless the whole position can be read from it, so that it is
never mistaken for another position:

- the set of empty squares, a number of as many bits as the board has squares, is scrambled by steps that can be undone
  (multiplication by an odd number, a number xor its own upper half);
- the index of the bucket is the low bits of the scrambled set, xor bits that depend on the two locations;
- the entry holds the remaining bits of the scrambled set, both locations, the verdict, and how much work it was.

The index and the entry together determine the position. A word is written in one step, so two threads can share the
table without locks. A bucket has four entries; the one that took the least work is replaced.

On larger boards an entry is three words that hold the unchanged position, in buckets of two. These tables belong to one
thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from knightfall.native.control import peek, write
from knightfall.native.extending import overload
from knightfall.native.jit import compiled, part
from knightfall.native.memory import load_word, store_word
from knightfall.native.seeds import high_word, low_word
from knightfall.native.solve.block import Field

UNKNOWN, LOST, WON = 0, 1, 2

BUCKET_BYTES = {64: 32, 128: 64}
"""Bytes per bucket, by the width of the board's sets."""

SPARE = 6  # bits of an entry below the key: verdict and work
_LOCATIONS = 12
_SLOTS = 4


_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xD6E8FEB86659FD93)
_THIRD = np.uint64(0xC2B2AE3D27D4EB4F)


def least_bits(squares: int) -> int:
    """Return the least number of bits of an index so that an entry for a board of this size fits into one word."""
    return max(squares + _LOCATIONS + SPARE - 64, 10) if squares <= 64 else 10


@part
def scrambled(word: Any, squares: Any) -> Any:
    """Return a number of ``squares`` bits, each of which depends on many bits of the word. This is a bijection."""
    mask = ~np.uint64(0) >> np.uint64(64 - squares)
    half = np.uint64(squares >> 1)
    word = (word * _FIRST) & mask
    word ^= word >> half
    word = (word * _SECOND) & mask
    return word ^ (word >> half)


def find_key(block: Any, empty: Any, mover: Any, other: Any) -> Any:
    """Return the index of a position's bucket and the mark that identifies it there."""
    raise NotImplementedError


@overload(find_key)
def _find_key(block: Any, empty: Any, mover: Any, other: Any) -> Any:
    def narrow(block: Any, empty: Any, mover: Any, other: Any) -> Any:
        bits = peek(block, Field.FACT_BITS)
        word = scrambled(low_word(empty), peek(block, Field.SQUARES))
        locations = np.uint64(mover << 6 | other)
        spread = (locations * _THIRD) >> np.uint64(20)
        index = (word ^ spread) & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1))
        return np.int64(index), np.int64((word >> np.uint64(bits)) << np.uint64(_LOCATIONS) | locations)

    def wide(block: Any, empty: Any, mover: Any, other: Any) -> Any:
        locations = mover << 7 | other
        word = low_word(empty) * _FIRST ^ high_word(empty) * _THIRD
        word = ((word ^ (word >> np.uint64(29))) + np.uint64(locations) * _SECOND) * _FIRST
        mask = (np.uint64(1) << np.uint64(peek(block, Field.FACT_BITS))) - np.uint64(1)
        return np.int64((word >> np.uint64(24)) & mask), locations

    return narrow if empty.width == 64 else wide


def fact(block: Any, empty: Any, index: Any, mark: Any) -> Any:
    """Return the stored result of a position for its player to move: UNKNOWN, LOST or WON."""
    raise NotImplementedError


@overload(fact)
def _fact(block: Any, empty: Any, index: Any, mark: Any) -> Any:
    def narrow(block: Any, empty: Any, index: Any, mark: Any) -> Any:
        bucket = peek(block, Field.FACTS) + index * 32
        for slot in range(_SLOTS):
            entry = load_word(bucket, slot)
            if (entry ^ (mark << SPARE)) & ~np.int64(63) == 0:
                return entry & 3
        return UNKNOWN

    def wide(block: Any, empty: Any, index: Any, mark: Any) -> Any:
        bucket = peek(block, Field.FACTS) + index * 64
        low, high = np.int64(low_word(empty)), np.int64(high_word(empty))
        for slot in range(2):
            entry = load_word(bucket, slot * 4 + 2)
            if (
                entry >> SPARE == mark
                and load_word(bucket, slot * 4) == low
                and load_word(bucket, slot * 4 + 1) == high
            ):
                return entry & 3
        return UNKNOWN

    return narrow if empty.width == 64 else wide


def note(block: Any, empty: Any, index: Any, mark: Any, verdict: Any, work: Any) -> Any:
    """Store the result of a position. ``work`` from 0 to 15 says how hard it was to find."""
    raise NotImplementedError


@overload(note)
def _note(block: Any, empty: Any, index: Any, mark: Any, verdict: Any, work: Any) -> Any:
    def narrow(block: Any, empty: Any, index: Any, mark: Any, verdict: Any, work: Any) -> Any:
        bucket = peek(block, Field.FACTS) + index * 32
        entry = mark << SPARE | work << 2 | verdict
        chosen, least = 0, 1 << 60
        for slot in range(_SLOTS):
            old = load_word(bucket, slot)
            rank = (old >> 2 & 15) if old != 0 else -1
            if (old ^ entry) & ~np.int64(63) == 0:
                rank = -2
            if rank < least:
                chosen, least = slot, rank
        if least == -1:
            write(block, Field.STORED, peek(block, Field.STORED) + 1)
        store_word(bucket, chosen, entry)

    def wide(block: Any, empty: Any, index: Any, mark: Any, verdict: Any, work: Any) -> Any:
        bucket = peek(block, Field.FACTS) + index * 64
        low, high = np.int64(low_word(empty)), np.int64(high_word(empty))
        chosen, least = 0, 1 << 60
        for slot in range(2):
            old = load_word(bucket, slot * 4 + 2)
            rank = (old >> 2 & 15) if old != 0 else -1
            if old >> SPARE == mark and load_word(bucket, slot * 4) == low and load_word(bucket, slot * 4 + 1) == high:
                rank = -2
            if rank < least:
                chosen, least = slot, rank
        if least == -1:
            write(block, Field.STORED, peek(block, Field.STORED) + 1)
        store_word(bucket, chosen * 4, low)
        store_word(bucket, chosen * 4 + 1, high)
        store_word(bucket, chosen * 4 + 2, mark << SPARE | work << 2 | verdict)

    return narrow if empty.width == 64 else wide


@intrinsic
def fetch_early(context: Any, address: Any) -> Any:
    """Prefetch the memory at an address, which will be needed soon."""

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        function = cgutils.get_or_insert_function(
            b.module, ir.FunctionType(ir.VoidType(), [byte, number, number, number]), "llvm.prefetch.p0"
        )
        constants = [ir.Constant(number, value) for value in (0, 3, 1)]  # read access, keep in cache, data
        b.call(function, [b.inttoptr(args[0], byte), *constants])
        return c.get_dummy_value()

    return types.void(types.int64), codegen


def fetch_fact(block: Any, empty: Any, index: Any) -> Any:
    """Prefetch a bucket that will be needed soon."""
    raise NotImplementedError


@overload(fetch_fact)
def _fetch_fact(block: Any, empty: Any, index: Any) -> Any:
    if empty.width == 64:
        return lambda block, empty, index: fetch_early(peek(block, Field.FACTS) + index * 32)
    return lambda block, empty, index: fetch_early(peek(block, Field.FACTS) + index * 64)


@compiled
def move_facts(old: Any, old_bits: Any, new: Any, new_bits: Any, squares: Any) -> Any:
    """Copy the facts of a table for narrow boards into a larger one; return the number of copied facts."""
    moved = 0
    for index in range(1 << old_bits):
        for slot in range(_SLOTS):
            entry = load_word(old + index * 32, slot)
            if entry == 0:
                continue
            mark = np.uint64(entry) >> np.uint64(SPARE)
            locations = mark & np.uint64((1 << _LOCATIONS) - 1)
            spread = (locations * _THIRD) >> np.uint64(20)
            low = (np.uint64(index) ^ spread) & ((np.uint64(1) << np.uint64(old_bits)) - np.uint64(1))
            word = (mark >> np.uint64(_LOCATIONS)) << np.uint64(old_bits) | low
            target = np.int64((word ^ spread) & ((np.uint64(1) << np.uint64(new_bits)) - np.uint64(1)))
            kept = (word >> np.uint64(new_bits)) << np.uint64(_LOCATIONS) | locations
            for place in range(_SLOTS):
                if load_word(new + target * 32, place) == 0:
                    store_word(new + target * 32, place, np.int64(kept << np.uint64(SPARE)) | (entry & 63))
                    moved += 1
                    break
    return moved
