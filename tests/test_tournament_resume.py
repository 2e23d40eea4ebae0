"""Experiments displayed again, resumed, or refused."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from commands import run
from tournaments import hold

from knightfall.arena.ledger import Ledger, LedgerError
from knightfall.arena.prepare import prepare
from knightfall.arena.request import Request
from knightfall.arena.run import begin, conduct, resume


def test_a_ledger_in_a_folder_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    hold("open", panel=["Random"], pairs=1, baseline=None, db=folder / "ledger.db")
    subprocess.run(["mount", "--bind", str(folder), str(folder)], capture_output=True)
    done = subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], capture_output=True)
    try:
        if done.returncode != 0:
            folder.chmod(0o500)
        shown = run("tournament", "--experiment", "1", "--db", str(folder / "ledger.db"))
        assert shown.returncode == 0, shown.stderr
        assert "Win Rate:" in shown.stdout
    finally:
        subprocess.run(["umount", str(folder)], capture_output=True)
        folder.chmod(0o700)


def test_a_finished_experiment_prints_its_table_again(tmp_path: Path) -> None:
    arguments = ["--db", str(tmp_path / "ledger.db")]
    first = run(
        "tournament", "open", "--panel", "Random", "--pairs", "3", "--nodes", "50", "--workers", "0", *arguments
    )
    again = run("tournament", "--experiment", "1", *arguments)
    assert first.returncode == again.returncode == 0
    assert again.stdout == first.stdout
    done = run("tournament", "--resume", *arguments)
    assert done.returncode == 2
    assert "there is no unfinished experiment" in done.stderr


def test_resuming_is_refused_where_code_or_configuration_changed(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def mine(game, player):\n    return float(len(game.get_legal_moves(player)))\n")
    prepared = prepare(Request([f"{file}:mine"], ["Random"], pairs=3))
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        number = begin(ledger, prepared)
        ledger.leave(number)
        experiment = ledger.experiment(number)
        assert resume(ledger, experiment).plan == prepared.plan
        file.write_text("def mine(game, player):\n    return 2.0 * len(game.get_legal_moves(player))\n")
        with pytest.raises(LedgerError, match=r"cannot be resumed: heuristics .*mine\.py:mine was .*, now"):
            resume(ledger, experiment)
    done = run("tournament", "--resume", "--pairs", "7", "--db", str(path))
    assert done.returncode == 2
    assert "--pairs: it was begun with 3, not 7" in done.stderr


def test_two_processes_do_not_play_one_experiment(tmp_path: Path) -> None:
    prepared = prepare(Request(["open"], ["Random"], pairs=3))
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        number = begin(ledger, prepared)  # this process claims it
        done = run("tournament", "--experiment", str(number), "--db", str(path))
        assert done.returncode == 2
        assert re.search(r"experiment 1 is being played by process \d+", done.stderr)
        conduct(ledger, number, prepared, workers=0)
