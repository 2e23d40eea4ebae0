"""JSON for programs: every result names its format and version, errors are JSON, and nothing else is on stdout."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import run
from json_results import COMMANDS, FEN, SLOW

from knightfall.cli import main
from knightfall.cli.json_output import FORMATS, only_json_on_stdout, print_json

PAGE = Path(__file__).parent.parent / "docs" / "json.md"


def documented() -> dict[str, list[str]]:
    """The fields of every format, as the page lists them."""
    found = {}
    for part in re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]:
        rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", part, re.M)
        found[part.partition("\n")[0]] = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    return found


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[tuple[str, Any]]]:
    folder = tmp_path_factory.mktemp("json")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield [(name, _result([*arguments, "--json"])) for name, arguments in COMMANDS]


def _result(arguments: list[str]) -> Any:
    from contextlib import redirect_stdout
    from io import StringIO

    out = StringIO()
    with redirect_stdout(out):
        assert main(arguments) == 0
    return json.loads(out.getvalue())


def test_every_result_has_its_format_its_version_and_the_fields_of_the_page(results: list[tuple[str, Any]]) -> None:
    pages = documented()
    seen: dict[str, set[str]] = {}
    for name, value in results:
        assert (value.pop("format"), value.pop("version")) == (f"knightfall.{name}", FORMATS[name])
        assert set(value) <= set(pages[f"knightfall.{name}"]), name
        seen.setdefault(name, set()).update(value)
    optional = {"truth": {"file"}}
    for name, fields in seen.items():
        assert set(pages[f"knightfall.{name}"]) - optional.get(name, set()) == fields, name
    assert set(seen) | SLOW == set(FORMATS)


def test_every_format_is_on_the_page() -> None:
    assert set(documented()) == {*(f"knightfall.{name}" for name in FORMATS), "knightfall game"}


@pytest.mark.parametrize(
    ("arguments", "kind", "code", "message"),
    [
        (["perft", "x", "--json"], "usage", 2, "a whole number from 0 to 128 is expected, not 'x'"),
        (["dance", "--json"], "usage", 2, "No such command 'dance'"),
        (["show", "7/7 x", "--json"], "input", 2, "the side to move is 'x'"),
        (["play", "--load", "missing.txt", "--json"], "file", 2, "missing.txt: No such file"),
        (["analyze", FEN, "--agent", "alphabeta(zero.py)", "--json"], "input", 2, "ZeroDivisionError"),
    ],
)
def test_errors_are_one_json_object_on_stderr(
    tmp_path: Path, arguments: list[str], kind: str, code: int, message: str
) -> None:
    (tmp_path / "zero.py").write_text("def f(game, player):\n    return 1 / (game.width - game.width)\n")
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    [line] = done.stderr.splitlines()
    told = json.loads(line)
    assert {name: told[name] for name in ("format", "version", "kind", "exit_code")} == {
        "format": "knightfall.error",
        "version": 1,
        "kind": kind,
        "exit_code": code,
    }
    assert message in told["error"]


def test_what_a_function_prints_does_not_get_between_the_json(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("def f(game, player):\n    print('listen')\n    return 1.0\n")
    done = run("heuristics", "loud.py", "--fen", FEN, "--interpreted", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["values"] == [1.0, 1.0]
    assert done.stderr == ""


def test_a_defect_of_ours_ends_in_json_as_well(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(FORMATS, "position")
    assert main(["show", FEN, "--json"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert json.loads(told.err.splitlines()[-1])["kind"] == "internal"
    assert "Traceback" in told.err


def test_numbers_that_json_lacks_are_written_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    with only_json_on_stdout():
        print("aside")
        print_json("perft", {"leaves": [float("inf"), -float("inf"), float("nan")]})
    told = capsys.readouterr()
    assert json.loads(told.out)["leaves"] == ["inf", "-inf", None]
    assert told.err == "aside\n"


def test_a_game_printed_as_json_can_be_loaded(tmp_path: Path) -> None:
    players = ["--first", "random", "--second", "random", "--seed", "1", "--board", "5x5"]
    (tmp_path / "game.json").write_text(run("play", *players, "--json").stdout)
    done = run("play", "--load", "game.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
