"""Python files that ledgers, saved games and panels name: they run only if the user named or allowed them."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest
from commands import run
from ledgers import make_keys
from terminals import at_terminal

from knightfall.arena.ledger import Ledger, LedgerError
from knightfall.arena.prepare import prepare
from knightfall.arena.request import Request
from knightfall.arena.run import begin, resume
from knightfall.arena.tournament import tournament
from knightfall.catalogue.consent import ConsentError, named_by
from knightfall.catalogue.loader import load
from knightfall.compiler.source import Program

EVIL = """
OUT = len(open({mark!r}, "a").write("x") * [1])
def mine(game, player):
    return float(len(game.get_legal_moves(player)) + OUT)
"""
GOOD = "def mine(game, player):\n    return float(len(game.get_legal_moves(player)))\n"


class Place:
    """A folder with a finished ledger of a user's function, which was then edited to name another file."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "x.db"
        self.good = folder / "good" / "mine.py"
        self.evil = folder / "evil" / "mine.py"
        self.mark = folder / "executed"
        for file, text in ((self.good, GOOD), (self.evil, EVIL.format(mark=str(self.mark)))):
            file.parent.mkdir()
            file.write_text(text, encoding="utf-8")

    def forge(self) -> None:
        """Let the ledger name the other file, with its hash, wherever the first one stands."""
        with sqlite3.connect(self.db) as db:
            for table, columns in (
                ("pair", ("candidate", "opponent")),
                ("game", ("first", "second")),
                ("experiment", ("configuration", "code")),
            ):
                for column in columns:
                    db.execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?)", ["/good/", "/evil/"])
            [(number, told)] = db.execute("SELECT id, code FROM experiment").fetchall()
            code = json.loads(told)
            code["heuristics"] = dict.fromkeys(code["heuristics"], Program(self.evil, "mine").digest())
            db.execute("UPDATE experiment SET code = ? WHERE id = ?", [json.dumps(code), number])
        db.close()
        make_keys(self.db)

    @property
    def was_run(self) -> bool:
        return self.mark.exists()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def played(place: Place) -> Place:
    """One whose experiment is finished."""
    tournament(str(place.good), ["Random"], pairs=2, nodes=20, baseline=None, db=place.db, workers=0)
    place.forge()
    return place


@pytest.fixture
def begun(place: Place) -> Place:
    """One whose experiment was begun, no more."""
    with Ledger(place.db) as ledger:
        number = begin(ledger, prepare(Request([str(place.good)], ["Random"], 2, baseline=None)))
        ledger.leave(number)
    return place


def test_a_report_runs_no_file_that_an_edited_ledger_names(played: Place, tmp_path: Path) -> None:
    """It is made without it; with --run-files it is run."""
    done = run("report", "--db", str(played.db), "--markdown")
    assert done.returncode == 0
    assert "names it, not you; --run-files allows it" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "nobody allowed to run" in done.stdout
    assert not played.was_run
    assert run("report", "--db", str(played.db), "--markdown", "--run-files").returncode == 0
    assert played.was_run


@pytest.mark.parametrize(("answer", "runs"), [("\n", False), ("maybe\n", False), ("y\n", True)])
def test_a_report_asks_at_a_terminal(played: Place, answer: str, runs: bool) -> None:
    """The question says which file, and only a yes means yes."""
    keys = [("[y/N]", answer)]
    done = at_terminal("report", "--db", str(played.db), "-o", str(played.db.with_suffix(".html")), keys=keys)
    assert done.code == 0, done.text
    assert str(played.evil) in re.sub(r"\r?\n +", "", done.shown)
    assert done.shown.count("Run it?") == 1
    assert played.was_run == runs


def test_resuming_runs_no_file_that_an_edited_ledger_names(begun: Place) -> None:
    """Without the file nothing can be resumed; the ledger stays as it is."""
    begun.forge()
    for more in (["--resume"], ["--experiment", "1"]):
        done = run("tournament", *more, "--db", str(begun.db), "--workers", "0")
        assert done.returncode == 2
        assert "was not run: experiment 1 of" in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not begun.was_run
    with Ledger(begun.db) as ledger:
        assert ledger.counts(1) == {"planned": 2}
    with Ledger(begun.db) as ledger, pytest.raises(LedgerError, match="--run-files allows it"):
        resume(ledger, ledger.experiment(1))
    assert not begun.was_run
    done = run("tournament", "--resume", "--db", str(begun.db), "--workers", "0", "--run-files")
    assert done.returncode == 0, done.stderr
    assert begun.was_run


def test_a_user_resumes_without_being_asked(begun: Place) -> None:
    """Whoever named the file when the experiment began is not asked again, also in another process."""
    done = run("tournament", "--resume", "--db", str(begun.db), "--workers", "0")
    assert done.returncode == 0, done.stderr
    assert "run-files" not in done.stderr


def test_a_file_with_another_hash_is_not_even_asked_about(begun: Place) -> None:
    """The hash in the ledger is that of the other function."""
    begun.good.write_text(EVIL.format(mark=str(begun.mark)), encoding="utf-8")
    done = run("tournament", "--resume", "--db", str(begun.db), "--workers", "0", "--run-files")
    assert done.returncode == 2
    assert "mine.py:mine was " in done.stderr
    assert not begun.was_run


def test_another_function_of_a_named_file_is_not_allowed(place: Place) -> None:
    """Naming `mine` says nothing of `other`, nor of a later `mine`."""
    place.good.write_text(GOOD + GOOD.replace("mine", "other"), encoding="utf-8")
    load(f"{place.good}:mine")
    with named_by("x.db"):
        load(f"{place.good}:mine")
        with pytest.raises(ConsentError, match="other"):
            load(f"{place.good}:other")
        place.good.write_text(GOOD.replace("float", "int"), encoding="utf-8")
        with pytest.raises(ConsentError, match="mine"):
            load(f"{place.good}:mine")


@pytest.mark.parametrize("text", ["alphabeta({}:mine, nodes=5)", "AB5_{}:mine", "mcts({}, cutoff=3, nodes=9)"])
def test_saved_games_and_panels_run_no_files(place: Place, text: str) -> None:
    """Whatever agent they are hidden in."""
    agent = text.format(place.evil)
    game = place.db.with_suffix(".json")
    made = run("play", "--first", "random", "--second", "random", "--seed", "1", "--json").stdout
    told = {**json.loads(made), "players": ["human", agent]}
    told["moves"] = told["moves"][:4]
    game.write_text(json.dumps({k: v for k, v in told.items() if k != "outcome"}), encoding="utf-8")
    done = run("play", "--load", str(game), stdin="quit\n")
    assert done.returncode == 2
    assert f"the saved game {game} names it, not you" in done.stderr
    run("review", str(game), "--ms", "1")
    panel = place.db.with_suffix(".txt")
    panel.write_text(f"Random\n{agent}\n", encoding="utf-8")
    for command in (["tournament", "open", "--panel"], ["compare", "open", "null", "--panel"]):
        done = run(*command, str(panel), "--pairs", "2", "--db", str(place.db))
        assert done.returncode == 2
        assert f"the panel {panel} names it, not you" in done.stderr
    assert not place.db.exists()
    assert not place.was_run
