from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import positions

from knightfall.rules import Geometry, IllegalMove, KnightfallError, Position

JUMPS = {(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)}


@given(positions())
def test_legal_moves_by_definition(position: Position) -> None:
    """The rules once more, in other words."""
    board = position.geometry
    empty = set(range(board.size)) - position.used
    location = position.location(position.to_move)
    if location is not None:
        row, column = board.coordinates(location)
        empty = {s for s in empty if (s // board.width - row, s % board.width - column) in JUMPS}
    assert position.legal_moves() == tuple(sorted(empty))
    assert position.is_over == (not empty)
    assert position.winner == (None if empty else 3 - position.to_move)


@given(positions(), st.data())
def test_a_move_uses_a_square_and_passes_the_turn(position: Position, data: st.DataObject) -> None:
    legal = position.legal_moves()
    if legal:
        square = data.draw(st.sampled_from(legal))
        after = position.play(square)
        assert after.used == position.used | {square}
        assert after.ply == position.ply + 1
        assert after.to_move == 3 - position.to_move
        assert after.location(position.to_move) == square
        assert after.location(after.to_move) == position.location(after.to_move)
        if position.attacker is not None:
            assert after.attacker == position.attacker
    illegal = data.draw(st.integers(-1, position.geometry.size))
    if illegal not in legal:
        with pytest.raises(IllegalMove, match="illegal move") as caught:
            position.play(illegal)
        assert isinstance(caught.value, ValueError)


@given(positions())
def test_symmetries_change_nothing_but_the_squares(position: Position) -> None:
    canonical = position.canonical()
    for symmetry in position.geometry.symmetries:
        image = position.transform(symmetry)
        assert sorted(symmetry.squares[square] for square in position.legal_moves()) == list(image.legal_moves())
        assert image.transform(symmetry.inverse()) == position
        assert image.canonical() == canonical
        assert image.ply == position.ply


@given(positions())
def test_a_position_is_a_value(position: Position) -> None:
    twin = Position(position.geometry, position.locations, position.used_bits, position.to_move)
    assert twin == position
    assert hash(twin) == hash(position)
    assert pickle.loads(pickle.dumps(position)) == position
    assert eval(repr(position), {"Position": Position}) == position
    with pytest.raises(AttributeError):
        position.to_move = 1  # type: ignore[misc]


def test_the_first_move_of_each_side_is_any_empty_square() -> None:
    start = Position.start(Geometry(3, 2))
    assert start.legal_moves() == (0, 1, 2, 3, 4, 5)
    assert start.play(4).legal_moves() == (0, 1, 2, 3, 5)
    assert start.attacker is None


def test_on_one_square_the_second_player_is_stuck() -> None:
    end = Position.start(Geometry(1, 1)).play(0)
    assert end.is_over
    assert end.winner == 1


def test_the_attacker_moves_while_both_stand_on_one_colour() -> None:
    assert Position.from_fen("N1n4/7/7/7/7/7/7 w").attacker == 1
    assert Position.from_fen("N1n4/7/7/7/7/7/7 b").attacker == 2
    assert Position.from_fen("Nn5/7/7/7/7/7/7 w").attacker == 2
    assert Position.from_fen("Nn5/7/7/7/7/7/7 b").attacker == 1


@pytest.mark.parametrize(
    ("square", "message"),
    [
        (24, "illegal move d4: the square is used"),
        (0, "illegal move a7: not a knight's jump from c2"),
        (49, "illegal move: no square 49 on a 7x7 board; squares are 0 to 48"),
        (-1, "illegal move: no square -1 on a 7x7 board; squares are 0 to 48"),
    ],
)
def test_why_a_move_is_illegal(square: int, message: str) -> None:
    with pytest.raises(IllegalMove, match=message):
        Position.from_fen("7/7/3n3/3*3/7/2N4/7 w").play(square)


def test_no_move_after_the_end() -> None:
    with pytest.raises(IllegalMove, match="the game is over, player 2 has won"):
        Position.from_fen("N1/1n w").play(1)


@pytest.mark.parametrize(
    ("locations", "used", "to_move", "message"),
    [
        ((0, 0), 1, 1, "both knights stand on a3"),
        ((0, 5), 1, 1, "c2 has a knight but is not used"),
        ((0, 9), 513, 1, "no square 9"),
        ((None, None), 1 << 9, 1, "used squares beyond a 3x3 board"),
        ((None, None), -1, 1, "used squares beyond a 3x3 board"),
        ((0, 1), 3, 3, "the player to move is 1 or 2, not 3"),
        ((None, 1), 2, 1, "placed first"),
        ((0, None), 1, 1, "placed first"),
        ((None, None), 0, 2, "placed first"),
    ],
)
def test_impossible_positions(locations: tuple[int | None, int | None], used: int, to_move: int, message: str) -> None:
    with pytest.raises(KnightfallError, match=message):
        Position(Geometry(3, 3), locations, used, to_move)


def test_a_symmetry_of_another_board_is_refused() -> None:
    with pytest.raises(KnightfallError, match="is not one of a 3x3 board"):
        Position.start(Geometry(3, 3)).transform(Geometry(4, 4).symmetries[1])
