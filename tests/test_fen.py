from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import nearly, positions, random_positions

from knightfall.rules import FenError, Geometry, Position


@given(positions())
def test_round_trip(position: Position) -> None:
    text = position.fen()
    assert Position.from_fen(text) == position
    assert Position.from_fen(text + " - - 0 1") == position
    assert Position.from_fen(f"  {text}\n") == position


def test_known_texts() -> None:
    assert Position.start(Geometry(7, 7)).fen() == "7/7/7/7/7/7/7 w"
    assert Position.start(Geometry(11, 9)).fen() == "/".join(["11"] * 9) + " w"
    assert Position.from_fen("128 w").geometry is Geometry(128, 1)
    position = Position.from_fen("*N2/3n/4 b")
    assert position.locations == (1, 7)
    assert position.used == {0, 1, 7}
    assert position.to_move == 2


# text, row, column, character, part of the cause
FAULTS = [
    ("", 1, 1, 1, "empty"),
    (" \n", 1, 1, 1, "empty"),
    ("7/7/7", 3, 8, 6, "side to move is missing"),
    ("7/7/7 ", 3, 8, 6, "side to move is missing"),
    ("7/7/7 x", 3, 8, 7, "side to move is 'x'"),
    ("7/7/7 W", 3, 8, 7, "side to move is 'W'"),
    ("7/6/7 w", 2, 7, 4, "this row has 6 squares, the first has 7"),
    ("7/8/7 w", 2, 1, 3, "wider than the first, which has 7"),
    ("7/6N1/7 w", 2, 8, 5, "wider than the first, which has 7"),
    ("7/7/6 w", 3, 7, 6, "this row has 6 squares"),
    ("N6/7/3N3 w", 3, 4, 7, "a second N; the first is at row 1, column 1"),
    ("N6/nn5 w", 2, 2, 5, "a second n; the first is at row 2, column 1"),
    ("7/3x3 w", 2, 4, 4, "unknown character 'x'"),
    ("7/3\x003 w", 2, 4, 4, "unknown character"),
    ("7/3♘3 w", 2, 4, 4, "not ASCII"),
    ("٧/7 w", 1, 1, 1, "not ASCII"),
    ("7/7\u2003w", 2, 8, 4, "not ASCII"),
    ("7/7 ẃ", 2, 8, 5, "not ASCII"),
    ("129 w", 1, 1, 1, "more than 128 squares"),
    ("99999999999999999999 w", 1, 1, 1, "more than 128 squares"),
    ("64/64/64 w", 3, 1, 7, "more than 128 squares"),
    ("/".join("1" * 129) + " w", 129, 1, 257, "more than 128 squares"),
    ("/7 w", 1, 1, 1, "this row is empty"),
    ("7//7 w", 2, 1, 3, "this row is empty"),
    ("7/ w", 2, 1, 3, "this row is empty"),
    ("07/7 w", 1, 1, 1, "cannot begin with 0"),
    ("N0 w", 1, 2, 2, "cannot begin with 0"),
    ("7/7 b", 2, 8, 5, "no knight is placed yet"),
    ("N6/7 w", 2, 8, 6, "n is not placed yet"),
    ("7/n6 w", 2, 1, 3, "although N, which is placed first, is not"),
    ("7/n6 b", 2, 1, 3, "although N, which is placed first, is not"),
    ("Nn5 w b", 1, 8, 7, "unexpected text 'b'"),
    ("Nn5 w - - 0", 1, 8, 7, "unexpected text '-'"),
    ("Nn5 w - - 0 1 2", 1, 8, 7, "unexpected text '-'"),
]


@pytest.mark.parametrize(("text", "row", "column", "character", "cause"), FAULTS)
def test_faults_are_told_in_one_line_with_their_place(
    text: str, row: int, column: int, character: int, cause: str
) -> None:
    with pytest.raises(FenError) as caught:
        Position.from_fen(text)
    error = caught.value
    assert cause in error.cause
    assert (error.row, error.column, error.character) == (row, column, character)
    assert f"row {row}, column {column}" in str(error)
    assert len(str(error).splitlines()) == 1


PIECES = ("", "N", "n", "*", "/", "1", "0", "12", " ", "w", "b", "-", "é", "\n", "x")
fen_like = st.one_of(
    nearly([position.fen() for position in random_positions(300, seed=1)], PIECES),
    st.text("Nn*/0123789 wb-", max_size=40),
    st.text(max_size=20),
)


def check_any_text(text: str) -> None:
    try:
        position = Position.from_fen(text)
    except FenError as error:
        assert len(str(error).splitlines()) == 1
        assert str(error).startswith("bad position: row ")
        assert 1 <= error.character <= len(text) + 1
    else:
        assert Position.from_fen(position.fen()) == position
        written = text.split()
        assert " ".join(written[:2]) == position.fen()
        assert len(written) in (2, 6)


@settings(max_examples=2_000)
@given(fen_like)
def test_any_text_round_trips_or_gives_the_clean_error(text: str) -> None:
    check_any_text(text)


@pytest.mark.long
@settings(max_examples=100_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(fen_like)
def test_a_hundred_thousand_texts(text: str) -> None:
    check_any_text(text)
