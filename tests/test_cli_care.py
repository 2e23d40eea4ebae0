"""Care taken with what a user types: suggestions, output files, options that would be ignored, plurals and signs."""

from __future__ import annotations

from pathlib import Path

import pytest

from knightfall.arena.openings import OpeningError
from knightfall.arena.prepare import prepare
from knightfall.arena.request import Request
from knightfall.arena.statistics.pairs import Interval
from knightfall.arena.tables import _elo
from knightfall.cli import main
from knightfall.cli.run.outputs import check_outputs
from knightfall.rules import Position

BUG = "def custom_score(game, player):\n    return 1 +* 2\n"
FEN = "N2/3/2n w"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bug.py").write_text(BUG)
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        # names, in every command that takes them
        ("tournament imprved", "heuristic or agent 'imprved' not found; did you mean improved?"),
        ("tournament alfabeta", "heuristic or agent 'alfabeta' not found; did you mean alphabeta?"),
        ("tournament xyzzy", "'xyzzy' not found; `knightfall heuristics` and `knightfall agents` list them"),
        ("tournament open --panel gn2", "panel 'gn2' not found; did you mean gen2?"),
        ("tournament open --panel imprved", "panel 'imprved' not found; did you mean improved?"),
        ("tournament open --baseline imprved", "heuristic or agent 'imprved' not found; did you mean improved?"),
        ("accuracy imprved", "heuristic 'imprved' not found; did you mean improved?"),
        ("tune imprved", "heuristic 'imprved' not found; did you mean improved?"),
        ("heuristics imprved", "heuristic 'imprved' not found; did you mean improved?"),
        (f"analyze {FEN!r} --agent imprved", "agent 'imprved' not found; did you mean alphabeta(improved)?"),
        ("play --first Perfct", "agent 'Perfct' not found; did you mean perfect?"),
        ("perft 2 --board 7by7", "'7by7' is not of the form WxH; did you mean 7x7?"),
        ("perft 2 --board 7", "'7' is not of the form WxH; did you mean 7x7?"),
        ("turnament", "No such command 'turnament'. Did you mean 'tournament'"),
        ("truth biuld", "No such command 'biuld'. Did you mean 'build'?"),
        # files are named as they were typed
        ("tournament bug.py", "knightfall: bug.py, line 2: does not parse"),
        ("tournament open --panel bug.py", "knightfall: bug.py, line 2: does not parse"),
        ("play --first AB_bug.py", "--first: bug.py, line 2: does not parse"),
        ("play --first bug.py", "a file holds heuristics; an agent is, say, alphabeta(bug.py)"),
        ("tournament open(x=1)", "'open(x=1)': character 1: open has no parameter 'x'"),
        # output files
        ("play --save taken", "taken: Is a directory"),
        (f"show {FEN!r} --svg taken", "taken: Is a directory"),
        (f"show {FEN!r} --svg no/b.svg", "no: No such file or directory"),
        (f"show {FEN!r} --svg file/b.svg", "file: Not a directory"),
        ("solve --openings --board 5x5 --svg taken", "taken: Is a directory"),
        ("tournament open --db taken", "taken: Is a directory"),
        ("replicate D --db taken", "taken: Is a directory"),
        ("tune reach -o taken", "taken: Is a directory"),
        ("truth build --positions 9 -o taken", "taken: Is a directory"),
        ("book build -o no/book.txt", "no: No such file or directory"),
        ("games --export no/g.txt", "no: No such file or directory"),
        ("report -o taken", "taken: Is a directory"),
        # options that would be ignored
        ("tournament open --panel ''", "--panel: opponents are expected"),
        ("tournament open --baseline ''", "--baseline: an agent, a heuristic or none is expected"),
        ("tournament open --sprt 0,5 --panel Random --baseline open", "--sprt goes with --panel or with --baseline"),
        (f"show {FEN!r} --theme dark", "--theme goes with --svg only"),
        ("heuristics open --interpreted", "--interpreted goes with --fen"),
        (f"heuristics open --check --fen {FEN!r}", "--check goes without --fen"),
        ("replicate D --ms 3 --nodes 30", "--ms and --nodes exclude each other"),
        ("book verify --all --sample 3", "--all and --sample exclude each other"),
        ("perft 2 --board ''", "bad board: '' is not of the form WxH, as in 7x7"),
        # numbers
        ("perft 200", "Invalid value for 'DEPTH': a whole number from 0 to 128 is expected, not '200'"),
        ("tournament open --seed -1", "a whole number from 0 to 2^64 - 1 is expected, not '-1'"),
    ],
)
def test_a_mistake_gets_one_line_before_any_work(
    folder: Path, arguments: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    import shlex

    before = sorted(folder.iterdir())
    assert main(shlex.split(arguments)) == 2
    told = capsys.readouterr()
    [line] = told.err.splitlines()
    assert message in line
    assert told.out == ""
    assert sorted(folder.iterdir()) == before


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    check_outputs(tmp_path / "fine.txt", None)
    with pytest.raises(OSError, match=r"no file can be written there: .*/proc"):
        check_outputs(tmp_path / "fine.txt", Path("/proc/x.txt"))


def test_what_was_written_is_confirmed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", FEN, "--svg", "b.svg", "--theme", "dark"]) == 0
    assert capsys.readouterr().out.endswith("\npicture written to b.svg\n")
    assert main(["show", FEN, "--svg", "b.svg", "--json"]) == 0
    assert capsys.readouterr().out.startswith("{")


def test_one_of_a_thing_is_singular(folder: Path) -> None:
    (folder / "one.txt").write_text(f"{Position.from_fen(FEN).fen()}\n")
    with pytest.raises(OpeningError, match="it has only 1 position; 3 requested"):
        prepare(Request(["open"], ["Random"], 3, openings="one.txt"))


def test_nothing_is_minus_zero() -> None:
    assert _elo(Interval(-0.2, -411.0, 411.0)).strip() == "+0 [-411, +411]"


def test_an_infinite_score_reads_like_the_exact_value_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    # The heuristic scores the end of the game, which the search has reached without counting moves.
    position = "1****/*****/*N**n/*****/***** w"
    agent = "minimax(improved, depth=1, horizon=heuristic)"
    assert main(["analyze", position, "--agent", agent]) == 0
    assert "inf" not in capsys.readouterr().out
    assert main(["analyze", position, "--agent", agent, "--exact", "0"]) == 0
    assert "inf" in capsys.readouterr().out
