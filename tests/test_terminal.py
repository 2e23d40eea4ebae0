"""Every command that shows progress, colours or prompts, at a real terminal: what is on the screen at the end.

One width in `make test`; every width, with standard output in a file and not, in `make test-all`.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from terminals import CTRL_C, Keys, Session, at_terminal, program_at_terminal

import knightfall as kf
from knightfall.arena.ledger import Ledger
from knightfall.arena.prepare import prepare
from knightfall.arena.request import Request, read_budget
from knightfall.arena.run import begin
from knightfall.lab.truth.building import build_truth
from knightfall.lab.truth.sets import TruthJob

ROOT = Path(__file__).parent.parent
WIDTHS = (60, 80, 120)
LEFTOVERS = re.compile(
    r"games/s|[#.]{8}|\bcompiling AB_|is thinking|of [\d,]+ tasks|trial \d+ of \d+|reading the|drawing"
)
"""What live displays show, and nothing else does."""

# Commands to be copied, source code, and what the compiler announces: a terminal may break them where it likes.
UNBROKEN = (
    "resume with: ",
    "completed pairs are saved; resume with",
    "completed trials are saved; resume with",
    '    """',
    "compiling ",
)


@dataclass(frozen=True)
class Case:
    """A command, and what is seen of it."""

    arguments: tuple[str, ...]
    result: str
    """A pattern of what standard output has in the end."""

    shown: str = ""
    """A part of what the live display shows, where the command is sure to live long enough."""

    keys: Keys = ()
    code: int = 0


TOURNAMENT = ("tournament", "open", "--panel", "Random", "--nodes", "60", "--workers", "0")
MANY = "9000"  # more pairs, trials, positions, ... than anybody waits for

CASES = {
    "tournament": Case((*TOURNAMENT, "--pairs", "3"), r"Win Rate: .*%", shown="of 9 pairs"),
    "workers": Case(
        ("tournament", "open", "--panel", "Random", "--nodes", "60", "--workers", "2", "--pairs", "3"),
        r"Win Rate: .*%",
        shown="of 9 pairs",
    ),
    "resume": Case(("tournament", "--resume", "--db", "begun.db", "--workers", "0"), r"Win Rate: .*%", "of 6 pairs"),
    "replicate": Case(
        ("replicate", "D", "--pairs", "5", "--nodes", "10", "--workers", "0"),
        r"1 claim: \d hold",
        shown="trial 1 of ",
    ),
    "tune": Case(
        ("tune", "central_mobility(peak=?)", "--trials", "3", "--screening", "2", "--truth", "truth.gz"),
        r"use: central_mobility\(peak=",
        shown="trial 1 of 3",
    ),
    "truth": Case(
        ("truth", "build", "--board", "5x5", "--positions", "30", "--workers", "0", "-o", "new.gz"),
        r"\d+ positions written to new.gz",
    ),
    "book": Case(
        ("book", "build", "--board", "3x4", "--plies", "2", "--workers", "1", "-o", "book"), r"written to book"
    ),
    "solve": Case(("solve", "--board", "4x4"), r"second wins by the\s+mirror argument"),
    "analyze": Case(
        ("analyze", "7/7/3n3/7/7/2N4/7 w", "--agent", "alphabeta(improved, nodes=900)"), r"6 moves, [\d,]+ nodes"
    ),
    "play": Case(
        ("play", "--board", "4x4", "--second", "Random", "--seed", "1"),
        r"resume with: knightfall play",
        keys=(("first to move> ", "a1\n"), ("first to move> ", "help\n"), ("first to move> ", "quit\n")),
    ),
    "agents play": Case(
        ("play", "--first", "AB_open(nodes=50)", "--second", "Random", "--seed", "1"),
        r"(first|second) wins after \d+ moves",
    ),
    "list": Case(("heuristics",), r"^improved +AIND +Have more moves"),
    "heuristics": Case(("heuristics", "improved"), r"idea +Have more moves"),
    "accuracy": Case(
        ("accuracy", "open", "improved", "center", "--truth", "truth.gz", "--depths", "0,2", "--by-ply"),
        r"chance \d+\.\d%",
    ),
    "bench": Case(("bench", "signature"), r"Signature: \d+"),
    "report": Case(("report", "--db", "done.db"), r"report written to report.html \(\d+ kB\)", shown="drawing charts"),
    "experiments": Case(("experiments", "--db", "done.db"), r"1 +.*finished"),
    "error": Case(("solve", "--ms", "0"), r"^knightfall: --ms: a number of", code=2),
}

RARER = ("workers", "agents play", "experiments")
"""Variants that are run by `make test-all` alone."""

INTERRUPTED = {
    "tournament": Case(
        (*TOURNAMENT, "--pairs", MANY), r"resume with: knightfall tournament --experiment 1\n", "of 27,000 pairs"
    ),
    "workers": Case(
        ("tournament", "open", "--panel", "Random", "--nodes", "60", "--workers", "2", "--pairs", MANY),
        r"resume with: knightfall tournament --experiment 1\n",
        "of 27,000 pairs",
    ),
    "resume": Case(
        ("tournament", "--resume", "--db", "large.db", "--workers", "0"),
        r"resume with: knightfall tournament --experiment 1 --db large\.db",
        "of 27,000 pairs",
    ),
    "replicate": Case(
        ("replicate", "D", "--pairs", MANY, "--nodes", "10", "--workers", "0"),
        r"completed pairs are saved; resume with: knightfall replicate D",
        "trial 1 of ",
    ),
    "tune": Case(
        ("tune", "central_mobility(peak=?)", "--trials", MANY, "--truth", "truth.gz"),
        r"completed trials are saved; resume with: knightfall tune",
        "trial 4 of",
    ),
    "truth": Case(
        ("truth", "build", "--positions", "100000", "--workers", "0", "-o", "new.gz"),
        r"completed tasks are saved; the same command continues",
        "tasks",
    ),
    "book": Case(("book", "build", "--plies", "5", "-o", "book"), "", "s"),
    "solve": Case(("solve", "--board", "7x7", "--no-theory", "--memory", "16"), r"not\s+decided\s+when", "nodes/s"),
    "analyze": Case(
        ("analyze", "7/7/3n3/7/7/2N4/7 w", "--exact", "0", "--agent", "alphabeta(improved, depth=60, tt=off)"),
        r"6 moves, [\d,]+ nodes",
        "best ",
    ),
    "play": Case(("play", "--board", "4x4", "--second", "Random"), r"resume with: knightfall play", "first to move> "),
    "thinking": Case(
        (
            "play",
            "--first",
            "alphabeta(improved, depth=60, tt=off)",
            "--second",
            "Random",
            "--fen",
            "7/7/3n3/7/7/2N4/7 w",
        ),
        r"resume with: knightfall play",
        "first is thinking",
    ),
    "accuracy": Case(("accuracy", "open", "improved", "--depths", "9"), "", "1 of 2: open"),
    "bench": Case(("bench", "signature", "solver"), r"Signature: \d+", "Signature: "),
    "report": Case(("report", "--db", "done.db"), "", "drawing charts"),
}


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ledgers, finished and not, and a small truth set."""
    folder = tmp_path_factory.mktemp("terminal")
    kf.tournament(["open", "center"], ["Random", "MM_Open"], pairs=3, nodes=30, workers=0, db=folder / "done.db")
    for name, pairs in (("begun", 2), ("large", 9000)):
        with Ledger(folder / f"{name}.db") as ledger:
            request = Request(["open"], "Random", pairs, budget=read_budget(None, 60, None))
            number = begin(ledger, prepare(request))
            ledger.leave(number)
    build_truth(folder / "truth.gz", TruthJob("5x5", 20), 60, 1, workers=0)
    return folder


@pytest.fixture
def folder(prepared: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    return Path(shutil.copytree(prepared, tmp_path / "f"))


def check_screen(session: Session) -> None:
    """What must be true of every screen at the end."""
    text = session.text
    assert "Traceback" not in session.shown, text
    assert not [line for line in session.screen.too_long if not line.startswith(UNBROKEN)], text
    assert not LEFTOVERS.search(re.sub(r"(?m)^resume with: .*|^.*nodes/s$", "", text)), text
    assert session.is_cursor_visible


def check(case: Case, columns: int, to_file: bool, folder: Path) -> Session:
    """Run one case and look at the screen, and at the file."""
    out = folder / "out.txt" if to_file else None
    session = at_terminal(*case.arguments, columns=columns, keys=case.keys, out=out, cwd=folder)
    assert session.code == case.code, session.text
    check_screen(session)
    assert case.shown in session.shown
    if to_file and case.code == 0:
        assert re.search(case.result, session.out, re.M), session.out
        assert "\x1b" not in session.out
        assert not LEFTOVERS.search(session.text)
    else:
        assert re.search(case.result, session.text, re.M), session.text
    return session


@pytest.mark.parametrize("name", [name for name in CASES if name not in RARER])
def test_a_command_at_a_terminal(name: str, folder: Path) -> None:
    check(CASES[name], 60, False, folder)


def test_standard_output_in_a_file(folder: Path) -> None:
    check(CASES["tournament"], 80, True, folder)


def grid(cases: dict[str, Case], *, screen_only: Callable[[Case], bool]) -> list[Any]:
    """Every case at every width, on the screen and, where what is waited for is not in it, with a file for results."""
    return [
        pytest.param(name, columns, to_file, id=f"{name}-{columns}-{'file' if to_file else 'screen'}")
        for name, case in cases.items()
        for columns in WIDTHS
        for to_file in ((False,) if screen_only(case) else (False, True))
    ]


@pytest.mark.long
@pytest.mark.parametrize(("name", "columns", "to_file"), grid(CASES, screen_only=lambda case: bool(case.keys)))
def test_every_width(name: str, columns: int, to_file: bool, folder: Path) -> None:
    check(CASES[name], columns, to_file, folder)


def check_interrupted(name: str, columns: int, to_file: bool, folder: Path) -> None:
    case = INTERRUPTED[name]
    out = folder / "out.txt" if to_file else None
    session = at_terminal(*case.arguments, columns=columns, keys=[(case.shown, CTRL_C)], out=out, cwd=folder)
    both = f"{session.out}\n{session.text}\n"
    assert session.code == 130, both
    check_screen(session)
    assert session.screen.text[-1] == "interrupted"
    # A command to be copied is one line, wherever the terminal has broken it.
    assert re.search(case.result, both) or re.search(case.result, "".join(session.screen.text)), both


@pytest.mark.parametrize("name", ["tournament", "solve", "play"])
def test_ctrl_c_in_the_middle(name: str, folder: Path) -> None:
    check_interrupted(name, 80, False, folder)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "columns", "to_file"),
    grid(INTERRUPTED, screen_only=lambda case: case.shown in ("first to move> ", "Signature: ")),
)
def test_ctrl_c_at_every_width(name: str, columns: int, to_file: bool, folder: Path) -> None:
    check_interrupted(name, columns, to_file, folder)


@pytest.mark.long
def test_an_interrupted_tournament_is_resumed(folder: Path) -> None:
    """At the terminal, by the command that it prints; the games are those of one that nobody interrupted."""
    arguments = ("tournament", "open", "--panel", "Random", "--nodes", "3000", "--workers", "0", "--pairs", "200")
    first = at_terminal(*arguments, keys=[("of 600 pairs", CTRL_C)], cwd=folder)
    command = re.search(r"resume with: knightfall (.*)", first.text)
    assert command is not None, first.text
    second = at_terminal(*command[1].split(), cwd=folder)
    whole = at_terminal(*arguments, "--db", "whole.db", cwd=folder)
    played = [re.search(r"600 pairs, 1,200 games .*;\s+moves\s+(\w+)$", one.text, re.S) for one in (second, whole)]
    assert played[0] is not None, second.text
    assert played[1] is not None, whole.text
    assert played[0][1] == played[1][1]


LOUD = """
import fractions

def compiled(game, player):
    print("heard")
    return float(len(game.get_legal_moves(player)))

def interpreted(game, player):
    print("heard")
    return float(fractions.Fraction(len(game.get_legal_moves(player))))
"""


LOUD_ONES = ("loud.py:compiled", "loud.py:interpreted")
SMALL = ("--panel", "Random", "--pairs", "1", "--nodes", "20")


@pytest.mark.parametrize(
    "arguments",
    [
        ("tournament", *LOUD_ONES, *SMALL, "--workers", "0"),
        ("analyze", "7/7/3n3/7/7/2N4/7 w", "--agent", "alphabeta(loud.py:interpreted, nodes=50)"),
        *(
            pytest.param(arguments, marks=pytest.mark.long)
            for arguments in (
                ("tournament", *LOUD_ONES, *SMALL, "--workers", "2"),
                ("accuracy", *LOUD_ONES, "--truth", "truth.gz", "--depths", "0"),
                ("analyze", "7/7/3n3/7/7/2N4/7 w", "--agent", "alphabeta(loud.py:compiled, nodes=50)"),
                ("heuristics", LOUD_ONES[1], "--fen", "7/7/3n3/7/7/2N4/7 w"),
                ("play", "--first", f"AB_{LOUD_ONES[1]}(nodes=20)", "--second", "Random"),
            )
        ),
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_users_functions_print_is_nowhere(arguments: tuple[str, ...], folder: Path) -> None:
    (folder / "loud.py").write_text(LOUD)
    session = at_terminal(*arguments, "--json", columns=60, out=folder / "out.json", cwd=folder)
    assert session.code == 0, session.text
    assert "heard" not in session.shown
    assert json.loads(session.out)  # nothing but the result
    check_screen(session)
    if "loud.py:interpreted" in arguments:  # a warning begins a line of its own, whatever was shown there before
        assert any(line.startswith("warning: loud.py: interpreted: cannot be") for line in session.screen.text)


def test_marks_are_signs_and_colours(folder: Path) -> None:
    shown = at_terminal("tournament", "--experiment", "1", "--db", "done.db", cwd=folder)
    plain = at_terminal("tournament", "--experiment", "1", "--db", "done.db", cwd=folder, env={"NO_COLOR": "1"})
    assert "\x1b[1;32m" in shown.raw
    assert "\x1b" not in plain.raw
    assert plain.text == shown.text
    for sign, meaning in (("*", "highest win rate"), ("=", "baseline")):
        assert f"{sign} {meaning}" in plain.text
        assert re.search(rf"^\*?{re.escape(sign)}=? +AB_\w+ +\d", plain.text, re.M)
    assert re.search(r"^ *=? +AB_improved", plain.text.replace("*", ""), re.M)
    assert re.search(r"^first move: what .*\n(  .*\n)?attacker: what ", plain.text, re.M)


@pytest.mark.parametrize("columns", [30, 45])
@pytest.mark.parametrize(
    "arguments",
    [
        ("tournament", "--experiment", "1", "--db", "done.db"),
        pytest.param(("experiments", "--db", "done.db"), marks=pytest.mark.long),
        pytest.param(("experiments", "1", "--db", "done.db"), marks=pytest.mark.long),
        pytest.param(("games", "--db", "done.db", "--limit", "3"), marks=pytest.mark.long),
        pytest.param(("truth", "show", "truth.gz"), marks=pytest.mark.long),
        pytest.param(("solve", "--board", "4x4"), marks=pytest.mark.long),
        pytest.param(("agents",), marks=pytest.mark.long),
    ],
    ids=lambda arguments: "-".join(arguments[:2]) if isinstance(arguments, tuple) else None,
)
def test_very_narrow_terminals(arguments: tuple[str, ...], columns: int, folder: Path) -> None:
    session = at_terminal(*arguments, columns=columns, cwd=folder)
    assert session.code == 0, session.text
    check_screen(session)


@pytest.mark.long
@pytest.mark.parametrize("columns", [80, 120])
def test_make_run(columns: int, tmp_path: Path) -> None:
    """The recipe itself, in a folder of its own, with the installed package."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    binaries = tmp_path / ".venv" / "bin"
    binaries.mkdir(parents=True)
    for name in ("python", "knightfall"):
        (binaries / name).symlink_to(Path(sys.executable).with_name(name))
    (tmp_path / ".venv" / ".run").touch()  # what make looks at to see that everything is installed
    # As at a prompt, also when these tests were started by make.
    session = program_at_terminal(["env", "-u", "MAKELEVEL", "-u", "MAKEFLAGS", "make", "run"], columns, cwd=tmp_path)
    assert session.code == 0, session.text
    commands = [line for line in session.screen.too_long if line.startswith(".venv/bin/knightfall ")]
    assert len(session.screen.too_long) <= 2 * len(commands), session.screen.too_long
    assert "Traceback" not in session.shown
    assert len(re.findall(r"^[*=]* +AB_\w+ +\d+\.\d% \[", session.text, re.M)) == 7
    assert re.search(r"AB_knightfall is better than AB_improved", " ".join(session.text.split()))
    assert re.search(r"report written to report.html \(\d+ kB\)", session.text)
    assert (tmp_path / "report.html").stat().st_size > 50_000
    with sqlite3.connect(tmp_path / "knightfall.db") as ledger:
        assert ledger.execute("SELECT count(*) FROM experiment WHERE ended IS NOT NULL").fetchone() == (1,)
    assert not LEFTOVERS.search(session.text)


def test_progress_can_be_turned_off(folder: Path) -> None:
    shown = at_terminal(*TOURNAMENT, "--pairs", "40", cwd=folder, env={"KNIGHTFALL_PROGRESS": "off"})
    assert (shown.code, "games/s" in shown.raw) == (0, False)
    assert "Win Rate:" in shown.text
    assert "games/s" in at_terminal(*TOURNAMENT, "--pairs", "40", cwd=folder).raw


def test_the_legend_of_accuracy_explains_what_is_shown(folder: Path) -> None:
    """A narrow terminal leaves columns out, and their meanings with them."""
    arguments = ("accuracy", "open", "improved", "--truth", "truth.gz", "--depths", "0,2")
    narrow, wide = (at_terminal(*arguments, columns=columns, cwd=folder).text for columns in (60, 120))
    assert wide.count("nanoseconds per call") == wide.count("chance that a won position") == 1
    assert "nanoseconds per call" not in narrow
    assert re.search(r"^positions  [\d,]+/[\d,]+ for ", narrow, re.M)  # every row still has its number
