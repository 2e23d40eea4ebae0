"""Help: grouped, readable at any width, with examples that work."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from knightfall.cli import main
from knightfall.cli.app import command
from knightfall.cli.examples import EXAMPLES
from knightfall.cli.help import GROUPS

MINE = "def custom_score(game, player):\n    return float(len(game.get_legal_moves(player)))\n"

TAKES_LONGER = re.compile(
    "compare|tune|replicate|report|truth (build|show)|book (build|verify)|heuristics|bench|accuracy|analyze|solve"
    "|review"
)
"""Examples that only the long tests run; the commands have tests of their own."""


ROOT = command()


def commands(group: Any = ROOT, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its name, groups included."""
    yield before, group
    for name, found in getattr(group, "commands", {}).items():
        yield from commands(found, f"{before} {name}".strip())


NAMES = [name for name, _ in commands()]


def help_of(name: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main([*name.split(), "--help"]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_help_fits_and_leaves_nothing_out(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for name, found in commands():
        lines = help_of(name, capsys)
        for line in lines:
            assert len(line) <= columns or "'" in line, (name, line)  # what is in quotes is not broken
            assert not re.search(r"\[\[|x<=|<=x|\.\.\.\]|\d{12}|<\w+>", line), (name, line)
        text = "\n".join(lines)
        listed = re.split(r"^[A-Z][\w ]+:$", text, maxsplit=1, flags=re.M)[1]
        for param in found.params:
            if param.param_type_name == "option":
                option = max(param.opts, key=len)
                assert len(re.findall(rf"^  (?:-\w, )?{option}(?![\w-])", listed, re.M)) == 1, (name, option)
        assert text.count("\nExamples:\n") == 1, name


def test_options_stand_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    for name, found in commands():
        heads = [line[:-1] for line in help_of(name, capsys) if re.fullmatch(r"[A-Z][\w ]+:", line)]
        assert len(heads) == len(set(heads)), name
        assert heads[-1] == "Examples"
        if len(found.params) > 5:
            assert len(set(heads) & set(GROUPS)) >= 3, name


def test_the_usage_line_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    assert help_of("tournament", capsys)[0] == "Usage: knightfall tournament [OPTIONS] [CANDIDATE]..."
    assert help_of("perft", capsys)[0] == "Usage: knightfall perft [OPTIONS] DEPTH"
    assert help_of("compare", capsys)[0] == "Usage: knightfall compare [OPTIONS] OLD NEW"


@pytest.mark.parametrize("name", ["book", "truth"])
def test_a_group_alone_prints_its_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name]) == 0
    assert capsys.readouterr().out.splitlines() == help_of(name, capsys)


def test_every_command_has_two_examples_that_can_be_read() -> None:
    assert sorted(EXAMPLES) == sorted(NAMES)
    for name, examples in EXAMPLES.items():
        assert len(examples) == 2
        for _, example in examples:
            assert example.startswith(f"knightfall {name}".rstrip())
            parsed(shlex.split(example)[1:])


def parsed(arguments: list[str]) -> Any:
    """The context of a command line; an error where it cannot be read."""
    context = ROOT.make_context("knightfall", list(arguments))
    while hasattr(context.command, "commands"):
        rest = [*context._protected_args, *context.args]
        if not rest:
            return context
        name, found, rest = context.command.resolve_command(context, rest)
        context = found.make_context(name, rest, parent=context)
    return context


ORDERED = [example for name in ("tournament", "play", "book build", *NAMES) for _, example in EXAMPLES[name]]
"""Those that write the ledger and the game which others read come first."""


def try_all(examples: list[str], folder: Path) -> None:
    for name in ("my.py", "old.py", "new.py"):
        (folder / name).write_text(MINE.replace("float(", "float(2 * ") if name == "new.py" else MINE)
    for example in dict.fromkeys(examples):
        out = StringIO()
        with redirect_stdout(out), redirect_stderr(out):
            assert main(shlex.split(example)[1:]) == 0, (example, out.getvalue())


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", StringIO(""))
    try_all([example for example in ORDERED if not TAKES_LONGER.search(example)], tmp_path)


@pytest.mark.long
def test_all_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", StringIO(""))
    try_all(ORDERED, tmp_path)
