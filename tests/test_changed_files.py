"""A user's file that is edited while its function plays: all games come from the text that was hashed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ledgers import content

from knightfall.agents.budget import Budget
from knightfall.arena.fingerprint import code_of
from knightfall.arena.ledger import Ledger
from knightfall.arena.players import make_player
from knightfall.arena.prepare import Prepared, prepare
from knightfall.arena.request import Request
from knightfall.arena.roster import Roster
from knightfall.arena.run import begin, conduct
from knightfall.catalogue.loader import load, load_snapshot, try_in_child
from knightfall.compiler.errors import HeuristicError
from knightfall.lab.truth.accuracy import Grader
from knightfall.lab.truth.sets import truth_set
from knightfall.rules import Position
from knightfall.work.process import WorkerProcess

MINE = """
from helper import weight
from package.deep import more


def mine(game, player, factor=1.0):
    return weight(float(len(game.get_legal_moves(player)))) + more(factor)
"""
OTHER = "def mine(game, player, factor=1.0):\n    return -9.0 * len(game.get_legal_moves(player))\n"


def write(folder: Path) -> Path:
    (folder / "package").mkdir(exist_ok=True)
    (folder / "mine.py").write_text(MINE)
    (folder / "helper.py").write_text("def weight(x):\n    return 2.0 * x\n")
    (folder / "package" / "deep.py").write_text("BASE = 0.5\n\n\ndef more(factor):\n    return factor * BASE\n")
    return folder / "mine.py"


def edit(folder: Path) -> None:
    """Make other functions of the file and of those that it imports."""
    (folder / "mine.py").write_text(OTHER)
    (folder / "helper.py").write_text("def weight(x):\n    return -7.0 * x\n")
    (folder / "package" / "deep.py").unlink()


def planned(file: Path, pairs: int = 6) -> Prepared:
    return prepare(Request([f"{file}:mine(factor=3)"], ["Random"], pairs=pairs, baseline=None, budget=Budget(nodes=60)))


def test_a_snapshot_makes_the_same_function_without_its_files(tmp_path: Path) -> None:
    file = write(tmp_path)
    made = load(f"{file}:mine", trial=False)
    assert made.code.program is not None
    digest, snapshot = made.code.program.digest(), made.code.program.texts.snapshot()
    position = Position.from_fen("7/7/3n3/7/7/2N4/7 w")
    value = made.value(position, 1)
    edit(tmp_path)
    again = load_snapshot(file, "mine(factor=3)", snapshot)
    assert again.code.program is not None
    assert again.code.program.digest() == digest  # and so the machine code in the cache is the same
    assert again.value(position, 1) == again.value(position, 1, interpreted=True) == value + 1.0
    assert again.code.shown == made.code.shown


def test_an_error_names_the_users_file(tmp_path: Path) -> None:
    file = write(tmp_path)
    file.write_text("def mine(game, player):\n    raise RuntimeError('no')\n")
    made = load(f"{file}:mine", trial=False)
    assert made.code.program is not None
    snapshot = made.code.program.texts.snapshot()
    file.unlink()
    with pytest.raises(HeuristicError, match=r"mine\.py: mine: RuntimeError: no \(line 2\)"):
        load_snapshot(file, "mine", snapshot).value(Position.from_fen("7/7/3n3/7/7/2N4/7 w"), 1, interpreted=True)


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.long)])
def test_a_file_edited_before_the_start_changes_nothing(tmp_path: Path, workers: int) -> None:
    ledgers = [tmp_path / "undisturbed.db", tmp_path / "edited.db"]
    for path in ledgers:
        prepared = planned(write(tmp_path))
        with Ledger(path) as ledger:
            number = begin(ledger, prepared)
            if path == ledgers[1]:
                edit(tmp_path)
            assert conduct(ledger, number, prepared, workers=workers).is_complete
    assert content(ledgers[0]) == content(ledgers[1])


def test_a_worker_that_takes_the_place_of_another_plays_the_hashed_text(tmp_path: Path) -> None:
    prepared = planned(write(tmp_path), pairs=2)
    pairs = list(prepared.plan.pairs())
    roster = Roster.of(prepared.players, prepared.plan.budget)
    expected = [roster.ready()(pair) for pair in pairs]
    edit(tmp_path)
    worker = WorkerProcess(roster)
    try:
        worker.give(pairs)
        results: list[Any] = []
        while len(results) < 2:
            results += worker.hear()
    finally:
        worker.kill()
    assert [[game.moves for game in result.games] for result in results] == [
        [game.moves for game in result.games] for result in expected
    ]


def test_two_texts_of_one_function_are_not_one_player(tmp_path: Path) -> None:
    file = write(tmp_path)
    first = make_player("greedy(open)", Budget(), load(f"{file}:mine", trial=False))
    edit(tmp_path)
    second = make_player("Random", Budget(), None)
    assert code_of([first, second])["heuristics"]
    other = make_player("greedy(improved)", Budget(), load(f"{file}:mine", trial=False))
    with pytest.raises(HeuristicError, match=r"mine\.py: mine: the file was edited while it was read; start again"):
        code_of([first, other])


def test_a_trial_tries_the_text_that_was_read(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def mine(game, player):\n    return 1.0\n")
    made = load(f"{file}:mine", trial=False)
    file.write_text("def mine(game, player):\n    raise ValueError\n")
    try_in_child(made)
    assert Grader(truth_set(None, "7x7")[:300]).measure(made, [0]).heuristic == made.text
