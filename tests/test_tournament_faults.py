"""Players that crash, hang or kill their workers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import run

import knightfall as kf
from knightfall.agents.budget import Budget
from knightfall.arena.executors import make_executor
from knightfall.arena.fingerprint import code_of, machine
from knightfall.arena.ledger import Ledger
from knightfall.arena.plan import Plan
from knightfall.arena.players import make_player
from knightfall.arena.prepare import Prepared, prepare
from knightfall.arena.request import Request
from knightfall.arena.roster import Roster
from knightfall.arena.runner import Conductor
from knightfall.catalogue.loader import load
from knightfall.work.workers import Workers


@pytest.mark.long
def test_a_worker_that_is_stuck_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "sleepy.py"
    file.write_text("import time\n\n\ndef sleepy(game, player):\n    time.sleep(1000)\n    return 0.0\n")
    heuristic = load(f"{file}:sleepy", trial=False)
    players = {
        "greedy(open)": make_player("greedy(open)", Budget(), heuristic),
        "Random": make_player("Random", Budget()),
    }
    openings = prepare(Request(["open"], ["Random"], pairs=1)).plan.openings
    identities = {name: player.identity for name, player in players.items()}
    plan = Plan(("greedy(open)",), ("Random",), openings, identities=identities)
    with Ledger() as ledger, Workers(Roster.of(players, Budget()), 1, patience=2.0) as executor:
        number = ledger.begin(plan, code_of(players.values()), machine())
        assert Conductor(ledger, number, plan, executor).run()
        [pair] = kf.Results.read(ledger, number).left_out
    assert "it did not come to an end" in pair.note


def test_a_heuristic_that_raises_loses_its_games_by_crash(tmp_path: Path) -> None:
    file = tmp_path / "late.py"
    file.write_text(
        "def late(game, player):\n"
        "    if game.move_count > 11:\n        raise RuntimeError('I have forgotten how')\n"
        "    return float(len(game.get_legal_moves(player)))\n"
    )
    done = run(
        "tournament",
        "late.py",
        "--panel",
        "Random",
        "--pairs",
        "5",
        "--nodes",
        "100",
        "--baseline",
        "none",
        cwd=tmp_path,
    )
    assert done.returncode == 3, done.stderr
    assert re.search(r"faults: AB_late\.py lost \d+ games by crash \(.*I have forgotten how", done.stdout)
    assert "Traceback" not in done.stderr


DEADLY = """
import os


def deadly(game, player):
    if {condition}:
        os.kill(os.getpid(), 9)
    return float(len(game.get_legal_moves(player)))
"""


def play_deadly(tmp_path: Path, condition: str) -> kf.Results:
    """A match of greedy players, one of whom kills its process under a condition; its trial is left out."""
    file = tmp_path / "deadly.py"
    file.write_text(DEADLY.format(condition=condition))
    heuristic = load(f"{file}:deadly", trial=False)
    players = {
        "greedy(open)": make_player("greedy(open)", Budget(), heuristic),
        "Random": make_player("Random", Budget()),
    }
    openings = prepare(Request(["greedy(open)"], ["Random"], pairs=12, baseline=None)).plan.openings
    identities = {name: player.identity for name, player in players.items()}
    plan = Plan(("greedy(open)",), ("Random",), openings, identities=identities)
    prepared = Prepared(plan, players)
    with Ledger(tmp_path / "ledger.db") as ledger:
        number = ledger.begin(plan, code_of(players.values()), machine())
        with make_executor(prepared, 2) as executor:
            assert Conductor(ledger, number, plan, executor).run()
        return kf.Results.read(ledger, number)


@pytest.mark.long
def test_a_pair_that_kills_three_workers_is_left_out_by_name(tmp_path: Path) -> None:
    plan = prepare(Request(["greedy(open)"], ["Random"], pairs=12, baseline=None)).plan
    positions = [kf.Position.from_fen(text) for text in plan.openings]
    seconds = [position.locations[1] for position in positions]
    assert seconds.count(seconds[3]) == 1
    assert seconds[3] is not None
    where = positions[3].geometry.coordinates(seconds[3])
    results = play_deadly(
        tmp_path, f"game.move_count == 3 and game.get_player_location(game.get_opponent(player)) == {where}"
    )
    [pair] = results.left_out
    assert pair.opening_number == 3
    assert "it killed 3 workers: signal 9 (SIGKILL)" in pair.note
    assert results.pairs_done == 11
    assert f"left out: pair 3, greedy(open) against Random from {plan.openings[3]}" in str(results)


@pytest.mark.long
def test_a_player_that_kills_every_worker_is_given_up(tmp_path: Path) -> None:
    results = play_deadly(tmp_path, "game.move_count == 3")
    assert results.pairs_done == 0
    assert len(results.left_out) == 12
    assert sum("3 pairs of this match killed workers" in pair.note for pair in results.left_out) >= 8
