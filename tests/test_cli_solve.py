"""`solve`, `book`, and exact values in `analyze` and `play`: real processes, real signals."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import KNIGHTFALL, run, run_on_terminal, started
from terminals import CTRL_C, at_terminal

import knightfall as kf
from knightfall.cli import main
from knightfall.native.solve.book import Book, book_of, read_book, write_book
from knightfall.native.solve.openings import openings_of, solve_openings

LATE = "*N3/2*2/1*3/4n/5 w"  # the first player wins, in 13
LOST = "N2/3/2n w"  # for the first player, in six moves
MIDDLE = "7/2*1*2/1*1N3/7/3n*2/2*4/7 w"
EARLY = "7/7/3n3/7/7/2N4/7 w"


def as_json(*arguments: str, code: int = 0) -> Any:
    done = run(*arguments, "--json")
    assert done.returncode == code
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book for 5x5 to ply 4, built by the command."""
    path = tmp_path_factory.mktemp("book") / "5x5.txt"
    done = run("book", "build", "--board", "5x5", "--plies", "4", "--workers", "2", "-o", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "book for 5x5, to ply 4: who wins 1,318 positions, up to symmetry"
    assert lines[2].split() == ["2", "85", "1", "1.18%"]
    assert lines[-1].startswith(f"written to {path} in ")
    return path


# --- solve


def test_a_solution_in_words() -> None:
    done = run("solve", LATE, "--distance", "--ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    lines = done.stdout.splitlines()
    assert lines[3] == "4 |   |   | * |+17|   |"
    assert lines[5] == "3 |+15| * |+13|   |   |"
    assert lines[12:15] == [
        "N first (to move)   n second",
        "first wins in 13 moves: found by search",
        "+ 3 of 3 win: c3 in 13, a3 in 15, d4 in 17",
    ]
    assert re.fullmatch(r"[\d,]+ nodes, [\d.]+ s, [\d,]+ nodes/s", lines[15])
    plain = run("solve", "--fen", LOST).stdout.splitlines()
    assert plain[-3:-1] == ["second wins, whatever first plays: found by search", "- 2 of 2 lose: c2, b1"]


def test_a_solution_as_json() -> None:
    found = as_json("solve", MIDDLE, "--distance")
    expected = kf.solve(kf.Position.from_fen(MIDDLE), distance=True)
    label = expected.position.geometry.label
    assert [*found] == [
        "format",
        "version",
        "fen",
        "board",
        "to_move",
        "winner",
        "reason",
        "complete",
        "distance",
        "winning_moves",
        "moves",
        "nodes",
        "seconds",
        "nodes_per_second",
        "interrupted",
    ]
    assert (found["fen"], found["board"], found["to_move"]) == (MIDDLE, "7x7", 1)
    assert (found["winner"], found["reason"], found["complete"], found["interrupted"]) == (1, "search", True, False)
    assert (found["distance"], found["nodes"]) == (expected.distance, expected.nodes)
    assert found["winning_moves"] == [label(square) for square in expected.winning_moves]
    assert found["moves"] == [
        {"move": label(square), "wins": wins, "distance": expected.distances.get(square)}
        for square, wins in expected.moves.items()
    ]


def test_boards_are_solved_by_the_mirror_argument_or_by_search() -> None:
    mirrored = run("solve", "--board", "10x10").stdout.splitlines()
    assert mirrored[-3] == (
        "second wins by the mirror argument: it answers every move with its image under a half turn"
    )
    assert mirrored[-2] == "- all 100 lose"
    searched = as_json("solve", "--board", "6x6", "--no-theory", "--threads", "2", "--memory", "64")
    assert (searched["winner"], searched["reason"], searched["complete"]) == (2, "search", True)
    assert searched["nodes"] > 1_000
    note = run("solve", "--board", "5x5", "--distance").stdout
    assert "second wins, whatever first plays: found by search\nmoves to the end are counted where both" in note


def test_what_is_known_when_a_budget_ends_is_told() -> None:
    done = run("solve", EARLY, "--nodes", "2000")
    assert (done.returncode, done.stderr) == (0, "")
    assert "who wins was not decided within the budget; 0 of 6 moves known\n? 6 of 6 not decided: b4, d4" in done.stdout
    assert done.stdout.count(" ? ") == 6  # on the board
    timed = as_json("solve", "--board", "9x7", "--ms", "300")
    assert (timed["winner"], timed["reason"], timed["complete"], timed["distance"]) == (None, None, False, None)
    assert {move["wins"] for move in timed["moves"]} == {None}
    assert 0.2 < timed["seconds"] < 5
    partly = run("solve", MIDDLE, "--distance", "--nodes", "200000").stdout
    assert re.search(r"^first wins( in at most \d+ moves)?: found by search$", partly, re.M)
    assert "how many moves it takes was not found within the budget" in partly


def test_a_finished_game_says_who_has_won() -> None:
    done = run("solve", "N1/1n w")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "the game is over: second has won, first cannot move"
    found = as_json("solve", "N1/1n w")
    assert (found["winner"], found["reason"], found["moves"], found["complete"]) == (2, "over", [], True)


@pytest.mark.long
def test_ctrl_c_ends_a_solve_of_a_large_board() -> None:
    with started([*KNIGHTFALL, "solve", "--board", "9x7", "--json"]) as process:
        assert process.stderr is not None
        first = process.stderr.readline()  # the first plain line of progress comes after some seconds
        assert re.fullmatch(r"\d+ of 63 moves, [\d,]+ nodes, [\d,]+ nodes/s, table \d+% full, \d+\.\d s\n", first)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=900)
    assert process.returncode == 130
    assert json.loads(error)["kind"] == "interrupted"
    found = json.loads(out)
    assert (found["interrupted"], found["winner"], len(found["moves"])) == (True, None, 63)


def test_ctrl_c_ends_a_solve_with_what_was_proved() -> None:
    # Here it is soon known who wins, and takes long to find out how soon.
    done = at_terminal("solve", EARLY, "--distance", columns=120, keys=[("6 of 6 moves", CTRL_C)])
    assert done.code == 130
    assert done.text.split()[-1] == "interrupted"
    assert re.search(
        r"^first wins( in at most \d+ moves)?: found by search\nhow many moves it takes was not", done.text, re.M
    )
    assert re.search(r"^\+ 6 of 6 win: ", done.text, re.M)


def test_progress_is_one_live_line_on_a_terminal() -> None:
    command = [*KNIGHTFALL, "solve", "--board", "9x7", "--ms", "1500"]
    code, shown = run_on_terminal(command, {"TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "120"})
    assert code == 0
    live = re.findall(r"\r(\d+) of 63 moves, [\d,]+ nodes, [\d,]+ nodes/s, table \d+% full, \d+\.\d s", shown)
    assert len(live) >= 3
    table = shown.replace("\r\n", "\n").split("\r")[-1]
    assert table.startswith("  ┌───┬")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "7/7/3x3 w"], "bad position: row 3, column 4 (character 6)"),
        (["solve", LATE, "--fen", LATE], "the position is given twice, once with --fen"),
        (["solve", LATE, "--board", "5x5"], "--fen and --board exclude each other"),
        (["solve", "--board", "7"], "'7' is not of the form WxH"),
        (["solve", LATE, "--ms", "0"], "--ms: a number of milliseconds above 0"),
        (["solve", LATE, "--ms", "nan"], "--ms: a number of milliseconds above 0"),
        (["solve", LATE, "--ms", "inf"], "--ms: a number of milliseconds above 0"),
        (["solve", LATE, "--nodes", "0"], "Invalid value for '--nodes'"),
        (["solve", LATE, "--memory", "0"], "Invalid value for '--memory'"),
        (["solve", LATE, "--memory", "lots"], "Invalid value for '--memory'"),
        (["solve", LATE, "--memory", "99999999"], "--memory: 99,999,999 megabytes are more than the "),
        (["solve", LATE, "--threads", "0"], "Invalid value for '--threads'"),
        (["solve", LATE, "--svg", "x.svg"], "--svg goes with --openings only"),
        (["solve", LATE, "--recompute"], "--recompute goes with --openings only"),
        (["solve", LATE, "--openings"], "--openings goes without a position"),
        (["solve", "--openings", "--distance"], "--openings goes without --distance"),
        (["solve", "--openings", "--no-theory"], "--openings goes without --no-theory"),
        (["solve", "--board", "1x1", "--openings"], "there is no opening on a 1x1 board"),
        (["solve", "--board", "5x5", "--openings", "--svg", "no/x.svg"], "no: No such file or directory"),
        (["analyze", LATE, "--exact", "-1"], "Invalid value for '--exact'"),
        (["book", "build"], "Missing option '--output'"),
        (["book", "build", "--plies", "1", "-o", "b.txt"], "Invalid value for '--plies'"),
        (["book", "build", "--board", "3x3", "--plies", "12", "-o", "b"], "no game on a 3x3 board lasts 12 plies"),
        (["book", "build", "--board", "5x5", "-o", "no/b.txt"], "no: No such file or directory"),
        (["book", "build", "--board", "5x5", "-o", "."], ".: Is a directory"),
        (["book", "verify", "--board", "4x3"], "no book for 4x3 comes with the package"),
        (["book", "verify", "--file", "none.txt"], "none.txt: No such file or directory"),
        (["book", "verify", "--file", "empty.txt"], "empty.txt: this is no book: it is empty"),
        (["book", "verify", "--file", "other.txt"], "other.txt: this is no book"),
        (["book", "verify", "--file", "bad.txt"], "bad.txt: bad position: row 1, column 1"),
        (["book", "show", "--file", "bad.txt", "--sample", "3"], "No such option: --sample"),
        (["book", "show", "4/4/4 w"], "no book for 4x3 comes with the package"),
        (["book", "burn"], "No such command 'burn'"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    """In this process, because there are so many: what `main` returns is the exit code."""
    monkeypatch.chdir(tmp_path)
    head = '{"format": 1, "board": "5x5", "plies": 2, "counts": [85]}\n'
    files = {"empty.txt": "", "other.txt": "a poem\n", "bad.txt": head + "x4/5/5/5/5 w\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert main(arguments) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert message in error
    assert len(error.splitlines()) == 1
    assert error.startswith("knightfall: ")
    assert {path.name for path in tmp_path.iterdir()} == set(files)


# --- openings


def test_openings_in_words_and_as_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "heat.svg"
    done = run("solve", "--board", "5x5", "--openings", "--svg", str(picture))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines[:16])) <= 100
    assert "c4: 13 of 24 win    c3: 4 of 24 win" in lines
    assert "4 . + N + .         4 x . + . x" in lines
    assert "600 pairs of placements, 85 up to symmetry" in done.stdout
    assert "the colour rule (the attacker wins) holds for 84 of these" in done.stdout
    assert "exceptions that first wins: c3-b5" in lines
    root = ElementTree.fromstring(picture.read_text())
    assert root.tag.endswith("svg")
    known = openings_of(kf.Geometry(5, 5))
    assert known is not None
    told = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text") if "value" in text.get("class", "")]
    assert told == [str(len(known.winning_replies(first))) for first in range(25)]


def test_openings_are_solved_anew_and_on_boards_that_are_not_known() -> None:
    anew = as_json("solve", "--board", "5x5", "--openings", "--recompute")
    shipped = as_json("solve", "--board", "5x5", "--openings")
    assert (anew.pop("source"), shipped.pop("source")) == ("search", "package")
    assert anew.pop("seconds") > 0
    shipped.pop("seconds")
    assert anew == shipped
    assert (shipped["winner"], shipped["pairs"], shipped["inequivalent_pairs"]) == (2, 600, 85)
    assert shipped["exceptions"] == [{"first": "c3", "second": "b5", "winner": 1}]
    geometry = kf.Geometry(4, 3)
    known = solve_openings(geometry)
    other = as_json("solve", "--board", "4x3", "--openings", "--memory", "16")
    assert other["follow_colour_rule"] + len(other["exceptions"]) == other["inequivalent_pairs"]
    for row in other["first_squares"]:
        replies = known.winning_replies(geometry.parse_label(row["first"]))
        assert row["winning_replies"] == [geometry.label(square) for square in replies]
        assert len(row["winning_replies"]) + len(row["losing_replies"]) == 11


# --- exact values in an analysis


def test_an_analysis_has_exact_values() -> None:
    done = run("analyze", LATE, "--agent", "alphabeta(improved, depth=4)", "--exact", "20000")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[13] == "first wins in 13 moves, second loses: that is proven"
    assert lines[15].split() == ["move", "score", "exact", "depth", "nodes", "line"]
    rows = dict(re.findall(r"^(\w\d) +\S+ +(wins in \d+) +4 ", done.stdout, re.M))
    assert rows == {"c3": "wins in 13", "a3": "wins in 15", "d4": "wins in 17"}
    found = as_json("analyze", MIDDLE, "--agent", "greedy(open)", "--exact", "60000")
    assert (found["winner"], found["distance"], found["source"]) == (1, 25, "search")
    truth = kf.solve(kf.Position.from_fen(MIDDLE), distance=True)
    label = truth.position.geometry.label
    for square, wins in truth.moves.items():
        (row,) = [row for row in found["moves"] if row["move"] == label(square)]
        assert row["exact"] == ("wins" if wins else "loses")
        if wins:
            assert row["distance"] == truth.distances[square]
        else:  # even the mistakes are counted
            assert row["distance"] == 1 + (kf.solve(truth.position.play(square), distance=True).distance or 0)


def test_an_analysis_without_exact_values() -> None:
    done = run("analyze", LATE, "--agent", "alphabeta(improved, depth=4)", "--exact", "0")
    assert re.search(r"^move +score +depth +nodes  line$", done.stdout, re.M)
    assert "proven" not in done.stdout
    found = as_json("analyze", LATE, "--agent", "greedy(open)", "--exact", "0")
    assert (found["winner"], found["distance"]) == (None, None)
    assert {(move["exact"], move["distance"]) for move in found["moves"]} == {(None, None)}


def test_exact_values_from_python() -> None:
    position = kf.Position.from_fen(LOST)
    opinion = kf.analyze(position, "greedy(open)")
    assert (opinion.winner, {move.exact for move in opinion.moves}) == (None, {None})
    found = kf.analyze(position, "greedy(open)", exact_ms=10_000)
    assert (found.winner, found.distance) == (2, 6)
    assert [(move.exact, move.distance) for move in found.moves] == [(False, 6), (False, 6)]
    placement = kf.analyze(kf.Position.from_fen("N3/4/4 b"), "greedy(open)", exact_ms=10_000)
    assert placement.winner == 2
    assert {move.distance for move in placement.moves} == {None}
    with pytest.raises(kf.KnightfallError, match="the milliseconds for exact values"):
        kf.analyze(position, "greedy(open)", exact_ms=-1)


# --- the book


@pytest.mark.long
def test_a_book_is_verified(book: Path) -> None:
    done = run("book", "verify", "--file", str(book), "--sample", "60", "--seed", "3", "--workers", "1")
    assert done.returncode == 0
    assert re.fullmatch(r"5x5, to ply 4: a sample solved again, 60 of 60 agree, [\d.]+ s\n", done.stdout)
    everything = as_json("book", "verify", "--file", str(book), "--board", "5x5", "--all")
    assert (everything["solved"], everything["agree"]) == (1_318, 1_318)
    assert (everything["wrong"], everything["faults"]) == ([], [])


@pytest.mark.long
def test_planted_errors_are_found(book: Path, tmp_path: Path) -> None:
    right = read_book(book)
    lines = list(right.exceptions)
    missing, added = lines.pop(20), "5/5/5/2N2/1n3 w"
    wrong = tmp_path / "wrong.txt"
    position = kf.Position.from_fen(added).canonical()
    assert position.fen() not in lines
    write_book(replace(right, exceptions=tuple(sorted((*lines, position.fen())))), wrong)
    found = as_json("book", "verify", "--file", str(wrong), "--all", code=1)
    truth = {fen: kf.solve(kf.Position.from_fen(fen)).winner for fen in (missing, position.fen())}
    assert {row["fen"]: row["winner"] for row in found["wrong"]} == truth
    assert found["agree"] == 1_316
    # A sample looks at the exceptions first, and at entries that no one would find.
    other = next(image for s in position.geometry.symmetries if (image := position.transform(s)) != position)
    write_book(replace(right, exceptions=tuple(sorted((position.fen(), other.fen())))), wrong)
    done = run("book", "verify", "--file", str(wrong), "--sample", "4", "--workers", "1")
    assert done.returncode == 1
    assert f"wrong: {position.fen()}: the book says that" in done.stdout
    assert f"fault: {other.fen()} is in the book, but no one would find it there" in done.stdout


def test_what_a_book_says(book: Path) -> None:
    facts = as_json("book", "show", "--file", str(book))
    assert (facts["board"], facts["plies"], facts["positions"]) == ("5x5", 4, 1_318)
    assert facts["exceptions"] == len(read_book(book).exceptions) == sum(row["exceptions"] for row in facts["by_ply"])
    told = run("book", "show", "5/5/2N2/4n/5 w", "--file", str(book)).stdout
    assert told.endswith("first wins, an exception to the colour rule\n+ win: a4\n- lose: b5 d5 e4 a2 b1 d1\n")
    found = as_json("book", "show", "--fen", "5/5/5/2N2/1n3 w", "--file", str(book))
    truth = kf.solve(kf.Position.from_fen(found["fen"]))
    assert (found["winner"], found["follows_colour_rule"]) == (truth.winner, True)
    assert {row["move"]: row["wins"] for row in found["moves"]} == {
        truth.position.geometry.label(square): wins for square, wins in truth.moves.items()
    }
    later = run("book", "show", LATE, "--file", str(book))
    assert later.returncode == 0
    assert "the book says nothing: this is ply 5, and it ends at ply 4; knightfall solve finds out" in later.stdout


def test_ctrl_c_leaves_no_half_written_book(tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    command = ("book", "build", "--board", "8x8", "--plies", "2", "-o", str(file))
    done = at_terminal(*command, columns=120, keys=[("positions", CTRL_C)])
    assert done.code == 130
    assert done.text.split()[-1] == "interrupted"
    assert [*tmp_path.iterdir()] == []


# --- play


@pytest.mark.long
def test_hints_are_exact_where_the_solver_can_tell() -> None:
    done = run("play", "--fen", LATE, "--second", "perfect", "--seed", "1", stdin="hint\nscore\nc3\nquit\n").stdout
    assert "first to move> hint\nc3: this wins in 13 moves; that is proven\n" in done
    assert "first to move> score\nfirst wins in 13 moves, second loses: that is proven (solver)\n" in done
    assert re.search(r"^second plays \w\d: loses in 12, by the solver, \d+\.\d{3} s$", done, re.M)
    lost = run("play", "--fen", LOST, "--second", "human", stdin="hint\nquit\n").stdout
    assert re.search(r"> hint\n\w\d: this loses in 6 moves, and every other move loses, too; that is proven\n", lost)
    # Who names an analyst wants its opinion.
    named = ("--second", "human", "--analyst", "greedy(open)")
    assert "proven" not in run("play", "--fen", LATE, *named, stdin="hint\nscore\nquit\n").stdout


def test_the_perfect_player_is_explained_and_plays() -> None:
    told = run("agents", "perfect(ms=50)").stdout
    assert re.search(r"^  ms +50 +- +milliseconds for one move, at the most; 120", told, re.M)
    game = run("play", "--first", "random", "--second", "perfect", "--board", "5x5", "--seed", "2").stdout
    assert re.search(r"^ +2 second \w\d +wins ", game, re.M)
    assert re.search(r"^second wins after \d+ moves: first is stuck$", game, re.M)


def test_help_of_the_new_commands_imports_nothing_heavy() -> None:
    for command in (["solve"], ["book"], ["book", "verify"]):
        done = subprocess.run(
            [KNIGHTFALL[0], "-X", "importtime", *KNIGHTFALL[1:], *command, "--help"],
            capture_output=True,
            text=True,
            timeout=900,
        )
        imported = {line.rsplit("|", 1)[1].strip().split(".")[0] for line in done.stderr.splitlines() if "|" in line}
        assert not imported & {"numba", "numpy", "llvmlite", "rich"}
    assert "Commands:" in run("book").stdout


def test_the_books_of_the_package_are_books() -> None:
    for board in ("5x5", "7x7"):
        known = book_of(kf.Geometry.parse(board))
        if known is not None:
            assert Book.from_text(known.to_text()) == known
            assert len(known.counts) == known.plies - 1
