"""Truth sets and accuracy: every figure derived a second time, from plain rules and plain formulas."""

from __future__ import annotations

import gzip
import json
import math
from functools import cache
from pathlib import Path

import pytest
from commands import kill_when
from formulas import FORMULAS

import knightfall as kf
from knightfall.cli import main
from knightfall.lab.truth.accuracy import AccuracyError, Grader, chance
from knightfall.lab.truth.building import build_truth
from knightfall.lab.truth.sets import (
    KINDS,
    SHIPPED,
    Finder,
    TruePosition,
    TruthError,
    TruthJob,
    before,
    read_truth,
    shipped_truth,
)


@cache
def wins(position: kf.Position) -> bool:
    """Whether the player to move wins, by trying everything."""
    return any(not wins(position.play(square)) for square in position.legal_moves())


@pytest.fixture(scope="module")
def small_set() -> list[TruePosition]:
    """Late positions of 5x5, of every kind."""
    finder = Finder(kf.Geometry(5, 5), 14)
    return [entry for kind in KINDS for entry in finder.find(kind, 1, 40)]


def test_every_move_has_its_exact_value(small_set: list[TruePosition]) -> None:
    for entry in small_set:
        moves = entry.position.legal_moves()
        assert entry.winning == {square for square in moves if not wins(entry.position.play(square))}
    assert all(entry.is_critical for entry in small_set if entry.kind == "directed")
    assert len({entry.position.ply for entry in small_set}) > 5


@pytest.mark.parametrize("name", ["improved", "center", "reach"])
def test_accuracy_is_what_plain_rules_and_formulas_say(small_set: list[TruePosition], name: str) -> None:
    found = Grader(small_set).measure(kf.heuristics[name], [0])
    shares = []
    for entry in small_set:
        outcomes = {s: not wins(entry.position.play(s)) for s in entry.position.legal_moves()}
        if len(set(outcomes.values())) < 2:
            continue
        mover = entry.position.to_move
        values = {}
        for square in outcomes:
            after = entry.position.play(square)
            values[square] = math.inf if after.is_over else FORMULAS[name](after, mover)
        liked = [square for square, value in values.items() if math.isclose(value, max(values.values()))]
        shares.append(sum(outcomes[square] for square in liked) / len(liked))
    assert found.counts[0] == len(shares)
    assert found.kept[0].estimate == pytest.approx(sum(shares) / len(shares))
    won = [FORMULAS[name](e.position, e.position.to_move) for e in small_set if wins(e.position)]
    lost = [FORMULAS[name](e.position, e.position.to_move) for e in small_set if not wins(e.position)]
    pairs = [(a > b) + (a == b) / 2 for a in won for b in lost]
    assert found.auc.estimate == pytest.approx(sum(pairs) / len(pairs))


def test_a_search_to_the_end_is_always_right(small_set: list[TruePosition]) -> None:
    late = [entry for entry in small_set if 25 - entry.position.ply <= 8]
    found = Grader(late).measure(kf.heuristics["null"], [0, 8])
    assert found.kept[8].estimate == 1.0
    assert found.kept[0].low <= chance(late) <= found.kept[0].high


def test_the_worst_positions_are_blunders(small_set: list[TruePosition]) -> None:
    found = Grader(small_set).measure(kf.heuristics["center"], [0], worst=5)
    assert len(found.blunders) == 5
    for blunder in found.blunders:
        assert wins(blunder.truth.position)
        assert wins(blunder.truth.position.play(blunder.chosen))  # the opponent does


def test_positions_before_lead_here() -> None:
    position = kf.Position.from_fen("7/7/3n3/7/7/2N4/7 w")
    for label in ("d4", "f4", "b5"):
        position = position.play(label)
    for earlier in before(position):
        assert position in [earlier.play(square) for square in earlier.legal_moves()]
    assert before(position)


@pytest.mark.parametrize("board", SHIPPED)
def test_the_shipped_sets_are_true(board: str) -> None:
    truths = shipped_truth(board)
    assert len(truths) >= (20_000 if board == "7x7" else 5_000)
    assert len({entry.position.canonical() for entry in truths[:3_000]}) == 3_000
    assert {entry.kind for entry in truths} == set(KINDS)
    solver = kf.Solver(kf.Geometry.parse(board), memory=2**27)
    sample = [entry for entry in truths[7::997] if kf.Geometry.parse(board).size - entry.position.ply <= 36]
    for entry in sample:
        assert entry.winning == set(solver.solve(entry.position).winning_moves)
    critical = [entry for entry in truths if entry.is_critical]
    assert len(critical) > len(truths) / 2
    halves = [entry.is_for_tuning for entry in critical]
    assert 0.45 < sum(halves) / len(halves) < 0.55


def test_the_same_command_gives_the_same_file_whoever_works(tmp_path: Path) -> None:
    job = TruthJob("5x5", 12)
    for name, workers in (("alone.txt.gz", 0), ("two.txt.gz", 2)):
        assert build_truth(tmp_path / name, job, 300, 3, workers=workers)
    assert (tmp_path / "alone.txt.gz").read_bytes() == (tmp_path / "two.txt.gz").read_bytes()
    assert len(read_truth(tmp_path / "two.txt.gz")) > 150
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alone.txt.gz", "two.txt.gz"]


@pytest.mark.long
def test_a_build_that_is_killed_goes_on(tmp_path: Path) -> None:
    arguments = ["truth", "build", "--board", "6x5", "--positions", "3000", "--workers", "2", "-o"]
    path = tmp_path / "set.txt"
    part = tmp_path / "set.txt.part"
    kill_when([*arguments, str(path)], lambda: part.exists() and part.read_text().count("\n") > 6)
    assert not path.exists()
    assert part.exists()
    kept = part.read_text().count("\n")
    assert main([*arguments, str(path)]) == 0
    assert not part.exists()
    assert kept > 6
    again = tmp_path / "again.txt"
    build_truth(again, TruthJob("6x5", 28), 3_000, 1, workers=2)
    assert again.read_text() == path.read_text()


def test_files_that_are_no_truth_set_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.txt").write_text("hello\n")
    (tmp_path / "bad.txt.gz").write_bytes(b"no gzip")
    (tmp_path / "line.txt").write_text("# knightfall truth 1 5x5\nrandom a1 5/5/2n2/5/N4 w\n")
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"# knightfall truth 1 5x5\n" * 100)[:-9])
    for name, words in (
        ("text.txt", "its first line"),
        ("bad.txt.gz", "it is no truth set"),
        ("line.txt", "line 2"),
        ("cut.txt.gz", "it is no truth set"),
        ("nowhere.txt", "No such file"),
    ):
        with pytest.raises(TruthError, match=words):
            read_truth(tmp_path / name)
    with pytest.raises(TruthError, match="no truth set of 6x6"):
        shipped_truth("6x6")
    for arguments, words in (
        (["accuracy", "improved", "--depths", "x"], "--depths"),
        (["accuracy", "improved", "--half", "best"], "--half"),
        (["accuracy", "improved", "--plies", "a-b"], "--plies"),
        (["accuracy", "improved", "--plies", "48-49"], "there is no critical position"),
        (["accuracy", "imprved"], "imprved"),
        (["accuracy", "improved", "--truth", str(tmp_path / "text.txt")], "it is no truth set"),
        (["truth", "build", "--positions", "9", "-o", "/nowhere/x.txt"], "No such file or directory"),
    ):
        assert main(arguments) == 2
        [line] = capsys.readouterr().err.strip().splitlines()
        assert words in line


def test_the_command_grades_a_users_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text("def mine(game, player):\n    return -float(len(game.get_legal_moves(player)))\n")
    arguments = ["accuracy", f"{tmp_path / 'mine.py'}:mine", "improved", "--depths", "0,2", "--plies", "20-30"]
    assert main([*arguments, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    mine, improved = facts["heuristics"]
    assert mine["kept"]["0"]["high"] < improved["kept"]["0"]["low"]
    assert set(improved["kept"]) == {"0", "2"}
    assert main([*arguments, "--worst", "1", "--by-ply"]) == 0
    text = capsys.readouterr().out
    assert "mine throws the win away" in text
    assert text.count("would have won") == 2
    with pytest.raises(AccuracyError):
        Grader([entry for entry in shipped_truth("7x7")[:500] if not entry.is_critical])


def test_a_function_that_raises_does_not_stop_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The others are graded; one line says which was left out and why, and the exit code is 2."""
    raising = tmp_path / "raising.py"
    raising.write_text(
        "def mine(game, player):\n    return 1 / len(game.get_legal_moves(game.get_opponent(player)))\n",
        encoding="utf-8",
    )
    assert main(["accuracy", f"{raising}", "open", "--depths", "0", "--json"]) == 2
    told = capsys.readouterr()
    assert [entry["heuristic"] for entry in json.loads(told.out)["heuristics"]] == ["open"]
    assert "raising.py: mine: ZeroDivisionError" in told.err
    assert [entry["message"] for entry in json.loads(told.out)["failed"]] == [
        told.err.strip().removeprefix("knightfall: ")
    ]
