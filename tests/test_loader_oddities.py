"""Files that are unusual, but valid Python: each is loaded as it is, or refused in one line."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from commands import run

from knightfall.catalogue.loader import load
from knightfall.catalogue.registry import heuristic
from knightfall.compiler.errors import HeuristicError
from knightfall.rules import Position

POSITION = Position.from_fen("7/7/3n3/7/7/2N4/7 w")
HEAD = b"def custom_score(game, player):\n    return "

GOOD = {
    "a constant that is changed": (
        {"a.py": b"W = [1, 2]\nW[0] = 99\nT = {}\nfor i in range(9): T[i] = i * i\n" + HEAD + b"W[0] + T[3]\n"},
        108.0,
    ),
    "files that import each other": (
        {
            "a.py": b"from b import g\ndef k(x): return x + 1\n" + HEAD + b"g(2)\n",
            "b.py": b"from a import k\ndef g(x): return k(x) * 2\n",
        },
        6.0,
    ),
    "a lambda": ({"a.py": b"custom_score = lambda game, player: len(game.get_legal_moves(player)) * 2\n"}, 12.0),
    "a byte order mark": ({"a.py": b"\xef\xbb\xbf" + HEAD + b"1.5\n"}, 1.5),
    "a declared encoding": ({"a.py": b"# -*- coding: latin-1 -*-\n# \xe9\n" + HEAD + b"2.5\n"}, 2.5),
    "a negative power": ({"a.py": HEAD + b"2 ** -len(game.get_legal_moves(player))\n"}, 2.0**-6),
    "a keyword-only parameter": ({"a.py": b"def custom_score(game, player, *, w=2.5): return w\n"}, 2.5),
    "text that is printed": ({"a.py": HEAD + b"1.0 if print('x') is None else 2.0\n"}, 1.0),
    "a location unpacked before placement": (
        {"a.py": b"def custom_score(game, me):\n    y, x = game.get_player_location(me)\n    return 10 * y + x\n"},
        52.0,
    ),
    "a star import": ({"a.py": b"from b import *\n" + HEAD + b"h()\n", "b.py": b"def h(): return 4.0\n"}, 4.0),
}


def write(folder: Path, files: dict[str, bytes]) -> str:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return f"{folder}/a.py:custom_score"


@pytest.mark.parametrize("case", GOOD)
def test_unusual_files_are_loaded(tmp_path: Path, case: str) -> None:
    files, expected = GOOD[case]
    made = load(write(tmp_path, files))
    assert made.value(POSITION, 1) == expected
    assert made.value(POSITION, 1, interpreted=True) == expected
    assert made.compiled


BAD = {
    "an import of itself": ({"a.py": b"from a import x\n" + HEAD + b"x\n"}, "line 1: x is imported in a circle"),
    "an exit": ({"a.py": b"import sys\n" + HEAD + b"sys.exit(0)\n"}, "it calls exit; player 1 in "),
    "a hard exit": (
        {"a.py": b"import os\n" + HEAD + b"os._exit(0)\n"},
        "it ended the process with exit code 0; player ",
    ),
    "any number of arguments": ({"a.py": b"def custom_score(*args): return 1\n"}, r"cannot take \*args"),
    "an unknown encoding": ({"a.py": b"# -*- coding: nonsense -*-\n" + HEAD + b"1\n"}, "unknown encoding"),
    "bytes that are no text": ({"a.py": HEAD + b"1 # \xff\n"}, "byte 48 is not UTF-8 text"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_used_is_refused_in_one_line(tmp_path: Path, case: str) -> None:
    files, message = BAD[case]
    with pytest.raises(HeuristicError, match=message) as caught:
        load(write(tmp_path, files))
    assert len(str(caught.value).splitlines()) == 1


def test_numbers_beyond_64_bits_are_left_to_python(tmp_path: Path) -> None:
    loop = b"    x = 1\n    for i in range(1, len(game.get_blank_spaces())): x *= i\n"
    code = b"def custom_score(game, player):\n" + loop + b"    return float(x)\n"
    file = write(tmp_path, {"a.py": code})
    done = run("heuristics", file, "--check", "--json")
    assert done.returncode == 1
    assert "compiled" in json.loads(done.stdout)["difference"]
    made = load(file, trial=False)
    assert not made.compiled
    assert made.code.failure is not None
    assert made.code.failure.startswith("differs: ")
    assert made.value(POSITION, 1, interpreted=True) == float(math.factorial(46))


@pytest.mark.parametrize("thing", [len, 3, "improved", list])
def test_what_is_no_function_makes_no_heuristic(thing: object) -> None:
    with pytest.raises(HeuristicError, match="a heuristic is made of a function"):
        heuristic(thing)  # type: ignore[call-overload]


def test_arguments_that_make_no_sense_are_refused() -> None:
    improved = load("improved")
    for arguments, options, message in (
        (("7/7 w", 1), {}, "a Position is expected"),
        ((POSITION, 3), {}, "the player is 1 or 2, not 3"),
        ((POSITION, True), {}, "the player is 1 or 2, not True"),
        ((POSITION, 1), {"ticks": -1}, "ticks must be a whole number"),
        ((POSITION, 1), {"ticks": 1.5}, "ticks must be a whole number"),
    ):
        with pytest.raises(HeuristicError, match=message):
            improved.value(*arguments, **options)
