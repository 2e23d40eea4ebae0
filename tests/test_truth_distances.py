"""Distances in truth sets: how many plies a game lasts with each move, held against plain Python."""

from __future__ import annotations

import pytest

from knightfall.lab.truth import SHIPPED, TruePosition, TruthError, shipped_truth
from knightfall.rules import Position


def lasts(position: Position) -> int:
    """How many plies are left when the winner hurries and the loser delays."""
    lengths = [1 + lasts(position.play(square)) for square in position.legal_moves()]
    winning = [length for length in lengths if length % 2 == 1]
    return min(winning) if winning else max(lengths, default=0)


@pytest.mark.parametrize("board", SHIPPED)
def test_distances_are_those_of_plain_python(board: str) -> None:
    late = [t for t in shipped_truth(board) if t.position.geometry.size - t.position.ply <= 16]
    assert len(late) > 20
    for entry in late[:120]:
        assert entry.distances == {s: 1 + lasts(entry.position.play(s)) for s in entry.position.legal_moves()}
        assert entry.winning == {square for square, plies in entry.distances.items() if plies % 2 == 1}


@pytest.mark.parametrize("board", SHIPPED)
def test_distances_are_known_where_they_are_cheap(board: str) -> None:
    for entry in shipped_truth(board):
        empty = entry.position.geometry.size - entry.position.ply
        assert bool(entry.distances) == (empty <= 30)


def test_lines_are_read_as_they_were_written() -> None:
    for entry in shipped_truth("7x7")[::50]:
        assert TruePosition.read(entry.line()) == entry


FEN = "3*3/**N2*1/1***1*1/**1**2/***3*/1n*4/*6 w"


@pytest.mark.parametrize(
    "moves",
    [
        "a7-2,e7-16,a5-4",  # a move is missing
        "a7-2,e7-16,a5-4,e5-15",  # a loss ends with a move of the other side
        "a7-2,e7+16,a5-4,e5-16",
        "a7-2,e7-16,a5-4,e5-16,b1-2",
        "a7-2,e7-16,a5-4,e5-",
        "b1",
    ],
)
def test_other_lines_are_refused(moves: str) -> None:
    assert TruePosition.read(f"perfect a7-2,e7-16,a5-4,e5-16 {FEN}").distances
    with pytest.raises(TruthError):
        TruePosition.read(f"perfect {moves} {FEN}")
