"""Ledgers that somebody or something has changed: every change is found, and nothing of it is believed."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from ledger_damages import DAMAGES, change_experiment, change_game, damage
from tournaments import hold

from knightfall.arena.ledger import Ledger, LedgerError
from knightfall.cli import main

pytestmark = pytest.mark.filterwarnings("default::knightfall.arena.ledger.LedgerWarning")

EACH = [pytest.param(name, marks=[pytest.mark.long] * (at % 8 > 0)) for at, name in enumerate(DAMAGES)]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two experiments, the second of which is not finished, though all its pairs are played."""
    path = tmp_path_factory.mktemp("good") / "ledger.db"
    for seed in (1, 2):
        hold("open", panel=["Random", "greedy(open)"], pairs=3, nodes=50, baseline=None, db=path, seed=seed)
    with Ledger(path) as ledger, ledger._transaction() as connection:
        connection.execute("UPDATE experiment SET ended = NULL WHERE id = 2")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, list[str]]:
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err.splitlines()


def test_an_undamaged_ledger_is_sound(good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, errors = run(capsys, "experiments", "verify", "--db", good)
    assert (code, errors) == (0, [])
    assert "experiment 1: 6 pairs, 12 games played again: no problem\n" in out
    assert "experiment 2: 6 pairs, 12 games played again: no problem\n" in out
    assert "not checked: " in out
    code, out, errors = run(capsys, "experiments", "verify", "2", "--json", "--db", good)
    told = json.loads(out)
    assert (code, told["sound"], told["problems"]) == (0, True, [])
    assert told["experiments"] == [{"id": 2, "pairs": 6, "games": 12, "problems": 0}]
    code, out, errors = run(capsys, "experiments", "verify", "3", "--db", good)
    assert (code, len(errors)) == (2, 1)
    assert "there is no experiment 3; there is 1, 2" in errors[0]


@pytest.mark.parametrize("name", EACH)
def test_every_damage_is_found_and_nothing_of_it_believed(
    name: str, good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ledger.db"
    shutil.copy(good, path)
    damage(path, DAMAGES[name], random.Random(name))
    code, out, errors = run(capsys, "experiments", "verify", "--db", path)
    assert (code, errors) == (1, []), out
    assert "no problem found" not in out
    for command in (["experiments"], ["experiments", "1"], ["experiments", "2"], ["games"], ["games", "2/1/1"]):
        code, _, errors = run(capsys, *command, "--db", path)
        assert code in (0, 2), command
        assert all(line.startswith("warning: " if code == 0 else ("warning: ", "knightfall: ")) for line in errors)
        assert code == 0 or errors[-1].startswith("knightfall: ")


def test_one_damaged_row_does_not_hide_the_others(
    good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ledger.db"
    shutil.copy(good, path)
    damage(path, change_experiment("code = 'x'"), random.Random(1))
    for seed in range(4):
        damage(path, change_game("winner = 3 - winner"), random.Random(seed))
    code, out, _ = run(capsys, "experiments", "verify", "--json", "--db", path)
    problems = json.loads(out)["problems"]
    assert code == 1
    assert {problem["experiment"] for problem in problems} == {1, 2}
    assert len({(problem["pair"], problem["game"]) for problem in problems}) >= 2
    code, out, errors = run(capsys, "experiments", "--db", path)
    assert code == 0
    assert len(out.splitlines()) == 2  # the head and the first experiment
    assert len(errors) == 1
    assert errors[0].startswith("warning: ")
    assert "experiment 2: code is not JSON" in errors[0]


@pytest.mark.parametrize("name", ["winner swapped", "score changed", "game missing", "opening changed", "seed changed"])
def test_damaged_experiments_are_neither_resumed_nor_reported(
    name: str, good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ledger.db"
    for seed in range(20):  # until the damage is to the second experiment
        shutil.copy(good, path)
        damage(path, DAMAGES[name], random.Random(seed))
        if run(capsys, "experiments", "verify", "2", "--db", path)[0]:
            break
    before = path.read_bytes()
    for command in (["tournament", "--resume"], ["report", "--experiment", "2", "--markdown"]):
        code, out, errors = run(capsys, *command, "--db", path)
        assert (code, out, len(errors)) == (2, "", 1), errors
        assert "experiment 2" in errors[0] or " 2/" in errors[0]
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", [0, -1, 2])
def test_formats_that_do_not_exist_are_refused(good: Path, tmp_path: Path, version: int) -> None:
    path = tmp_path / "ledger.db"
    shutil.copy(good, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    for create in (True, False):
        with pytest.raises(LedgerError, match=rf"format {version}\b"):
            Ledger(path, create=create)


def test_tables_whose_names_are_damaged_are_told_in_one_line(
    good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ledger.db"
    content = good.read_bytes()
    path.write_bytes(content.replace(b"CREATE TABLE pair", b"CREATE TABLE \xd4\xffir"))
    code, _, errors = run(capsys, "experiments", "--db", path)
    assert (code, errors) == (2, [f"knightfall: {path}: it is damaged: SQLite finds no sense in it"])
