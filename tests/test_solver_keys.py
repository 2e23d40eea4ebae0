"""The exact keys of the solver's tables: no two positions share one."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from strategies import positions

from knightfall.native.block_access import block_at
from knightfall.native.solve.block import Field, SolverBlock
from knightfall.native.solve.facts import find_key, least_bits, scrambled
from knightfall.native.state import State
from knightfall.rules import Geometry, Position


def _scrambled_all(squares: Any) -> Any:
    """What becomes of every number of that many bits."""
    found = np.zeros(1 << squares, np.uint64)
    for word in range(1 << squares):
        found[word] = scrambled(np.uint64(word), squares)
    return found


def _scrambled_each(words: Any, squares: Any) -> Any:
    """What becomes of each of these numbers."""
    found = np.zeros(len(words), np.uint64)
    for at in range(len(words)):
        found[at] = scrambled(words[at], squares)
    return found


def _key(address: Any, state: Any) -> Any:
    """The index and the mark of a position."""
    return find_key(block_at(address), state.empty, state.mover, state.other)


# Compiled as values and not by a decorator: mypy knows nothing of Numba's.
scrambled_all: Any = njit(_scrambled_all)


scrambled_each: Any = njit(_scrambled_each)


key: Any = njit(_key)


@pytest.mark.parametrize("squares", range(2, 19))
def test_no_two_sets_of_a_small_board_are_scrambled_alike(squares: int) -> None:
    found = scrambled_all(squares).tolist()
    assert sorted(found) == list(range(1 << squares))


@pytest.mark.parametrize("squares", [25, 30, 36, 48, 49, 50, 56, 63, 64])
def test_no_two_sets_of_a_large_board_are_scrambled_alike(squares: int) -> None:
    chance = random.Random(squares)
    words = [chance.getrandbits(squares) for _ in range(20_000)]
    # Sets that differ in one square are the likeliest to meet.
    words += [word ^ 1 << chance.randrange(squares) for word in words] + [1 << square for square in range(squares)]
    words += [0, (1 << squares) - 1]
    found = scrambled_each(np.array(words, np.uint64), squares).tolist()
    assert len(set(found)) == len(set(words))
    assert max(found) < 1 << squares
    assert [unscrambled(word, squares) for word in found] == words


def unscrambled(word: int, squares: int) -> int:
    """The word back from what it was scrambled to: that this can be done shows that no two are scrambled alike."""
    mask = (1 << squares) - 1
    for factor in (0xD6E8FEB86659FD93, 0x9E3779B97F4A7C15):
        word = unshifted(word, squares // 2) * pow(factor, -1, 1 << squares) & mask
    return word


def unshifted(word: int, by: int) -> int:
    """The number that, xor itself shifted to the right, gives this one."""
    found = word
    for _ in range(64 // by):
        found = word ^ found >> by
    return found


NARROW = [(7, 7), (8, 8), (5, 5), (3, 4), (9, 7), (64, 1), (2, 1)]


@pytest.mark.parametrize("size", NARROW, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("more", [0, 1, 7])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_index_and_mark_tell_the_position(size: tuple[int, int], more: int, data: st.DataObject) -> None:
    geometry = Geometry(*size)
    bits = least_bits(geometry.size) + more
    block = SolverBlock(geometry)
    block[Field.FACT_BITS] = bits
    position = data.draw(positions(geometry, placed=True))
    state = State.of(position)
    index, mark = key(block.address, state)
    assert 0 <= index < 1 << bits
    assert 0 <= mark < 1 << 58  # six bits of a word are for the verdict
    mover, other = mark >> 6 & 63, mark & 63
    spread = ((mark & 4095) * 0xC2B2AE3D27D4EB4F & (1 << 64) - 1) >> 20
    word = (mark >> 12) << bits | (index ^ spread) & (1 << bits) - 1
    assert (unscrambled(word, geometry.size), mover, other) == (state.low, state.mover, state.other)


@pytest.mark.parametrize("size", NARROW[:4], ids=lambda size: f"{size[0]}x{size[1]}")
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_two_positions_never_share_index_and_mark(size: tuple[int, int], data: st.DataObject) -> None:
    geometry = Geometry(*size)
    block = SolverBlock(geometry)
    block[Field.FACT_BITS] = least_bits(geometry.size)
    position = data.draw(positions(geometry, placed=True))
    first, second = position.locations
    assert first is not None
    assert second is not None
    # The nearest ones: another square used or not, the knights changed about, a knight elsewhere.
    near = {position}
    for square in range(geometry.size):
        if square not in (first, second):
            used = position.used_bits | 1 << square
            near.add(Position(geometry, position.locations, position.used_bits ^ 1 << square, position.to_move))
            near.add(Position(geometry, (square, second), used, position.to_move))
            near.add(Position(geometry, (second, square), used, position.to_move))
    states = [State.of(each) for each in near]
    told = {(state.low, state.mover, state.other) for state in states}
    assert len({key(block.address, state) for state in states}) == len(told)
