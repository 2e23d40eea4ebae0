"""How well accuracy predicts rank: Spearman's rho by hand, who can be compared, and what the command says."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import knightfall as kf
from knightfall.agents.budget import Budget
from knightfall.arena.ledger import Experiment, PairRow
from knightfall.arena.plan import Matchup, Plan
from knightfall.arena.players import make_players
from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import Interval
from knightfall.arena.statistics.sprt import Sprt
from knightfall.catalogue.heuristic import Heuristic
from knightfall.cli import main
from knightfall.lab.replication.replicate import Replication
from knightfall.lab.truth.accuracy import Accuracy
from knightfall.lab.truth.rank import RankError, check, comparable, rank, rank_together, spearman

BUDGET = Budget(nodes=100)


# --- the coefficient


def test_rho_is_what_the_plain_formula_says() -> None:
    generator = np.random.default_rng(1)
    for count in (4, 7, 20):
        first, second = generator.permutation(count), generator.permutation(count)
        found = spearman(first.tolist(), second.tolist())
        assert found is not None
        squares = sum((a - b) ** 2 for a, b in zip(first.tolist(), second.tolist(), strict=True))
        assert found.estimate == pytest.approx(1 - 6 * squares / (count**3 - count))
        # Bonett and Wright (2000), equation 3
        error = stats.norm.ppf(0.975) * math.sqrt((1 + found.estimate**2 / 2) / (count - 3))
        ends = [math.tanh(math.atanh(found.estimate) + side * error) for side in (-1, 1)]
        assert [found.low, found.high] == pytest.approx(ends, abs=1e-5)


def test_equals_share_their_rank() -> None:
    first, second = [1.0, 2.0, 2.0, 3.0, 5.0, 5.0], [0.1, 0.1, 0.4, 0.3, 0.9, 0.2]
    found = spearman(first, second)
    assert found is not None
    ranks = stats.rankdata(first), stats.rankdata(second)
    assert found.estimate == pytest.approx(float(np.corrcoef(*ranks)[0, 1]))


def test_a_perfect_order_of_few_proves_little() -> None:
    found = spearman([1, 2, 3, 4], [5, 6, 7, 8])
    assert found is not None
    assert found.estimate == found.high == pytest.approx(1.0)
    assert found.low < 0
    turned = spearman([1, 2, 3, 4], [8, 7, 6, 5])
    assert turned is not None
    assert (turned.estimate, turned.low, turned.high) == pytest.approx((-1.0, -1.0, -found.low))
    many = spearman(list(range(30)), list(range(30)))
    assert many is not None
    assert many.low > 0.9


def test_where_there_are_no_ranks_nothing_is_said() -> None:
    assert spearman([1, 2, 3], [1, 2, 3]) is None
    assert spearman([1, 1, 1, 1, 1], [1, 2, 3, 4, 5]) is None
    assert spearman([1, 2, 3, 4, 5], [2, 2, 2, 2, 2]) is None


@pytest.mark.parametrize(("count", "true"), [(8, 0.0), (8, 0.6), (30, 0.8)])
def test_the_interval_holds_the_true_value_about_as_often_as_it_says(count: int, true: float) -> None:
    generator = np.random.default_rng(3)
    normal = 2 * math.sin(math.pi * true / 6)  # the correlation of a normal pair whose rho that is
    held = 0
    for _ in range(1_000):
        both = generator.multivariate_normal([0, 0], [[1, normal], [normal, 1]], count)
        found = spearman(both[:, 0].tolist(), both[:, 1].tolist())
        assert found is not None
        held += found.low <= true <= found.high
    assert held >= 930


# --- who is compared


def played(scores: dict[tuple[str, str], float], number: int = 1, board: str = "7x7", **more: object) -> Results:
    """Results of ten pairs for each match, with this mean score."""
    candidates = tuple(dict.fromkeys(name for name, _ in scores))
    opponents = tuple(dict.fromkeys(name for _, name in scores))
    known = [name for name in (*candidates, *opponents) if ".py" not in name]
    identities = {name: player.identity for name, player in make_players(known, BUDGET).items()}
    openings = tuple(f"7/7/3N3/7/4n2/7/7 {'wb'[at % 2]}" for at in range(10))
    plan = Plan(candidates, opponents, openings, board, budget=BUDGET, identities=identities, **more)  # type: ignore[arg-type]
    pairs = [
        PairRow(0, "", at, Matchup(*both), opening, "done", score, "")
        for both, score in scores.items()
        for at, opening in enumerate(openings)
    ]
    return Results(Experiment(number, "", "", "", {}, {}, {}, "", ""), plan, pairs, [])


def graded(**kept: float) -> dict[Heuristic, Accuracy]:
    """Heuristics with these accuracies at depth 0, and AUCs in the opposite order."""
    nothing = Interval(0.0, 0.0, 0.0)
    return {
        kf.heuristics[name]: Accuracy(
            name,
            {0: Interval(value, value, value)},
            {},
            {0: 10},
            20,
            Interval(1 - value, 1 - value, 1 - value),
            nothing,
            1.0,
            compiled=True,
        )
        for name, value in kept.items()
    }


FOUR = {"improved": 0.8, "open": 0.6, "center": 0.5, "reach": 0.9}


def test_the_heuristics_of_an_experiment_are_ranked_by_games_and_by_accuracy() -> None:
    results = played({(f"AB_{name}", "Random"): score for name, score in zip(FOUR, (0.7, 0.6, 0.5, 0.8), strict=True)})
    found = rank(comparable(results), graded(**FOUR))
    assert [place.heuristic for place in found.places] == ["reach", "improved", "open", "center"]
    assert found.ranks == [1, 2, 3, 4]
    assert found.ranks_by("AUC") == [4, 3, 2, 1]
    assert found.budget == "equal nodes"
    rho = found.rho
    assert rho["depth 0"] is not None
    assert rho["AUC"] is not None
    assert (rho["depth 0"].estimate, rho["AUC"].estimate) == pytest.approx((1.0, -1.0))


def test_only_those_that_differ_in_their_heuristics_alone_are_compared(tmp_path: Path) -> None:
    names = ["AB_improved", "AB_open", "AB_center", "AB_reach", "AB_reach(k=2)", "Custom", "mcts(nodes=9)"]
    gone = f"AB_{tmp_path / 'gone.py'}:mine"
    results = played({(name, "Random"): 0.5 for name in [*names, gone]})
    found = comparable(results)
    assert [member.candidate for member in found.members] == names[:4]
    assert found.notes == (
        "AB_reach(k=2) is left out: it has the heuristic of AB_reach",
        "Custom is left out: it searches otherwise than the others",
        "The games were played by another version; accuracy is that of the functions as they are now",
    )
    [missing] = found.missing
    assert missing.startswith(f"{gone} is left out: ")
    assert "No such file" in missing


def test_what_cannot_be_ranked_is_refused() -> None:
    with pytest.raises(RankError, match="experiment 1: 4 heuristics are needed to compare ranks, not 2"):
        check(comparable(played({("AB_improved", "Random"): 0.5, ("AB_open", "Random"): 0.5})))
    sequential = played({(f"AB_{name}", "Random"): 0.5 for name in FOUR}, sprt=Sprt(0, 10))
    with pytest.raises(RankError, match="experiment 1 is a sequential test"):
        check(comparable(sequential))


def test_several_experiments_are_compared_by_common_opponents() -> None:
    one = played({("AB_improved", "Random"): 0.9, ("AB_improved", "MM_Open"): 0.7, ("AB_improved", "AB_Improved"): 0.4})
    two = played(
        {
            ("ID_open", "MM_Null"): 1.0,
            ("ID_open", "MM_Open"): 0.6,
            ("ID_open", "ID_improved"): 0.3,
            ("ID_center", "MM_Null"): 1.0,
            ("ID_center", "MM_Open"): 0.6,
            ("ID_center", "ID_improved"): 0.2,
        },
        number=2,
    )
    found = rank_together([comparable(one), comparable(two)], graded(**FOUR))
    # Against itself improved wins half, whatever came out; who was met in one experiment alone does not count.
    assert found.against == ("AB_improved", "MM_Open")
    assert {place.heuristic: pytest.approx(place.score) for place in found.places} == {
        "improved": (0.5 + 0.7) / 2,
        "open": (0.3 + 0.6) / 2,
        "center": (0.2 + 0.6) / 2,
    }
    assert found.experiments == (1, 2)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({("AB_open", "MM_Null"): 0.5}, "have no opponent in common"),
        ({("AB_improved(nodes=7)", "Random"): 0.5}, "improved plays as AB_improved and AB_improved.nodes=7."),
    ],
)
def test_experiments_that_do_not_belong_together(other: dict[tuple[str, str], float], words: str) -> None:
    one = comparable(played({("AB_improved", "Random"): 0.5}))
    with pytest.raises(RankError, match=words):
        rank_together([one, comparable(played(other, number=2))], {})
    with pytest.raises(RankError, match="on different boards: 7x7, 8x8"):
        rank_together([one, comparable(played({("AB_improved", "Random"): 0.5}, board="8x8"))], {})


# --- the command


def test_the_command_lists_both_ranks(replicated: tuple[Path, Replication], capsys: pytest.CaptureFixture[str]) -> None:
    path, found = replicated
    few = ["--plies", "24-26", "--depths", "0", "--db", str(path)]
    capsys.readouterr()
    assert main(["accuracy", "--rank-of", "1", "--rank-of", "3", *few, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    first, second, together = facts["rankings"]
    assert [each["experiments"] for each in facts["rankings"]] == [[1], [3], [1, 3]]
    assert first["budget"] == second["budget"] == together["budget"] == "equal nodes"
    trial, results = found.played[0]
    rates = {standing.candidate: standing.estimate.mean for standing in results.standings}
    kept = {entry["heuristic"]: entry["kept"]["0"]["estimate"] for entry in facts["heuristics"]}
    assert {entry["candidate"] for entry in first["heuristics"]} == {trial.agent(name) for name in trial.candidates}
    for entry in first["heuristics"]:
        assert entry["games_won"] == pytest.approx(rates[entry["candidate"]], abs=1e-6)
        assert entry["accuracy"]["depth 0"] == pytest.approx(kept[entry["heuristic"]], abs=1e-6)
    for each in facts["rankings"]:
        columns = [
            [entry["games_won"] for entry in each["heuristics"]],
            [entry["accuracy"]["depth 0"] for entry in each["heuristics"]],
        ]
        assert each["rho"]["depth 0"]["estimate"] == pytest.approx(float(stats.spearmanr(*columns).statistic), abs=1e-6)
    assert len(together["heuristics"]) == 7  # improved is in both
    assert "Custom is left out: it searches otherwise than the others" in second["notes"]
    assert main(["accuracy", "--rank-of", "1", *few]) == 0
    text = capsys.readouterr().out
    assert "experiment 1 (replicate D, equal nodes), equal nodes" in text
    rho = first["rho"]["depth 0"]
    assert f"depth 0   {rho['estimate']:.2f} [{rho['low']:.2f}, {rho['high']:.2f}]" in text


def test_complaints_are_one_line(
    replicated: tuple[Path, Replication], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(replicated[0])]
    capsys.readouterr()
    for arguments, words in (
        (["improved", "--rank-of", "1", *db], "--rank-of takes the heuristics from the experiment"),
        (["--rank-of", "99", *db], "there is no experiment 99"),
        (["--rank-of", "1", "--db", str(tmp_path / "none.db")], "there is no such ledger"),
        (["--rank-of", "5", *db], "experiment 5: 4 heuristics are needed to compare ranks, not 2"),
        (["--rank-of", "1", "--board", "8x8", *db], "--board: experiment 1 was played on 7x7, not on 8x8"),
    ):
        assert main(["accuracy", *arguments]) == 2
        out, error = capsys.readouterr()
        assert (out, error.count("\n")) == ("", 1)
        assert words in error
