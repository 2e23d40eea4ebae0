"""Tournaments: schedule, determinism, sequential tests, panels, deadly players, and what is told of them."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from commands import run
from ledgers import ask, content

import knightfall as kf
from knightfall.agents.budget import Budget
from knightfall.arena.conduct import Conductor
from knightfall.arena.crew import Crew
from knightfall.arena.fingerprint import code_of, machine
from knightfall.arena.ledger import Ledger, LedgerError
from knightfall.arena.openings import OpeningError
from knightfall.arena.panels import PANELS, PanelError, panel
from knightfall.arena.plan import Plan
from knightfall.arena.players import make_player
from knightfall.arena.statistics.pairs import PairCounts
from knightfall.arena.statistics.sprt import Sprt
from knightfall.arena.tournament import Prepared, begin, conduct, make_executor, prepare, resume
from knightfall.arena.verdicts import sequential
from knightfall.arena.wish import Wish
from knightfall.arena.workers import Workers
from knightfall.catalogue.errors import HeuristicWarning
from knightfall.catalogue.loader import load
from knightfall.cli import main


def hold(
    *candidates: str, panel: str | list[str] = "MM_Open", pairs: int = 6, nodes: int = 300, **more: object
) -> kf.Results:
    return kf.tournament(list(candidates), panel, pairs=pairs, nodes=nodes, workers=0, **more)  # type: ignore[arg-type]


# --- the schedule


def test_every_candidate_meets_every_opponent_on_the_same_openings() -> None:
    plan = prepare(Wish(["improved", "open"], "gen2", pairs=30)).plan
    pairs = list(plan.pairs())
    assert len(pairs) == 30 * 2 * 7 + 0
    by_matchup: dict[object, list[str]] = {}
    for pair in pairs:
        by_matchup.setdefault(pair.matchup, []).append(pair.opening)
    [openings] = {tuple(found) for found in by_matchup.values()}
    assert len(set(openings)) == 30
    assert len({pair.id for pair in pairs}) == len(pairs)
    assert [pair.number for pair in pairs] == list(range(len(pairs)))


def test_the_same_wish_gives_the_same_plan_and_another_seed_another() -> None:
    wish = Wish(["improved"], "E", pairs=20, seed=4)
    assert list(prepare(wish).plan.pairs()) == list(prepare(wish).plan.pairs())
    assert prepare(wish).plan.openings != prepare(Wish(["improved"], "E", pairs=20, seed=5)).plan.openings


def test_more_openings_than_there_are_of_two_plies() -> None:
    plan = prepare(Wish(["improved"], ["Random"], pairs=2_500)).plan
    plies = Counter(kf.Position.from_fen(text).ply for text in plan.openings)
    assert len(set(plan.openings)) == 2_500
    assert plies[2] + plies[4] == 2_500
    assert plies[2] <= 2_352


def test_all_openings_and_openings_from_a_file(tmp_path: Path) -> None:
    everything = prepare(Wish(["improved"], ["Random"], openings="all", board="4x4")).plan
    assert len(everything.openings) == sum(
        not kf.Position.start(kf.Geometry(4, 4)).play(a).play(b).is_over for a in range(16) for b in range(16) if a != b
    )
    file = tmp_path / "openings.txt"
    file.write_text("# mine\n7/7/3n3/7/7/2N4/7 w\n\n7/7/3N3/7/7/2n4/7 b\n")
    assert prepare(Wish(["improved"], ["Random"], openings=file)).plan.openings == (
        "7/7/3n3/7/7/2N4/7 w",
        "7/7/3N3/7/7/2n4/7 b",
    )
    with pytest.raises(OpeningError, match="only 2 positions, 3 are wanted"):
        prepare(Wish(["improved"], ["Random"], openings=file, pairs=3))
    with pytest.raises(OpeningError, match="on 7x7, not on 6x6"):
        prepare(Wish(["improved"], ["Random"], openings=file, board="6x6"))


def test_balanced_openings_have_each_kind_equally_often_as_far_as_there_are() -> None:
    geometry = kf.Geometry(5, 5)
    kinds: dict[str, Counter[tuple[bool, bool]]] = {}
    for name, wish in (
        ("all", Wish(["improved"], ["Random"], openings="all", board="5x5")),
        ("balanced", Wish(["improved"], ["Random"], pairs=200, balanced=True, board="5x5")),
    ):
        kinds[name] = Counter()
        for text in prepare(wish).plan.openings:
            position = kf.Position.from_fen(text)
            first, second = position.locations
            assert first is not None
            assert second is not None
            same = geometry.colour(first) == geometry.colour(second)
            kinds[name][kf.solve(position).winner == 1, same] += 1
    most = max(kinds["balanced"].values())
    assert sum(kinds["balanced"].values()) == 200
    for kind, there in kinds["all"].items():
        assert kinds["balanced"][kind] in (min(there, most), min(there, most - 1))


def test_a_pair_is_one_opening_from_both_sides() -> None:
    results = hold("improved", pairs=4)
    games = results.games
    assert len(games) == 2 * 4 * 1 + 0
    for one, two in zip(games[::2], games[1::2], strict=True):
        assert one.opening == two.opening
        assert one.players == two.players[::-1]
        for game in (one, two):
            assert game.outcome is not None
            assert game.final.is_over  # and so every move was legal: a Game checks them
            assert game.outcome.winner == game.final.winner


def test_the_openings_of_a_file_may_have_the_second_player_to_move(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("7/7/3N3/7/7/2n4/7 b\n")
    results = hold("improved", panel=["Random"], pairs=1, openings=file)
    first, second = results.games
    assert first.players == ("Random", "AB_improved")  # the candidate has the first move, and that is player 2's
    assert second.players == ("AB_improved", "Random")
    winners = [game.players[(game.outcome.winner or 0) - 1] for game in results.games if game.outcome is not None]
    assert results.standings[0].won == winners.count("AB_improved")


# --- determinism


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


# --- panels and players


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
    with pytest.raises(PanelError, match="there is no panel 'gen3'"):
        panel("gen3")


def test_a_budget_is_for_those_that_have_none() -> None:
    made = prepare(
        Wish(["mcts(nodes=77)", "open"], ["MM_Open", "AB5_Open", "AB_Open"], pairs=1, budget=Budget(nodes=900))
    )
    told = made.plan.identities
    assert "nodes=77" in told["mcts(nodes=77)"]
    assert "nodes=900" in told["AB_open"]
    assert "nodes=900" in told["AB_Open"]
    assert "nodes" not in told["MM_Open"] + told["AB5_Open"]


def test_the_baseline_plays_the_same_panel_and_is_met_head_to_head() -> None:
    made = prepare(Wish(["open"], "gen1", pairs=2)).plan
    assert made.candidates == ("ID_improved", "ID_open")
    assert made.duel("ID_open") is not None  # though it is not in that panel
    other = prepare(Wish(["open", "AB_Improved"], "gen2", pairs=2)).plan
    assert other.candidates == ("AB_open", "AB_Improved")
    assert other.baseline == "AB_Improved"
    assert prepare(Wish(["open"], "gen2", pairs=2, baseline=None)).plan.candidates == ("AB_open",)


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (Wish([], "gen2"), "at least one candidate"),
        (Wish(["improved", "improved"], "gen2"), "named twice"),
        (Wish(["improved"], ["Random", "Random"]), "named twice"),
        (Wish(["human"], "gen2"), "a human cannot play in a tournament"),
        (Wish(["improved"], "gen2", plies=49), "from 0 to 48 plies"),
        (Wish(["improved"], "gen2", balanced=True, openings="all"), "exclude each other"),
        (Wish(["improved"], [], round_robin=True), "at least two players"),
        (Wish(["improved", "AB_Improved"], "gen2"), "AB_Improved is the same agent as AB_improved"),
        (Wish(["open", "center"], [], round_robin=True, baseline="reach"), "does not play in this round robin"),
        (Wish(["improved"], "gen2", balanced=True, board="8x8", pairs=4), "those of 8x8 are not known"),
        (Wish(["improved"], "gen2", balanced=True, plies=4), "--balanced and --plies exclude each other"),
        (Wish(["improved"], "gen2", openings="all", board="5x5", pairs=9_999), "has only 600 openings"),
        (Wish(["improved"], "gen2", board="1x128", pairs=2), "has only 0 openings"),
    ],
)
def test_what_cannot_be_held_is_refused(wish: Wish, words: str) -> None:
    with pytest.raises(kf.KnightfallError, match=words):
        prepare(wish)


@pytest.mark.parametrize(
    "options",
    [
        {"pairs": "10"},
        {"pairs": 0},
        {"nodes": 0},
        {"nodes": 1.5},
        {"ms": math.nan},
        {"ms": 0},
        {"depth": 0},
        {"nodes": 5, "depth": 2},
        {"seed": -1},
        {"seed": 2**70},
        {"board": (5, 5)},
        {"sprt": (0,)},
        {"sprt": "0,5"},
        {"workers": -1},
        {"openings": ["7/7/7/7/7/7/7 w"]},
        {"plies": -1},
        {"db": "/nowhere/ledger.db"},
        {"candidates": lambda game, player: 1.0},
    ],
)
def test_the_api_refuses_what_makes_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(kf.KnightfallError):
        kf.tournament(options.pop("candidates", "open"), ["Random"], **{"workers": 0, **options})


def test_two_functions_of_one_name_are_two_players() -> None:
    def made(sign: float) -> kf.Heuristic:
        def h(game: Any, player: Any) -> float:
            return sign * len(game.get_legal_moves(player))

        return kf.heuristic(h)

    def improved(game: Any, player: Any) -> float:
        return float(len(game.get_legal_moves(player)))

    plan = prepare(Wish([made(1.0), made(-1.0)], ["Random"], pairs=1, baseline=None)).plan
    assert plan.candidates == ("AB_h", "AB_h_2")
    assert len(set(plan.identities.values())) == 3
    own = prepare(Wish([kf.heuristic(improved)], ["Random"], pairs=1)).plan
    assert own.candidates == ("AB_improved", "AB_improved_2")
    assert own.baseline == "AB_improved"


def test_an_agent_keeps_the_budget_it_was_given() -> None:
    given = kf.agent("AB_Improved").with_budget(Budget(nodes=30))
    plan = prepare(Wish([given], ["Random"], pairs=1, budget=Budget(nodes=500), baseline=None)).plan
    assert "nodes=30," in plan.identities[plan.candidates[0]]


def test_a_sequential_test_says_no_more_than_it_shows() -> None:
    for elos, counts, words in (
        ((0, 50), PairCounts(0, 10, 60), "is better than"),
        ((-50, 50), PairCounts(0, 10, 60), "is not worse by 50 Elo than"),
        ((-50, 50), PairCounts(60, 10, 0), "is not better by 50 Elo than"),
        ((-50, 0), PairCounts(60, 10, 0), "is worse than"),
        ((400, 900), PairCounts(0, 20, 80), "is not better by 900 Elo than"),
        ((0, 5), PairCounts(1, 1, 1), "is not distinguishable from"),
    ):
        assert words in sequential("x", "y", counts, Sprt(*elos)).sentence


@pytest.mark.long
def test_a_worker_that_is_stuck_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "sleepy.py"
    file.write_text("import time\n\n\ndef sleepy(game, player):\n    time.sleep(1000)\n    return 0.0\n")
    heuristic = load(f"{file}:sleepy", trial=False)
    players = {
        "greedy(open)": make_player("greedy(open)", Budget(), heuristic),
        "Random": make_player("Random", Budget()),
    }
    plan = Plan(("greedy(open)",), ("Random",), prepare(Wish(["open"], ["Random"], pairs=1)).plan.openings)
    with Ledger() as ledger, Workers(Crew.of(players, Budget()), 1, patience=2.0) as executor:
        number = ledger.begin(plan, code_of(players.values()), machine())
        assert Conductor(ledger, number, plan, executor).run()
        [pair] = kf.Results.read(ledger, number).left_out
    assert "it did not come to an end" in pair.note


def test_what_a_heuristic_prints_does_not_spoil_the_output(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("def loud(game, player):\n    print('hello')\n    return 1.0\n")
    arguments = ["loud.py", "--panel", "Random", "--pairs", "1", "--nodes", "20", "--workers", "0", "--json"]
    done = run("tournament", *arguments, cwd=tmp_path)
    assert json.loads(done.stdout)["complete"], done.stderr


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
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Match #") == 1


# --- faults


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
    openings = prepare(Wish(["greedy(open)"], ["Random"], pairs=12, baseline=None)).plan.openings
    plan = Plan(("greedy(open)",), ("Random",), openings)
    prepared = Prepared(plan, players)
    with Ledger(tmp_path / "ledger.db") as ledger:
        number = ledger.begin(plan, code_of(players.values()), machine())
        with make_executor(prepared, 2) as executor:
            assert Conductor(ledger, number, plan, executor).run()
        return kf.Results.read(ledger, number)


@pytest.mark.long
def test_a_pair_that_kills_three_workers_is_left_out_by_name(tmp_path: Path) -> None:
    plan = prepare(Wish(["greedy(open)"], ["Random"], pairs=12, baseline=None)).plan
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


# --- resuming


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
    prepared = prepare(Wish([f"{file}:mine"], ["Random"], pairs=3))
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        number = begin(ledger, prepared)
        ledger.leave(number)
        experiment = ledger.experiment(number)
        assert resume(ledger, experiment).plan == prepared.plan
        file.write_text("def mine(game, player):\n    return 2.0 * len(game.get_legal_moves(player))\n")
        with pytest.raises(LedgerError, match=r"cannot be gone on with: heuristics .*mine\.py:mine was .*, now"):
            resume(ledger, experiment)
    done = run("tournament", "--resume", "--pairs", "7", "--db", str(path))
    assert done.returncode == 2
    assert "--pairs: it was begun with 3, not 7" in done.stderr


def test_two_processes_do_not_play_one_experiment(tmp_path: Path) -> None:
    prepared = prepare(Wish(["open"], ["Random"], pairs=3))
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        number = begin(ledger, prepared)  # this process claims it
        done = run("tournament", "--experiment", str(number), "--db", str(path))
        assert done.returncode == 2
        assert re.search(r"experiment 1 is being played by process \d+", done.stderr)
        conduct(ledger, number, prepared, workers=0)


# --- what is told


def test_the_table_of_the_second_generation() -> None:
    results = hold("central_mobility", panel=["Random", "MM_Open"], pairs=5)
    lines = results.table.splitlines()
    assert lines[0].split() == ["Match", "#", "Opponent", "AB_improved", "AB_central_mobility"]
    assert lines[1].split() == ["Won", "|", "Lost", "Won", "|", "Lost"]
    for number, (line, opponent) in enumerate(zip(lines[2:4], ("Random", "MM_Open"), strict=True), start=1):
        cells = re.findall(r"(\d+) \| (\d+)", line)
        assert line.split()[:2] == [str(number), opponent]
        for (won, lost), candidate in zip(cells, results.plan.candidates, strict=True):
            played = [game for game in results.games if set(game.players) == {candidate, opponent}]
            wins = sum(g.outcome is not None and g.players[(g.outcome.winner or 0) - 1] == candidate for g in played)
            assert (int(won), int(lost)) == (wins, 10 - wins)
    assert lines[-1].split()[:2] == ["Win", "Rate:"]


def test_every_format_tells_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--db", str(tmp_path / "ledger.db")]

    def told(*more: str) -> str:
        assert main(["tournament", *more, *arguments]) == 0
        return capsys.readouterr().out

    text = told("open", "--panel", "gen1", "--pairs", "2", "--nodes", "50", "--workers", "0")
    facts = json.loads(told("--experiment", "1", "--json"))
    rows = [line.split(",") for line in told("--experiment", "1", "--csv").splitlines()][1:]
    markdown = told("--experiment", "1", "--markdown")
    assert [(m["candidate"], m["opponent"], m["won"]) for m in facts["matches"]] == [
        (row[0], row[1], int(row[3])) for row in rows
    ]
    for verdict in facts["verdicts"]:
        assert verdict["sentence"] in text
        assert verdict["sentence"] in markdown
    assert re.search(r"Match 1: ID_open vs Random +Result: \d to \d", text)


def test_bad_options_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments, words in (
        (["improved", "--nodes", "5", "--ms", "5"], "nodes and ms exclude each other"),
        (["improved", "--sprt", "five"], "two Elo differences are expected"),
        (["improved", "--sprt", "5,0"], "the first Elo of a test must be the smaller one"),
        (["improved", "--model", "normalized"], "--model goes with --sprt only"),
        (["imprved"], "there is no agent 'imprved'"),
        (["improved", "--panel", "nobody"], "there is no panel 'nobody'"),
        (["improved", "--board", "7by7"], "7by7"),
        (["improved", "--openings", "nowhere.txt"], "nowhere.txt: No such file"),
        (["improved", "--json", "--csv"], "exclude each other"),
        (["improved", "--cluster", "tcp://x:1", "--workers", "2"], "exclude each other"),
        ([], "name at least one candidate"),
        (["--resume"], "there is no such ledger"),
        (["--resume", "--experiment", "1"], "exclude each other"),
        (["improved", "--cluster", "foo"], "is no address of a scheduler"),
        (["--experiment", "3"], "there is no such ledger"),
    ):
        assert main(["tournament", *arguments]) == 2, arguments
        [line] = capsys.readouterr().err.strip().splitlines()
        assert words in line, line
    assert list(tmp_path.iterdir()) == []  # and nothing was written


def test_small_and_one_sided_samples_tell_nothing_absurd() -> None:
    results = hold("improved", panel=["Random"], pairs=1, baseline=None)
    told = json.dumps(results.to_dict(), allow_nan=False)
    assert "Infinity" not in told
    for interval in results.ratings.agents.values():
        assert interval.high - interval.low > 300
