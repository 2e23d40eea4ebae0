"""Tournaments: who plays, and that the number of workers changes nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import run
from ledgers import ask, content

import knightfall as kf
from knightfall.agents.budget import Budget
from knightfall.arena.panels import PANELS, PanelError, panel
from knightfall.arena.prepare import prepare
from knightfall.arena.request import Request
from knightfall.arena.statistics.pairs import PairCounts
from knightfall.arena.statistics.sprt import Sprt
from knightfall.compiler.errors import HeuristicWarning


def test_workers_do_not_change_the_games(tmp_path: Path) -> None:
    arguments = [
        "tournament",
        "improved",
        "stages",
        "--panel",
        "Random;MM_Open;AB_Open",
        "--pairs",
        "12",
        "--nodes",
        "400",
    ]
    hashes = set()
    for workers in ("1", "2"):
        path = tmp_path / f"{workers}.db"
        done = run(*arguments, "--json", "--workers", workers, "--db", str(path))
        assert done.returncode == 0, done.stderr
        hashes.add(json.loads(done.stdout)["moves_hash"])
    assert len(hashes) == 1
    assert content(tmp_path / "1.db") == content(tmp_path / "2.db")


def test_where_a_sequential_test_stops_does_not_depend_on_the_workers(tmp_path: Path) -> None:
    arguments = [
        "tournament",
        "improved",
        "--panel",
        "MM_Open;Random",
        "--sprt",
        "0,200",
        "--nodes",
        "400",
        "--pairs",
        "400",
    ]
    for workers in ("1", "2"):
        done = run(*arguments, "--workers", workers, "--db", str(tmp_path / f"{workers}.db"))
        assert done.returncode == 0, done.stderr
        assert re.search(r"an Elo difference of 200 is accepted against 0 after \d+ pairs", done.stdout)
        assert "interval" not in done.stdout  # of a fixed sample: it would be wrong
    assert content(tmp_path / "1.db") == content(tmp_path / "2.db")
    states = dict(ask(tmp_path / "1.db", "SELECT state, count(*) FROM pair GROUP BY state"))
    assert set(states) == {"done", "not needed"}
    # It stopped at the first look that decided, and not later.
    sprt = Sprt(0, 200)
    for opponent in ("MM_Open", "Random"):
        question = "SELECT score FROM pair WHERE opponent = ? AND state = 'done' ORDER BY number"
        scores = [row[0] for row in ask(tmp_path / "1.db", question, opponent)]
        looks = [PairCounts.of(scores[:n]) for n in range(1, len(scores) + 1)]
        decisions = [sprt.decision((c.ll, c.wl, c.ww)) for c in looks]
        assert decisions[-1] == "elo1"
        assert set(decisions[:-1]) <= {None}


def test_the_panels_are_those_of_the_reports() -> None:
    assert panel("gen1") == ["Random", "MM_Null", "MM_Open", "MM_Improved", "AB5_Null", "AB5_Open", "AB5_Improved"]
    assert panel("gen2") == ["Random", "MM_Open", "MM_Center", "MM_Improved", "AB_Open", "AB_Center", "AB_Improved"]
    assert panel("E") == ["AB_Open", "AB_Improved", "MM_Improved", "MonteCarlo"]
    assert set(panel("all")) == {name for names in PANELS.values() for name in names}


def test_a_panel_from_a_file_or_a_list(tmp_path: Path) -> None:
    file = tmp_path / "panel.txt"
    file.write_text("# two\nRandom\nalphabeta(improved, nodes=9)\n")
    assert panel(str(file)) == ["Random", "alphabeta(improved, nodes=9)"]
    assert panel("open; MM_Open") == ["AB_open", "MM_Open"]
    with pytest.raises(PanelError, match="panel 'gen3' not found"):
        panel("gen3")


def test_a_budget_is_for_those_that_have_none() -> None:
    made = prepare(
        Request(["mcts(nodes=77)", "open"], ["MM_Open", "AB5_Open", "AB_Open"], pairs=1, budget=Budget(nodes=900))
    )
    told = made.plan.identities
    assert "nodes=77" in told["mcts(nodes=77)"]
    assert "nodes=900" in told["AB_open"]
    assert "nodes=900" in told["AB_Open"]
    assert "nodes" not in told["MM_Open"] + told["AB5_Open"]


def test_the_baseline_plays_the_same_panel_and_is_met_head_to_head() -> None:
    made = prepare(Request(["open"], "gen1", pairs=2)).plan
    assert made.candidates == ("ID_improved", "ID_open")
    assert made.duel("ID_open") is not None  # though it is not in that panel
    other = prepare(Request(["open", "AB_Improved"], "gen2", pairs=2)).plan
    assert other.candidates == ("AB_open", "AB_Improved")
    assert other.baseline == "AB_Improved"
    assert prepare(Request(["open"], "gen2", pairs=2, baseline=None)).plan.candidates == ("AB_open",)


def test_two_functions_of_one_name_are_two_players() -> None:
    def made(sign: float) -> kf.Heuristic:
        def h(game: Any, player: Any) -> float:
            return sign * len(game.get_legal_moves(player))

        return kf.heuristic(h)

    def improved(game: Any, player: Any) -> float:
        return float(len(game.get_legal_moves(player)))

    plan = prepare(Request([made(1.0), made(-1.0)], ["Random"], pairs=1, baseline=None)).plan
    assert plan.candidates == ("AB_h", "AB_h_2")
    assert len(set(plan.identities.values())) == 3
    own = prepare(Request([kf.heuristic(improved)], ["Random"], pairs=1)).plan
    assert own.candidates == ("AB_improved", "AB_improved_2")
    assert own.baseline == "AB_improved"


def test_an_agent_keeps_the_budget_it_was_given() -> None:
    given = kf.agent("AB_Improved").with_budget(Budget(nodes=30))
    plan = prepare(Request([given], ["Random"], pairs=1, budget=Budget(nodes=500), baseline=None)).plan
    assert "nodes=30," in plan.identities[plan.candidates[0]]


def test_agents_themselves_may_play_and_openings_may_be_positions() -> None:
    opening = kf.Position.from_fen("7/7/3n3/7/7/2N4/7 w")
    results = kf.tournament(
        [kf.agent("greedy(open)")], [kf.agent("Random")], openings=[opening], baseline=None, workers=0
    )
    assert results.plan.names == ["greedy(open)", "Random"]
    assert [game.opening for game in results.games] == [opening, opening]


def test_a_round_robin() -> None:
    results = kf.tournament(
        ["Random", "MM_Open", "open"], [], pairs=5, nodes=200, round_robin=True, workers=0, baseline="MM_Open"
    )
    assert len(results.matches) == 3
    assert sum(standing.won for standing in results.standings) == results.games_played == 30
    assert "1  Random" in results.table
    assert {verdict.candidate for verdict in results.verdicts} == {"Random", "AB_open"}


def test_a_heuristic_that_is_in_no_file_plays_in_this_process() -> None:
    namespace: dict[str, Any] = {}
    exec("def shy(game, player):\n    return -float(len(game.get_legal_moves(player)))\n", namespace)
    with pytest.warns(HeuristicWarning, match="its source cannot be found"):
        results = kf.tournament(kf.heuristic(namespace["shy"]), ["Random"], pairs=2, nodes=50)
    assert results.games_played == 2 * 2 * 3
    assert results.plan.candidates == ("AB_improved", "AB_shy")


@pytest.mark.long
def test_a_heuristic_from_a_script_plays_in_other_processes(tmp_path: Path) -> None:
    """Without the special form that multiprocessing asks of scripts."""
    script = tmp_path / "script.py"
    script.write_text(
        "import knightfall as kf\n\n\n@kf.heuristic\ndef shy(game, player):\n"
        "    return -float(len(game.get_legal_moves(player)))\n\n\n"
        "print(kf.tournament(shy, ['Random'], pairs=4, nodes=50, workers=2, baseline=None).table)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Match #") == 1
