"""Replication: the reports as published, the rule for claims, planted cases, and a run that is killed half way."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from commands import kill_when, run
from ledgers import ask
from scipy import stats

import knightfall as kf
from knightfall.arena.prepare import prepare
from knightfall.arena.statistics.estimate import estimate
from knightfall.arena.statistics.pairs import Interval, pairs_needed
from knightfall.arena.verdicts import HEAD_TO_HEAD, OVER_THE_PANEL, Question, answer
from knightfall.cli import main
from knightfall.lab.replication.claims import CLAIMS, match_range
from knightfall.lab.replication.costs import COSTS, cost_of, nodes_at_equal_cost
from knightfall.lab.replication.experiments import Terms, trials
from knightfall.lab.replication.judging import FAILS, HOLDS, UNDECIDED, Finding, about_equal, combine, judged
from knightfall.lab.replication.papers import REPORTS

IDS = ["A1", "A2", "A3", "B1", "B2", "B3", "B4", "B5", "C1", "C2", "C3", "C4", "C5", "D1", "E1", "E2", "E3", "E4"]


# --- the reports


def test_there_are_eighteen_claims() -> None:
    assert list(CLAIMS) == IDS


@pytest.mark.parametrize(
    ("report", "name", "won", "games"),
    [
        ("A", "lookahead_both", 19 + 18 + 12 + 13 + 16 + 11 + 12, 140),
        ("A", "lookahead_own", 16 + 13 + 10 + 14 + 12 + 12 + 12, 140),
        ("A", "improved", 17 + 16 + 14 + 10 + 12 + 14 + 10, 140),
        ("B", "central_mobility", 38 + 33 + 31 + 31 + 25 + 23 + 24, 280),
        ("B", "improved", 37 + 29 + 32 + 29 + 19 + 25 + 19, 280),
        ("D", "squared_ratio", 9 + 9 + 8 + 8 + 5 + 6 + 5, 70),
        ("E", "contested_reach", 59 + 59 + 88 + 78, 400),
        ("E", "Custom", 67 + 60 + 87 + 76, 400),
    ],
)
def test_published_rates_follow_from_the_published_wins(report: str, name: str, won: int, games: int) -> None:
    assert REPORTS[report].published[name] == pytest.approx(100 * won / games, abs=0.06)


def test_every_candidate_is_an_agent_at_both_budgets_and_pays_its_cost() -> None:
    for trial in trials(list(REPORTS), Terms(pairs=5)):
        made = prepare(trial.request())
        assert len(made.plan.openings) in (4, 5)
        assert len(made.plan.candidates) == len(trial.candidates)
        for candidate in trial.candidates:
            text = made.plan.identities[trial.agent(candidate)]
            heuristic = "contested_reach" if candidate == "Custom" else candidate
            wanted = 5_000 if trial.budget == "nodes" else nodes_at_equal_cost(heuristic, 5_000)
            assert f"nodes={wanted}," in text
    assert {trial.board for trial in trials(["C"], Terms())} == {"7x7", "11x9"}


def test_costs_are_positive_and_known_for_everything_that_is_tried() -> None:
    assert cost_of("improved") == 1.0
    assert all(0.1 < cost < 50 for cost in COSTS.values())
    for report in REPORTS.values():
        for name in (*report.candidates, *(one for sweep in report.sweeps for one in sweep.candidates)):
            assert name == "Custom" or cost_of(name) > 0


# --- the rule


def question(rates: list[float], *, duel: bool = False) -> Question:
    told = estimate([(value, 1) for value in rates], 1, is_difference=not duel)
    kind = HEAD_TO_HEAD if duel else OVER_THE_PANEL
    return Question("x", "y", kind, told, (0.5 + told.mean, 0.5), len(rates))


def test_a_claim_holds_when_every_interval_lies_above_zero() -> None:
    above, below, unsure = [0.5, 0.5, 0.0] * 100, [-0.5, -0.5, 0.0] * 100, [0.5, -0.5] * 50
    assert combine(judged([question(above), question(above)])).verdict == HOLDS
    assert combine(judged([question(above), question(unsure)])).verdict == UNDECIDED
    assert combine(judged([question(above), question(unsure), question(below)])).verdict == FAILS
    assert combine(judged([question(below)], "worse")).verdict == HOLDS
    assert combine(judged([question([1.0, 0.5] * 100, duel=True)])).verdict == HOLDS


def test_about_equal_is_within_five_points() -> None:
    assert combine(about_equal([question([0.5, -0.5] * 2_000)])).verdict == HOLDS
    assert combine(about_equal([question([0.5, -0.5] * 20)])).verdict == UNDECIDED
    assert combine(about_equal([question([0.5, 0.0] * 2_000)])).verdict == FAILS


def test_one_part_that_fails_fails_the_whole() -> None:
    parts = [Finding("a", HOLDS), Finding("b", UNDECIDED), Finding("c", FAILS)]
    assert [combine(parts[:n]).verdict for n in (1, 2, 3)] == [HOLDS, UNDECIDED, FAILS]


@pytest.mark.parametrize(("games", "split"), [(10, 0.3), (10, 0.8), (20, 0.5), (40, 0.65)])
def test_the_range_of_short_matches_is_that_of_simulated_ones(games: int, split: float) -> None:
    generator = random.Random(3)
    weights = [(1 - split) / 2, split, (1 - split) / 2]
    rates = sorted(sum(generator.choices((0, 1, 2), weights, k=games // 2)) / games for _ in range(20_000))
    found = match_range(games, split)
    inside = sum(found.low - 1e-9 <= rate <= found.high + 1e-9 for rate in rates) / len(rates)
    assert inside >= 0.945
    narrower = sum(found.low + 1e-9 < rate < found.high - 1e-9 for rate in rates) / len(rates)
    assert narrower < 0.955


# --- planted cases

NOISY = """
import random


def noisy(game, player):
    if game.utility(player) != 0.0:
        return game.utility(player)
    own = len(game.get_legal_moves(player))
    return own - len(game.get_legal_moves(game.get_opponent(player))) + 8.0 * random.random()
"""


def duel_with_improved(file: Path, pairs: int, seed: int) -> Question:
    results = kf.tournament([f"{file}:noisy"], ["AB_Improved"], pairs=pairs, nodes=200, seed=seed, workers=0)
    name = next(name for name in results.plan.candidates if "noisy" in name)
    matchup = results.plan.duel(name)
    assert matchup is not None
    return results.head_to_head(matchup, name, "improved")


@pytest.mark.long
def test_noise_of_known_size_is_found_at_the_sample_that_the_power_calculation_predicts(tmp_path: Path) -> None:
    file = tmp_path / "noisy.py"
    file.write_text(NOISY)
    truth = duel_with_improved(file, 1_500, seed=1).estimate
    assert truth.interval().high < 0.5
    # The pairs that show a difference of this size with a power of 80 %: from mean and deviation of one pair.
    deviation = truth.error * math.sqrt(truth.clusters)
    wanted = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    predicted = math.ceil((wanted * deviation / (0.5 - truth.mean)) ** 2)
    assert 10 <= predicted <= 400
    found = 0
    for seed in range(100, 140):
        [verdict] = answer([duel_with_improved(file, predicted, seed)])
        assert verdict.word != "better"
        found += verdict.word == "worse"
    # The noise differs from run to run, and the difference was estimated: the power is known to within that error.
    least, most = (
        stats.norm.cdf(
            (0.5 - truth.mean + sign * 3 * truth.error) * math.sqrt(predicted) / deviation - stats.norm.ppf(0.975)
        )
        for sign in (-1, 1)
    )
    assert stats.binom.ppf(0.0005, 40, least) <= found <= stats.binom.ppf(0.9995, 40, most)
    # And from a smaller sample, the answer to "how many more?" leads there.
    half = Interval(truth.mean, truth.mean - 2 * (0.5 - truth.mean), truth.mean + 2 * (0.5 - truth.mean))
    assert pairs_needed(half, predicted // 4, 0.5) is not None


def test_improved_against_itself_is_seldom_called_better() -> None:
    """Two hundred tournaments of forty pairs, drawn from one long one: five of a hundred may be told apart."""
    results = kf.tournament(["AB_improved"], ["AB_Improved"], pairs=2_300, nodes=30, workers=0, baseline=None)
    [scores] = results.scores.values()
    words = []
    order = list(scores.values())
    generator = random.Random(5)
    for _ in range(200):
        sample = generator.sample(order, 40)
        told = estimate([(score, 1) for score in sample], 1)
        words.append(answer([Question("x", "y", HEAD_TO_HEAD, told, (told.mean, 1 - told.mean), 40)])[0].word)
    assert words.count("better") + words.count("worse") <= stats.binom.ppf(0.999, 200, 0.05)


# --- the command


def facts_of(*arguments: str, capsys: pytest.CaptureFixture[str]) -> Any:
    assert main(["replicate", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["claims"]


def test_one_report_with_all_its_claims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["d", "--pairs", "6", "--nodes", "100", "--workers", "0", "--db", str(tmp_path / "ledger.db")]
    facts = facts_of(*arguments, capsys=capsys)
    assert list(facts) == ["D1"]
    assert {"verdict", "original", "ours", "interval", "budgets"} <= set(facts["D1"])
    assert set(facts["D1"]["budgets"]) == {"nodes", "cost"}
    played = ask(tmp_path / "ledger.db", "SELECT count(*) FROM game")
    assert facts_of(*arguments, capsys=capsys) == facts  # and nothing is played twice
    assert ask(tmp_path / "ledger.db", "SELECT count(*) FROM game") == played
    assert main(["replicate", "F"]) == 2
    assert "there is no report 'F'" in capsys.readouterr().err


@pytest.mark.long
def test_killed_half_way_and_resumed_it_gives_the_same_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ["D", "--pairs", "25", "--nodes", "300", "--workers", "2", "--json"]
    undisturbed = run("replicate", *common, "--db", str(tmp_path / "undisturbed.db"))
    assert undisturbed.returncode == 0, undisturbed.stderr
    path = tmp_path / "killed.db"
    kill_when(["replicate", *common, "--db", str(path)], lambda: path.exists() and _games(path) > 300)
    again = run("replicate", *common, "--db", str(path))
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == json.loads(undisturbed.stdout)
    assert ask(path, "SELECT count(*) FROM game") == ask(tmp_path / "undisturbed.db", "SELECT count(*) FROM game")


def _games(path: Path) -> int:
    try:
        return int(ask(path, "SELECT count(*) FROM game")[0][0])
    except Exception:
        return 0


@pytest.mark.long
def test_all_eighteen_claims_are_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = facts_of("--pairs", "5", "--nodes", "100", "--db", str(tmp_path / "ledger.db"), capsys=capsys)
    assert list(facts) == IDS
    for entry in facts.values():
        assert entry["verdict"] in (HOLDS, FAILS, UNDECIDED)
        assert entry["ours"]
