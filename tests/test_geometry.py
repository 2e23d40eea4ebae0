from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import geometries

from knightfall.rules import Geometry, KnightfallError


@given(geometries(), st.data())
def test_square_and_coordinates_and_label_are_one_thing(geometry: Geometry, data: st.DataObject) -> None:
    square = data.draw(st.integers(0, geometry.size - 1))
    row, column = geometry.coordinates(square)
    assert geometry.square(row, column) == square
    assert geometry.parse_label(geometry.label(square)) == square
    assert geometry.parse_label(f" {geometry.label(square).upper()} ") == square


@given(geometries())
def test_jumps_are_all_knight_moves(geometry: Geometry) -> None:
    for square, jumps in enumerate(geometry.jumps):
        row, column = geometry.coordinates(square)
        expected = [
            target
            for target in range(geometry.size)
            if sorted((abs(target // geometry.width - row), abs(target % geometry.width - column))) == [1, 2]
        ]
        assert list(jumps) == expected
        assert all(geometry.colour(target) != geometry.colour(square) for target in jumps)


@given(geometries())
def test_symmetries_keep_the_jumps(geometry: Geometry) -> None:
    symmetries = geometry.symmetries
    assert len(symmetries) == (8 if geometry.width == geometry.height else 4)
    assert symmetries[0].squares == tuple(range(geometry.size))
    for symmetry in symmetries:
        assert sorted(symmetry.squares) == list(range(geometry.size))
        for square, jumps in enumerate(geometry.jumps):
            assert {symmetry.squares[target] for target in jumps} == set(geometry.jumps[symmetry.squares[square]])
        back = symmetry.inverse().squares
        assert all(back[symmetry.squares[square]] == square for square in range(geometry.size))


@pytest.mark.parametrize(("width", "height", "distinct"), [(7, 7, 8), (11, 9, 4), (5, 6, 4), (1, 1, 1), (1, 9, 2)])
def test_distinct_symmetries(width: int, height: int, distinct: int) -> None:
    assert len({symmetry.squares for symmetry in Geometry(width, height).symmetries}) == distinct


def test_symmetries_form_a_group() -> None:
    squares = {symmetry.squares for symmetry in Geometry(4, 4).symmetries}
    for first in squares:
        for second in squares:
            assert tuple(second[square] for square in first) in squares


def test_labels_count_rows_from_the_bottom_and_columns_from_the_left() -> None:
    board = Geometry(11, 9)
    assert board.label(0) == "a9"
    assert board.label(board.size - 1) == "k1"
    assert Geometry(128, 1).label(127) == "dx1"
    assert Geometry(27, 1).label(26) == "aa1"


def test_one_object_per_size() -> None:
    board = Geometry(7, 6)
    assert Geometry(7, 6) is board
    assert Geometry(6, 7) is not board
    assert pickle.loads(pickle.dumps(board)) is board
    assert copy.deepcopy(board) is board
    assert board == Geometry.parse("7x6")
    assert hash(board) == hash(Geometry(7, 6))


def test_a_geometry_cannot_be_changed() -> None:
    board = Geometry(7, 7)
    with pytest.raises(AttributeError, match="cannot be changed"):
        board.width = 8
    with pytest.raises(AttributeError, match="cannot be changed"):
        del board.width


@pytest.mark.parametrize(
    ("width", "height", "message"),
    [
        (0, 5, "width must be at least 1, not 0"),
        (5, -1, "height must be at least 1, not -1"),
        (43, 3, "43x3 has 129 squares, more than 128"),
        (7.0, 7, "width must be a whole number, not 7.0"),
        (True, 7, "width must be a whole number, not True"),
    ],
)
def test_impossible_boards(width: int, height: int, message: str) -> None:
    Geometry(1, 7)  # so that (True, 7) would be found among the known ones
    with pytest.raises(KnightfallError, match=message):
        Geometry(width, height)


@pytest.mark.parametrize("text", ["", "7", "7x", "x7", "7x7x7", "7 x 7", "-1x7", "axb", "7,7", "9999999x1"])
def test_board_texts_that_are_none(text: str) -> None:
    with pytest.raises(KnightfallError, match="not of the form WxH"):
        Geometry.parse(text)


@pytest.mark.parametrize("text", ["h1", "a8", "a0", "4d", "d", "", "d44", "aa1", "é1"])
def test_labels_that_are_no_square(text: str) -> None:
    with pytest.raises(KnightfallError, match=r"^no square .* on a 7x7 board; squares are a1 to g7$"):
        Geometry(7, 7).parse_label(text)


def test_squares_that_are_not_on_the_board() -> None:
    board = Geometry(4, 3)
    for square in (-1, 12):
        with pytest.raises(KnightfallError, match="no square"):
            board.label(square)
        with pytest.raises(KnightfallError, match="no square"):
            board.coordinates(square)
    with pytest.raises(
        KnightfallError, match="no square at row 3, column 0 on a 4x3 board; rows are 0 to 2, columns 0 to 3"
    ):
        board.square(3, 0)
