"""A heuristic that is wrong is told so in one line; one that does not end is ended; nothing takes the process along."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
from commands import environment, started

import knightfall as kf
from knightfall.catalogue import loader
from knightfall.catalogue.loader import load
from knightfall.catalogue.registry import UnknownHeuristic
from knightfall.compiler.errors import HeuristicError, HeuristicWarning
from knightfall.rules import Geometry, Position

FAULTY = Path(__file__).parent / "student" / "faulty.py"
POSITION = Position.from_fen("7/7/3n3/7/7/2N4/7 w")
WIDE = Position.from_fen("11/2*5*2/4n6/11/1*7*1/11/6N4/2*8/11 b")
START = Position.start(Geometry(7, 7))

# What each function of the file does wrong when it is evaluated.
CAUSES = {
    "endless": "OutOfTicks: it does not end: out of ticks",
    "endless_helper": "OutOfTicks: it does not end: out of ticks",
    "deep": "TooDeep: the recursion is too deep",
    "deep2": "TooDeep: the recursion is too deep",
    "mutual_a": "TooDeep: the recursion is too deep",
    "mutual_b": "TooDeep: the recursion is too deep",
    "out_of_range": "IndexError: ",
    "zero": "ZeroDivisionError: division by zero",
    "none": "it returns None",
    "text": "it returns 'good', which is no number",
    "nan": "it returns nan, which is no number",
    "cplx": "it returns (1+2j), which is no number",
    "missing": "AttributeError: the game has no 'get_best_move'",
    "missing_name": "NameError: name 'helper' is not defined",
    "raises": "ValueError: no idea",
}
# What is wrong with others before that.
REFUSED = {
    "one": "a heuristic takes (game, player), and parameters",
    "nodefault": "the parameter 'w' needs a default value",
}
DEADLY = ("kills", "sleeps")
RIGHT = ("opens", "asks", "patient", "late")
HELPERS = ("loop", "count")


def faulty(name: str) -> kf.Heuristic:
    return load(f"{FAULTY}:{name}", trial=False)


def message_of(made: kf.Heuristic, position: Position, player: int, **how: Any) -> str:
    """The one line that an evaluation fails with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HeuristicWarning)
        with pytest.raises(HeuristicError) as caught:
            made.value(position, player, **how)
    message = str(caught.value)
    assert message
    assert "\n" not in message
    return message


def refusal(text: str, *, trial: bool = False) -> str:
    """The one line that a heuristic is refused with."""
    with pytest.raises(HeuristicError) as caught:
        load(text, trial=trial)
    message = str(caught.value)
    assert message
    assert "\n" not in message
    return message


def written(folder: Path, text: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def run_python(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=900, env=environment(**env)
    )


def test_every_faulty_function_is_looked_at() -> None:
    import ast

    names = {node.name for node in ast.parse(FAULTY.read_text()).body if isinstance(node, ast.FunctionDef)}
    assert names == {*CAUSES, *REFUSED, *DEADLY, *RIGHT, *HELPERS}


# Evaluation


@pytest.mark.parametrize("interpreted", [False, True], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("name", CAUSES)
def test_an_error_names_file_function_cause_and_position(
    name: str, interpreted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FAULTY.parent)
    for position, player in ((POSITION, 1), (WIDE, 2)):
        message = message_of(faulty(name), position, player, ticks=10_000, interpreted=interpreted)
        assert message.startswith(f"faulty.py: {name}: {CAUSES[name]}")
        assert message.endswith(f"; player {player} in {position.fen()}")


@pytest.mark.parametrize("interpreted", [False, True], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("name", ["endless", "endless_helper"])
def test_what_does_not_end_is_ended_in_time(name: str, interpreted: bool) -> None:
    assert "OutOfTime: it does not end: out of time" in message_of(
        faulty(name), POSITION, 1, ms=20, interpreted=interpreted
    )


def test_a_deep_recursion_that_is_compiled_is_ended(tmp_path: Path) -> None:
    text = """
def down(game, n):
    if n < 0:
        return 0.0
    return down(game, n + 1) + 1.0

def score(game, player):
    return down(game, len(game.get_legal_moves(player)))
"""
    made = load(f"{written(tmp_path, text)}:score", trial=False)
    assert made.compiled
    for interpreted in (False, True):
        message = message_of(made, POSITION, 1, interpreted=interpreted)
        assert "score: TooDeep: the recursion is too deep; player 1 in" in message


def test_the_function_goes_on_working_after_an_error(tmp_path: Path) -> None:
    text = "def score(game, player):\n    return 1 / (game.move_count - 2)\n"
    made = load(f"{written(tmp_path, text)}:score", trial=False)
    for _ in range(3):
        assert "ZeroDivisionError" in message_of(made, POSITION, 1)
        assert made.value(START, 1) == -0.5


# Loading


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_heuristic_is_refused(name: str) -> None:
    message = refusal(f"{FAULTY}:{name}")
    assert "faulty.py, line " in message
    assert message.endswith(f": {name}: {REFUSED[name]}")


def test_files_that_cannot_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    good = (
        "def a(game, player):\n    return 1\n\n\ndef b(game, player):\n    return 2\n\n\ndef helper(x):\n    return x\n"
    )
    written(tmp_path, good, "two.py")
    written(tmp_path, "X = 1\n\n\ndef helper(x):\n    return x\n", "none.py")
    written(tmp_path, "def a(game, player):\n    return (1\n", "bad.py")
    written(
        tmp_path,
        "import not_installed\n\n\ndef a(game, player):\n    return not_installed.x\n",
        "imports.py",
    )
    written(tmp_path, "from not_installed import x\n\n\ndef a(game, player):\n    return x\n", "imports_from.py")
    written(tmp_path, "def a(game, player, /, w, *, v=1):\n    return w\n", "default.py")
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\ndef a(game, player):\n    return 1\n")
    (tmp_path / "nul.py").write_bytes(b"def a(game, player):\n    return 1\n\0")
    (tmp_path / "folder.py").mkdir()
    for text, expected in (
        ("gone.py", "gone.py: No such file or directory"),
        ("gone.py:a", "gone.py: No such file or directory"),
        ("folder.py:a", "folder.py: Is a directory"),
        ("two.py", "two.py: several functions could be meant: a, b; write two.py:a"),
        ("two.py:c", "two.py: function 'c' not found; available: a, b"),
        ("none.py", "none.py: no function (game, player) found"),
        ("none.py:a", "none.py: function 'a' not found"),
        ("none.py:X", "none.py: function 'X' not found"),
        ("bad.py:a", "bad.py, line 2: does not parse: '(' was never closed"),
        ("bad.py", "bad.py, line 2: does not parse: '(' was never closed"),
        (
            "imports.py",
            "imports.py, line 1: a uses the module 'not_installed', which is neither beside it nor installed",
        ),
        (
            "imports_from.py",
            "imports_from.py, line 1: a uses the module 'not_installed', which is neither beside it nor installed",
        ),
        ("default.py:a", "default.py, line 1: a: the parameter 'w' needs a default value"),
        ("latin.py:a", "latin.py: byte 6 is not UTF-8 text"),
    ):
        assert refusal(text) == expected
    assert "nul.py" in refusal("nul.py:a")
    assert load("two.py:b", trial=False).value(POSITION, 1) == 2


def test_an_unused_import_that_is_missing_does_not_matter(tmp_path: Path) -> None:
    path = written(tmp_path, "import not_installed\n\n\ndef a(game, player):\n    return 3\n")
    assert load(str(path), trial=False).value(POSITION, 1) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("improved(", "'improved(': character 10: ) is expected"),
        ("reach(k=1", "'reach(k=1': character 10: ) is expected"),
        ("reach(k)", "'reach(k)': character 7: name=value is expected, not 'k'"),
        ("reach(1)", "'reach(1)': character 7: name=value is expected, not '1'"),
        ("contested_reach(k=1,c)", "'contested_reach(k=1,c)': character 21: name=value is expected, not 'c'"),
        ("contested_reach(k=1,,c=2)", "'contested_reach(k=1,,c=2)': character 21: name=value is expected, not ''"),
        ("reach(k=1,k=2)", "'reach(k=1,k=2)': character 11: a second k"),
        ("reach(k=1.5)", "reach: k must be a whole number, not 1.5"),
        ("reach(k=many)", "reach: k must be a number, not 'many'"),
        ("reach(k=nan)", "reach: k must be a whole number, not nan"),
        ("weighted_mobility(mix=inf)", "weighted_mobility: mix must be a number, not inf"),
        ("reach(depth=2)", "reach has no parameter 'depth'; it has k"),
        ("improved(k=2)", "improved has no parameter 'k'; it has none"),
        ("space_proximity(metric=d3)", "space_proximity: metric is one of d1, d2, d2sq, not 'd3'"),
        ("imroved", "heuristic 'imroved' not found; did you mean improved?"),
        ("xyzzy", "heuristic 'xyzzy' not found; `knightfall heuristics` lists them"),
        ("", "heuristic '' not found; `knightfall heuristics` lists them"),
    ],
)
def test_a_text_that_names_no_heuristic(text: str, expected: str) -> None:
    assert refusal(text) == expected


def test_an_unknown_name_is_a_key_error_too() -> None:
    with pytest.raises(UnknownHeuristic):
        kf.heuristics["xyzzy"]
    assert kf.heuristics.get("xyzzy") is None
    assert "xyzzy" not in kf.heuristics


# The trial in a child process


def test_what_kills_its_process_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FAULTY.parent)
    message = refusal("faulty.py:kills", trial=True)
    assert message.startswith(
        "faulty.py: kills: refused: in its trial it ended the process by signal 9 (SIGKILL); player "
    )


def test_what_hangs_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FAULTY.parent)
    monkeypatch.setattr(loader, "TRIAL_SECONDS", 3)
    expected = "faulty.py: sleeps: refused: in its trial it did not end within 3 seconds; player "
    assert refusal("faulty.py:sleeps", trial=True).startswith(expected)


def test_what_fails_on_some_positions_is_loaded_and_fails_there(tmp_path: Path) -> None:
    path = written(tmp_path, "def score(game, player):\n    return 1 / len(game.get_legal_moves(player))\n")
    made = load(str(path))
    assert made.compiled
    assert made.value(POSITION, 1) == 1 / 6
    for interpreted in (False, True):
        with pytest.raises(HeuristicError, match=r"score: ZeroDivisionError: division by zero.*; player 1 in N1/1n w"):
            made.value(Position.from_fen("N1/1n w"), 1, interpreted=interpreted)


def test_what_passes_its_trial_is_tried_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = written(tmp_path, "def score(game, player):\n    return len(game.get_legal_moves(player))\n")
    assert load(str(path)).value(POSITION, 1) == 6
    monkeypatch.setattr(loader, "TRIAL_SECONDS", 0)
    assert load(str(path)).value(POSITION, 2) == 8


# Random numbers, ticks, time

NOISE = """
import random
from random import choice, uniform

def noise(game, player):
    return random.random() + 10 * random.randint(1, 6) + uniform(0, 0.5) + 100 * choice([1, 2, 3])
"""


def test_random_numbers_depend_on_the_position_alone(tmp_path: Path) -> None:
    path = written(tmp_path, NOISE)
    made = load(f"{path}:noise", trial=False)
    assert made.compiled
    values = {made.value(position, player) for position in (POSITION, WIDE, START) for player in (1, 2)}
    assert len(values) == 3
    assert {made.value(p, 1, interpreted=True) for p in (POSITION, WIDE, START)} == values
    code = f"""
import knightfall as kf
from knightfall.catalogue.loader import load
made = load({f"{path}:noise"!r}, trial=False)
for fen in {[p.fen() for p in (POSITION, WIDE, START)]!r}:
    position = kf.Position.from_fen(fen)
    print(repr(made.value(position, 1)), repr(made.value(position, 1, interpreted=True)))
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    assert {float(text) for text in done.stdout.split()} == values


@pytest.mark.parametrize("interpreted", [False, True], ids=["compiled", "interpreted"])
def test_ticks_are_counted_exactly(interpreted: bool) -> None:
    for ticks in (0, 1, 100, 2_001, 10_000):
        asked = faulty("asks").value(POSITION, 1, ticks=ticks, interpreted=interpreted)
        assert asked == ticks
        waited = faulty("patient").value(POSITION, 1, ticks=ticks, interpreted=interpreted)
        assert waited == max(ticks - 2_001, 0)


@pytest.mark.parametrize("interpreted", [False, True], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("name", ["line_count", "won_lines", "longest_line", "longest_line_difference"])
def test_tree_counters_stop_at_the_same_tick_each_time(name: str, interpreted: bool) -> None:
    made = kf.heuristics[name]
    for ticks in (0, 1, 50, 3_000):
        found = {made.value(POSITION, 1, ticks=ticks, interpreted=interpreted) for _ in range(2)}
        assert found == {made.value(POSITION, 1, ticks=ticks)}


@pytest.mark.parametrize("name", ["line_count", "won_lines", "longest_line"])
@pytest.mark.parametrize("interpreted", [False, True], ids=["compiled", "interpreted"])
def test_tree_counters_return_what_they_have_when_time_is_up(name: str, interpreted: bool) -> None:
    made = kf.heuristics[name]
    made.value(START, 1, ticks=10)  # compiled by now
    value = made.value(START, 1, ms=10, interpreted=interpreted)
    assert value != 0


@pytest.mark.parametrize("name", ["asks", "patient"])
def test_the_clock_is_asked_where_time_is_the_bound(name: str) -> None:
    for interpreted in (False, True):
        assert faulty(name).value(POSITION, 1, ms=10, interpreted=interpreted) > 0


def test_ctrl_c_ends_a_long_evaluation() -> None:
    code = """
import knightfall as kf
made = kf.heuristics["line_count"]
start = kf.Position.start(kf.Geometry(7, 7))
made.value(start, 1, ticks=10)
print("ready", flush=True)
made.value(start, 1, ms=3_600_000)
"""
    with started([sys.executable, "-c", code]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=900)  # it would take an hour
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert process.returncode == -signal.SIGINT


# The cache

COUNTED = """
import sys
from numba.core import event
import knightfall as kf
from knightfall.catalogue.loader import load
with event.install_recorder("numba:compile") as recorder:
    for text in sys.argv[1:]:
        position = kf.Position.from_fen("*1*3*/2*n*1*/***1***/1*****1/**N*1**/*1*****/***1*1* w")
        print(load(text, trial=False).value(position, 1), end=" ")
    print(len(recorder.buffer))
"""

MUTUAL = """
def even(game, n):
    return 1.0 if n == 0 else odd(game, n - 1)

def odd(game, n):
    return 0.0 if n == 0 else even(game, n - 1)

def score(game, player):
    return even(game, len(game.get_legal_moves(player)))
"""


def values_and_compilations(cache: Path, *names: str) -> tuple[list[float], int]:
    """The values of heuristics in a new process, and how many functions were compiled for them."""
    command = [sys.executable, "-c", COUNTED, *names]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=900, env=environment(KNIGHTFALL_CACHE_DIR=str(cache))
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    *values, compilations = done.stdout.split()
    return [float(value) for value in values], int(compilations)


@pytest.mark.parametrize(
    "names",
    [("improved",), ("won_lines", "stages"), ("longest_line",), ("longest_line", "longest_line_difference")],
    ids=" ".join,
)
@pytest.mark.long
def test_a_second_process_compiles_nothing(names: tuple[str, ...], tmp_path: Path) -> None:
    values, compilations = values_and_compilations(tmp_path, *names)
    assert compilations > 0
    assert values_and_compilations(tmp_path, *names) == (values, 0)


@pytest.mark.parametrize("text", ["mutual", str(FAULTY.with_name("forecast_recursive.py")) + ":custom_score"])
@pytest.mark.long
def test_a_users_recursion_survives_the_cache(text: str, tmp_path: Path) -> None:
    """Functions that call each other, or themselves with other types, refer to each other in their machine code."""
    if text == "mutual":
        text = f"{written(tmp_path, MUTUAL)}:score"
    first, _ = values_and_compilations(tmp_path / "cache", text)
    second, _ = values_and_compilations(tmp_path / "cache", text)
    assert first == second


def test_a_changed_helper_is_seen(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    helper = written(tmp_path, "WEIGHT = 2\n\n\ndef twice(x):\n    return WEIGHT * x\n", "helper.py")
    user = written(tmp_path, "from helper import twice\n\n\ndef score(game, player):\n    return twice(21)\n")
    (value,), compilations = values_and_compilations(cache, str(user))
    assert (value, compilations > 0) == (42.0, True)
    assert values_and_compilations(cache, str(user)) == ([42.0], 0)
    before = helper.stat()
    for old, new, expected in (("WEIGHT = 2", "WEIGHT = 3", 63.0), ("WEIGHT * x", "WEIGHT + x", 24.0)):
        helper.write_text(helper.read_text().replace(old, new))
        os.utime(helper, ns=(before.st_atime_ns, before.st_mtime_ns))  # only the content differs
        (value,), compilations = values_and_compilations(cache, str(user))
        assert (value, compilations > 0) == (expected, True)
