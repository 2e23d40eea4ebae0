"""Truth sets: distances held against plain Python, lines of the file, lists of openings."""

from __future__ import annotations

import json

import pytest

from knightfall.cli import main
from knightfall.lab.truth.sets import SHIPPED, TruePosition, TruthError, shipped_truth
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


def test_critical_openings_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ["truth", "list", "--critical", "--winning", "2", "--half", "judging", "--plies", "4-20"]
    assert main(chosen) == 0
    lines = capsys.readouterr().out.splitlines()
    known = {entry.position.fen(): entry for entry in shipped_truth("7x7")}
    for line in lines:
        entry = known[line]
        assert 4 <= entry.position.ply <= 20
        assert not entry.is_for_tuning
        assert 0 < len(entry.winning) <= min(2, len(entry.position.legal_moves()) - 1)
    assert len(lines) == len(set(lines)) > 1000
    assert main([*chosen, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["positions"]
    assert [row["fen"] for row in rows] == lines
    assert all(row["winning"] and row["kind"] for row in rows)


def test_a_list_of_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["truth", "list", "--plies", "48-49"]) == 2
    assert capsys.readouterr().err == "knightfall: there is no such position in the set\n"
