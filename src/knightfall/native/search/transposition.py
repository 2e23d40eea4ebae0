"""The transposition table: the results of positions that were searched before.

An entry has four words: the empty squares (two words), then locations, remaining depth, bound, best move and generation
(one word), then the value. It contains the whole position, so there are no false hits. Two entries share a cache line:
the first keeps the deeper position, the second takes new entries that the first does not accept. A new search begins a
new generation, which empties the table without writing to it.

If the heuristic allows it, positions that are images of each other under a symmetry of the root position share an
entry. The key is the smallest image, and the best move is stored as a move in that image.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from knightfall.native.bits import single
from knightfall.native.control import peek, write
from knightfall.native.jit import part
from knightfall.native.memory import float_bits, float_from_bits, load_byte, load_word, store_byte, store_word
from knightfall.native.search.block import ACTIVE_SYMMETRIES, PERMUTATION, Field
from knightfall.native.search.order import NO_MOVE
from knightfall.native.seeds import high_word, low_word

ENTRY = 4  # words
BUCKET = 2 * ENTRY
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
_GENERATIONS = (1 << 16) - 1

_FOLDED_PLIES = 12
"""Symmetric positions are detected up to this number of plies below the root. Deeper, they are rare and cost more."""


@part
def renew(block: Any, searcher: Any, count: Any) -> None:
    """Begin a new generation, unless results of the same player from earlier in the game should be reused."""
    same = peek(block, Field.LAST_SEARCHER) == searcher and peek(block, Field.LAST_COUNT) < count
    write(block, Field.LAST_SEARCHER, searcher)
    write(block, Field.LAST_COUNT, count)
    if peek(block, Field.TABLE) == 0 or (same and peek(block, Field.REUSE) != 0):
        return
    generation = peek(block, Field.GENERATION) + 1
    if generation > _GENERATIONS:
        table = peek(block, Field.TABLE)
        for word in range((peek(block, Field.TABLE_MASK) + 1) * BUCKET):
            store_word(table, word, 0)
        generation = 1
    write(block, Field.GENERATION, generation)


@part
def find_symmetries(block: Any, empty: Any, mover: Any, other: Any) -> None:
    """List the symmetries that leave the root position unchanged. Positions below it can be folded under them."""
    table = peek(block, Field.SYMMETRIES)
    count = 0
    for symmetry in range(1, peek(block, Field.SYMMETRY_TOTAL) + 1):
        at = (symmetry - 1) * 2 * PERMUTATION
        same = load_byte(table, at + mover) == mover and load_byte(table, at + other) == other
        if same:
            for square in empty:
                if load_byte(table, at + square) not in empty:
                    same = False
                    break
        if same:
            store_byte(table, ACTIVE_SYMMETRIES + count, symmetry)
            count += 1
    write(block, Field.SYMMETRY_COUNT, count)


@part
def make_key(block: Any, empty: Any, mover: Any, other: Any, root_empty: Any) -> None:
    """Write the key of a position into the block."""
    low, high = low_word(empty), high_word(empty)
    locations = mover << 8 | other
    best = 0
    count = peek(block, Field.SYMMETRY_COUNT)
    if count > 0:
        changed = root_empty - empty
        if len(changed) <= _FOLDED_PLIES:
            table = peek(block, Field.SYMMETRIES)
            for active in range(count):
                symmetry = load_byte(table, ACTIVE_SYMMETRIES + active)
                at = (symmetry - 1) * 2 * PERMUTATION
                image = root_empty
                for square in changed:
                    image -= single(image, load_byte(table, at + square))
                image_low, image_high = low_word(image), high_word(image)
                image_locations = load_byte(table, at + mover) << 8 | load_byte(table, at + other)
                if image_high < high or (
                    image_high == high and (image_low < low or (image_low == low and image_locations < locations))
                ):
                    low, high, locations, best = image_low, image_high, image_locations, symmetry
    write(block, Field.KEY_LOW, low)
    write(block, Field.KEY_HIGH, high)
    write(block, Field.KEY_LOCATIONS, locations)
    write(block, Field.KEY_SYMMETRY, best)


@part
def bucket_of(block: Any, low: Any, high: Any, locations: Any) -> Any:
    """Return the index of the bucket for a key."""
    word = np.uint64(low) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(high) * np.uint64(0xC2B2AE3D27D4EB4F)
    word = (word ^ (word >> np.uint64(29))) + np.uint64(locations) * np.uint64(0x165667B19E3779F9)
    word = (word ^ (word >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return np.int64(word >> np.uint64(24)) & peek(block, Field.TABLE_MASK)


@part
def find(block: Any, low: Any, high: Any, locations: Any) -> Any:
    """Return the entry for a key, as words from the beginning of the table; -1 if not found."""
    table = peek(block, Field.TABLE)
    wanted = locations | peek(block, Field.GENERATION) << 48
    at = bucket_of(block, low, high, locations) * BUCKET
    for entry in (at, at + ENTRY):
        if (
            load_word(table, entry) == low
            and load_word(table, entry + 1) == high
            and load_word(table, entry + 2) & _IDENTITY == wanted
        ):
            return entry
    return -1


_IDENTITY = np.int64(-(1 << 48) | 0xFFFF)


@part
def entry_depth(meta: Any) -> Any:
    """Return the remaining depth to which an entry was searched."""
    return meta >> 16 & 255


@part
def entry_bound(meta: Any) -> Any:
    """Return whether an entry's value is EXACT, AT_LEAST or AT_MOST."""
    return meta >> 24 & 255


@part
def entry_move(block: Any, meta: Any, symmetry: Any) -> Any:
    """Return the best move of an entry, converted back from the stored image; NO_MOVE if unknown."""
    move = meta >> 32 & 255
    if symmetry > 0 and move != NO_MOVE:
        return load_byte(peek(block, Field.SYMMETRIES), ((symmetry - 1) * 2 + 1) * PERMUTATION + move)
    return move


@part
def entry_value(block: Any, entry: Any) -> Any:
    """Return the value of an entry."""
    return float_from_bits(load_word(peek(block, Field.TABLE), entry + 3))


@part
def remember(
    block: Any, low: Any, high: Any, locations: Any, symmetry: Any, depth: Any, bound: Any, move: Any, value: Any
) -> None:
    """Store the result of a position in the table."""
    table = peek(block, Field.TABLE)
    generation = peek(block, Field.GENERATION)
    at = bucket_of(block, low, high, locations) * BUCKET
    if symmetry > 0 and move != NO_MOVE:
        move = load_byte(peek(block, Field.SYMMETRIES), (symmetry - 1) * 2 * PERMUTATION + move)
    meta = locations | depth << 16 | bound << 24 | move << 32 | generation << 48
    old = load_word(table, at + 2)
    same = load_word(table, at) == low and load_word(table, at + 1) == high and (old ^ meta) & _IDENTITY == 0
    if not same and (old ^ meta) >> 48 == 0 and entry_depth(old) > depth:
        at += ENTRY
    store_word(table, at, low)
    store_word(table, at + 1, high)
    store_word(table, at + 2, meta)
    store_word(table, at + 3, float_bits(value))
