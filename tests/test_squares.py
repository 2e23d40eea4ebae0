"""Squares as callers write them: labels, (row, column) pairs and indices, everywhere in the public API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import geometries, positions

import knightfall as kf
from knightfall.native.solve.openings import openings_of
from knightfall.rules import draw_text
from knightfall.rules.heat import draw_heat

SEVEN = kf.Geometry(7, 7)


def spellings(board: kf.Geometry, square: int) -> list[Any]:
    """Every way to write one square."""
    row, column = divmod(square, board.width)
    label = board.label(square)
    return [square, np.int64(square), label, f" {label.upper()} ", (row, column), [row, column]]


@given(geometries(), st.data())
def test_every_spelling_is_the_same_square(board: kf.Geometry, data: st.DataObject) -> None:
    square = data.draw(st.integers(0, board.size - 1))
    for spelling in spellings(board, square):
        assert board.square(spelling) == square
        assert type(board.square(spelling)) is int
        assert board.coordinates(spelling) == divmod(square, board.width)
        assert board.label(spelling) == board.label(square)
        assert board.colour(spelling) == board.colour(square)
    assert board.square(*divmod(square, board.width)) == square


@given(positions())
def test_a_move_may_be_written_in_every_way(position: kf.Position) -> None:
    for square in position.legal_moves()[:3]:
        after = position.play(square)
        for spelling in spellings(position.geometry, square):
            assert position.play(spelling) == after
            assert type(position.play(spelling).used_bits) is int
            assert kf.Game(position).play(spelling) == kf.Game(position, (square,))


def test_positions_and_games_hold_indices() -> None:
    position = kf.Position(SEVEN, ("d4", (0, 0)), 1 << 24 | 1, 1)  # type: ignore[arg-type]
    assert position == kf.Position(SEVEN, (24, 0), 1 << 24 | 1, 1)
    assert position.locations == (24, 0)
    game = kf.Game(kf.Position.start(SEVEN), ["d4", "a1", "b3"])  # type: ignore[arg-type]
    assert game.moves == (24, 42, 29)
    assert hash(game) == hash(kf.Game(kf.Position.start(SEVEN), (24, 42, 29)))


def test_drawings_take_labels() -> None:
    position = kf.Position.start(SEVEN).play("d4")
    by_index: dict[str, Any] = {"last_move": 24, "marks": {0: "move", 48: "good"}}
    by_label: dict[str, Any] = {"last_move": "d4", "marks": {"a7": "move", (6, 6): "good"}}
    assert position.svg(**by_index, labels={1: "x"}) == position.svg(**by_label, labels={"b7": "x"})
    assert draw_text(position, **by_index) == draw_text(position, **by_label)
    assert "mov" in draw_text(position, **by_label)
    assert draw_heat(SEVEN, {24: 5}, "t") == draw_heat(SEVEN, {"d4": 5}, "t")


def test_openings_take_labels() -> None:
    known = openings_of(kf.Geometry(5, 5))
    assert known is not None
    assert known.winning_replies("c3") == known.winning_replies(12) == known.winning_replies((2, 2))
    assert repr(known) == "<openings of 5x5: 600 pairs of squares, player 2 wins>"


WRONG = [
    ("h9", "no square 'h9' on a 7x7 board; squares are a1 to g7"),
    ("", "no square '' on a 7x7 board; squares are a1 to g7"),
    (49, "no square 49 on a 7x7 board; squares are 0 to 48"),
    (-1, "no square -1 on a 7x7 board; squares are 0 to 48"),
    (np.int8(-1), "no square -1 on a 7x7 board; squares are 0 to 48"),
    ((7, 0), "no square at row 7, column 0 on a 7x7 board; rows are 0 to 6, columns 0 to 6"),
    ((0, -1), "no square at row 0, column -1 on a 7x7 board; rows are 0 to 6, columns 0 to 6"),
    ((1, 2, 3), "not a square: (1, 2, 3); (row, column) are two whole numbers, as in (3, 3)"),
    (("d", 4), "not a square: ('d', 4); (row, column) are two whole numbers, as in (3, 3)"),
    ((), "not a square: (); (row, column) are two whole numbers, as in (3, 3)"),
    (3.0, "not a square: 3.0; use a label such as 'd4', (row, column) or an index"),
    (True, "not a square: True; use a label such as 'd4', (row, column) or an index"),
    (None, "not a square: None; use a label such as 'd4', (row, column) or an index"),
]


@pytest.mark.parametrize(("square", "message"), WRONG)
def test_what_is_not_a_square_is_refused_in_one_line(square: Any, message: str) -> None:
    start = kf.Position.start(SEVEN)
    uses: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
        (SEVEN.square, kf.KnightfallError, message),
        (SEVEN.label, kf.KnightfallError, message),
        (SEVEN.coordinates, kf.KnightfallError, message),
        (SEVEN.colour, kf.KnightfallError, message),
        (SEVEN.check, kf.KnightfallError, message),
        (start.play, kf.IllegalMove, f"illegal move: {message}"),
        (kf.Game(start).play, kf.GameError, f"move 1: illegal move: {message}"),
    ]
    for use, kind, expected in uses:
        with pytest.raises(kind) as error:
            use(square)
        assert str(error.value) == expected


def test_a_wrong_square_in_a_drawing_is_refused() -> None:
    start = kf.Position.start(SEVEN)
    for options in ({"marks": {"h1": "move"}}, {"labels": {"h1": "x"}}, {"last_move": "h1"}):
        with pytest.raises(kf.KnightfallError, match="no square 'h1' on a 7x7 board"):
            start.svg(**options)
    with pytest.raises(kf.KnightfallError, match="no square 'h1'"):
        draw_text(start, marks={"h1": "x"})
