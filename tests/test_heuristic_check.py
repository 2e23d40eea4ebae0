"""`heuristics FILE --check` looks at everything, whatever it finds; the trial before it refuses what is of no use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from knightfall.catalogue.check import check
from knightfall.catalogue.heuristic import Code
from knightfall.catalogue.loader import load
from knightfall.catalogue.sandbox_check import random_positions
from knightfall.cli import main
from knightfall.compiler.errors import HeuristicError
from knightfall.rules import Position

HEAD = "def score(game, player):\n    own = game.get_legal_moves(player)\n"
DIVIDES = HEAD + "    return len(own) / len(game.get_legal_moves(game.get_opponent(player)))\n"
TAKES_FIRST = HEAD + "    return own[0][0]\n"
NO_RETURN = HEAD + "    if len(own) > 2:\n        return 1.0\n"
SOME_RAISE = {
    "divides": (DIVIDES, "ZeroDivisionError: division by zero (line 3)"),
    "takes first": (TAKES_FIRST, "IndexError: list index out of range (line 3)"),
    "no return": (NO_RETURN, "it returns None"),
}
LOUD = "def score(game, player):\n    print('heard')\n    return 1 / len(game.get_legal_moves(player))\n"
FINISHED_ONLY = "def score(game, player):\n    return 1 / len(game.get_legal_moves(game.active_player))\n"
UNFINISHED = """
def score(game, player):
    if game.get_legal_moves(game.active_player) and game.move_count >= 2:
        raise ValueError("no idea")
    return 0.0
"""
UNSEEDED = """
import random

class Thing:
    pass

def score(game, player):
    Thing()
    return random.SystemRandom().random()
"""


def write(folder: Path, text: str) -> str:
    (folder / "mine.py").write_text(text)
    return str(folder / "mine.py")


def tried() -> list[Position]:
    return list(random_positions(1_000, seed=2, sizes=((7, 7), (7, 7), (11, 9), (5, 6))))


def checked(file: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    """The exit code of a check, and what it prints as JSON."""
    code = main(["heuristics", file, "--check", "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("case", SOME_RAISE)
def test_what_raises_in_some_positions_is_checked_to_the_end(case: str, tmp_path: Path) -> None:
    text, error = SOME_RAISE[case]
    made = load(write(tmp_path, text), trial=False)
    found = check(made)
    # The same count by the rules: a player has too few moves.
    least = 2 if case == "no return" else 0
    raising = [p for p in tried() if min(len(p.moves_of(1)), len(p.moves_of(2))) <= least]
    over = sum(position.is_over for position in raising)
    assert (found.positions, found.raising, found.finished) == (1_000, len(raising), over)
    assert found.in_play > 0
    [failure] = found.failures
    assert (failure.error, failure.positions) == (error, len(raising))
    assert not failure.position.is_over
    with pytest.raises(HeuristicError):
        made.value(failure.position, failure.player, interpreted=True)
    assert found.difference is None
    assert not found.is_passed
    assert found.timing is not None
    assert 0 < found.timed < found.to_time


def test_a_check_that_fails_is_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, DIVIDES)
    assert main(["heuristics", "mine.py", "--check"]) == 1
    out, errors = capsys.readouterr()
    assert errors == ""
    lines = out.splitlines()
    assert lines[:3] == ["mine.py: score", "  compiles     yes", "  agrees       yes, on 1,000 random positions"]
    assert lines[3].startswith("  raises       in ")
    assert " in play, " in lines[3]
    assert lines[4].strip().startswith("ZeroDivisionError: division by zero (line 3): ")
    assert lines[5].strip().startswith("for example player ")
    assert lines[6].startswith("  costs        ")


def test_what_a_function_prints_does_not_reach_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, LOUD)
    code, facts = checked(file, capsys)
    assert code == 1
    assert facts["raises"]["positions"] > 0
    assert main(["heuristics", file, "--fen", "7/7/3n3/7/7/2N4/7 w", "--interpreted", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["values"]) == 2


def test_errors_in_finished_positions_only_do_not_fail_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["heuristics", write(tmp_path, FINISHED_ONLY), "--check"]) == 0
    text = capsys.readouterr().out
    assert " finished\n" in text
    assert "in play" not in text
    assert "horizon=heuristic" in text


def test_errors_are_counted_by_exception_and_line(tmp_path: Path) -> None:
    text = (
        "WEIGHTS = {2: 1.0}\n\n\n"
        "def score(game, player):\n"
        "    count = len(game.get_legal_moves(player))\n"
        "    if count == 3:\n"
        "        raise ValueError(str(game.move_count))\n"
        "    return WEIGHTS[count]\n"
    )
    found = check(load(write(tmp_path, text), trial=False), 200)
    assert [failure.error.partition(":")[0] for failure in found.failures] == ["KeyError", "ValueError"]
    assert found.failures[0].positions > found.failures[1].positions > 0
    assert found.raising <= sum(failure.positions for failure in found.failures)


def test_what_raises_in_every_unfinished_position_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["heuristics", write(tmp_path, UNFINISHED), "--check"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "ValueError: no idea (line 4); player " in line
    position = Position.from_fen(line.rpartition(" in ")[2])
    assert not position.is_over
    assert None not in position.locations


def test_what_raises_in_every_interpreted_position_is_refused_though_compiled_code_does_not(tmp_path: Path) -> None:
    """The interpreted form is the one that would be used, so its errors count."""
    text = "def score(game, player):\n    x = 1\n    for i in range(900): x *= 10\n    return float(x)\n"
    with pytest.raises(HeuristicError, match=r"OverflowError: int too large to convert to float \(line 4\)"):
        load(write(tmp_path, text))


def test_without_a_compiled_form_there_is_nothing_to_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unseeded function differs from itself; that is no difference between two forms."""
    file = write(tmp_path, UNSEEDED)
    code, facts = checked(file, capsys)
    assert code == 0
    assert facts["difference"] is None
    assert not facts["compiled"]
    assert not facts["why_not"].startswith("differs")
    assert main(["heuristics", file, "--check"]) == 0
    assert "agrees" not in capsys.readouterr().out


def test_every_difference_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference that only late positions show: the check goes on after the first."""
    text = "def score(game, player):\n    x = 1\n    for i in range(game.move_count): x *= 7\n    return float(x)\n"
    made = load(write(tmp_path, text), trial=False)
    monkeypatch.setattr(Code, "_compare", lambda *_: None)  # or the compiled form would be given up before the check
    monkeypatch.setattr("knightfall.catalogue.check.is_from_file", lambda _: False)  # in this process
    found = check(made, 200)
    late = [p for p in random_positions(200, seed=2, sizes=((7, 7), (7, 7), (11, 9), (5, 6))) if p.ply > 22]
    assert found.differing == len(late) > 1
    assert found.difference is not None
    assert not found.is_passed
