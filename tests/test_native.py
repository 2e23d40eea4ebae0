"""The compiled core against the rules in plain Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from strategies import ALL_SIZES, positions

from knightfall.bench.perft import perft_in_python
from knightfall.catalogue.loader import load
from knightfall.native.batch import evaluate_many
from knightfall.native.bits import lowest, none_of, single, without_lowest
from knightfall.native.board_tables import (
    all_squares,
    board_height,
    board_size,
    board_width,
    colour_one,
    column_of,
    row_of,
)
from knightfall.native.control import Control
from knightfall.native.flood import flood
from knightfall.native.perft import divide, perft
from knightfall.native.spread import jumps_from_any, links_between
from knightfall.native.state import State, is_over, legal_moves, make_state, play
from knightfall.native.view import View
from knightfall.rules import Geometry, KnightfallError, Position

# Compiled once per width and used on every board of that width. Not kept between runs: the engine's cache folder
# knows nothing of this file.


@njit
def squares_of(state: Any) -> Any:
    """The legal moves as a list of squares."""
    moves = []
    for square in legal_moves(state):
        moves.append(square)
    return moves


@njit
def with_empty(state: Any, empty: Any) -> Any:
    """A state that carries a set out to Python as its empty squares."""
    return make_state(state.tables, empty, state.mover, state.other, state.to_move)


@njit
def set_operations(state: Any, other: Any, square: Any) -> Any:
    """Every operation of two sets that gives a set."""
    a, b = state.empty, other.empty
    c, d, e, f = a, a, a, a
    c &= b
    d |= b
    e ^= b
    f -= b
    return (
        with_empty(state, a & b),
        with_empty(state, a | b),
        with_empty(state, a ^ b),
        with_empty(state, a - b),
        with_empty(state, ~a & all_squares(state.tables)),
        with_empty(state, c),
        with_empty(state, d),
        with_empty(state, e),
        with_empty(state, f),
        with_empty(state, single(a, square)),
        with_empty(state, none_of(a)),
        with_empty(state, without_lowest(a)),
    )


@njit
def set_facts(state: Any, other: Any, square: Any) -> Any:
    """Every operation of two sets that gives a number or a truth."""
    a, b = state.empty, other.empty
    least = lowest(a) if a else -1
    return len(a), least, square in a, a == b, a != b, bool(a), not a


@njit
def region(state: Any) -> Any:
    """What the mover can still reach, carried out as empty squares."""
    return with_empty(state, flood(state.tables, state.mover, state.empty))


@njit
def spread(state: Any) -> Any:
    """What is a jump away from the empty squares, carried out as empty squares; and the jumps between these."""
    return with_empty(state, jumps_from_any(state.tables, state.empty)), links_between(state.tables, state.empty)


@njit
def board_facts(state: Any) -> Any:
    """What the tables say about the board and each of its squares."""
    tables = state.tables
    squares = [(row_of(tables, s), column_of(tables, s), s in colour_one(tables)) for s in all_squares(tables)]
    return board_width(tables), board_height(tables), board_size(tables), squares


def bits_of(state: State) -> int:
    return state.high << 64 | state.low


@pytest.mark.parametrize("size", ALL_SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_native_equals_rules(size: tuple[int, int], data: st.DataObject) -> None:
    position = data.draw(positions(Geometry(*size)))
    state = State.of(position)
    assert state.position() == position
    legal = position.legal_moves()
    assert tuple(squares_of(state)) == legal
    assert is_over(state) == position.is_over
    for square in legal:
        assert play(state, square).position() == position.play(square)
    for depth in (1, 2, 3):
        assert perft(position, depth) == perft_in_python(position, depth)
    assert perft(position, 0) == 1


@pytest.mark.parametrize("size", ALL_SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_tables_equal_geometry(size: tuple[int, int]) -> None:
    geometry = Geometry(*size)
    squares = [(*geometry.coordinates(s), geometry.colour(s) == 1) for s in range(geometry.size)]
    assert board_facts(State.of(Position.start(geometry))) == (*size, geometry.size, squares)


@pytest.mark.parametrize("size", [(7, 7), (8, 8), (11, 9), (11, 11), (128, 1), (16, 8), (1, 1)])
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_sets_behave_like_pythons_integers(size: tuple[int, int], data: st.DataObject) -> None:
    geometry = Geometry(*size)
    everything = (1 << geometry.size) - 1
    a = data.draw(st.integers(0, everything))
    b = data.draw(st.integers(0, everything) | st.just(a))
    square = data.draw(st.integers(0, geometry.size - 1))
    first, second = (State.of(Position(geometry, (None, None), everything & ~bits, 1)) for bits in (a, b))
    results = [bits_of(state) for state in set_operations(first, second, square)]
    assert results[:5] == [a & b, a | b, a ^ b, a & ~b, everything & ~a]
    assert results[5:9] == results[:4]
    assert results[9:] == [1 << square, 0, a & (a - 1) if a else 0]
    least = (a & -a).bit_length() - 1
    assert set_facts(first, second, square) == (
        a.bit_count(),
        least,
        bool(a >> square & 1),
        a == b,
        a != b,
        a != 0,
        a == 0,
    )


@settings(deadline=None)
@given(positions())
def test_flood_reaches_what_a_knight_can_reach(position: Position) -> None:
    start = position.location(position.to_move)
    reached: set[int] = set()
    edge = list(range(position.geometry.size) if start is None else position.geometry.jumps[start])
    while edge:
        square = edge.pop()
        if square not in reached and square not in position.used:
            reached.add(square)
            edge += position.geometry.jumps[square]
    assert bits_of(region(State.of(position))) == sum(1 << square for square in reached)


@pytest.mark.parametrize("size", ALL_SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_jumps_from_many_squares_are_those_of_each(size: tuple[int, int], data: st.DataObject) -> None:
    geometry = Geometry(*size)
    everything = (1 << geometry.size) - 1
    bits = data.draw(st.integers(0, everything) | st.just(everything) | st.just(1) | st.just(1 << (geometry.size - 1)))
    squares = [square for square in range(geometry.size) if bits >> square & 1]
    reached = {target for square in squares for target in geometry.jumps[square]}
    links = sum(target in squares for square in squares for target in geometry.jumps[square]) // 2
    found, counted = spread(State.of(Position(geometry, (None, None), everything & ~bits, 1)))
    assert bits_of(found) == sum(1 << square for square in reached)
    assert counted == links


@pytest.mark.parametrize("low", [-1, 2**64, "x"])
def test_a_state_that_is_none_is_refused(low: Any) -> None:
    state = State.of(Position.start(Geometry(7, 7)))
    state.low = low
    with pytest.raises((OverflowError, TypeError)):
        is_over(state)


def test_divide_adds_up_to_perft() -> None:
    position = Position.from_fen("7/7/3n3/7/7/2N4/7 w")
    seen: list[tuple[int, int]] = []
    counts = divide(position, 5, lambda square, leaves: seen.append((square, leaves)))
    assert sum(counts.values()) == perft(position, 5)
    assert seen == list(counts.items())
    assert tuple(counts) == position.legal_moves()


def test_negative_depth_is_refused() -> None:
    with pytest.raises(KnightfallError, match="the depth must be at least 0, not -1"):
        perft(Position.start(Geometry(7, 7)), -1)
    with pytest.raises(KnightfallError, match="the depth must be at least 1, not 0"):
        divide(Position.start(Geometry(7, 7)), 0)


def test_an_error_in_a_batch_says_where() -> None:
    made = load(f"{Path(__file__).parent}/student/faulty.py:late", trial=False)
    control = Control()
    positions = [Position.from_fen(fen) for fen in ("N2/3/2n w", "N1*/3/2n b", "N**/3/2n w")]
    views = [View(position, control) for position in positions]
    params = made.code.pack(made.parameters)
    with pytest.raises(ZeroDivisionError):
        evaluate_many(made.code.dispatcher(64), params, views, [1, 1, 1], control)
    assert control.leaf == 2
    values = evaluate_many(made.code.dispatcher(64), params, views[:2], [1, 2], control)
    assert values.tolist() == [1 / (4 - 2), 1 / (4 - 3)]
