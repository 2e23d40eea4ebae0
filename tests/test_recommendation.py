"""What a report recommends, and what it does not."""

from __future__ import annotations

from typing import Any

import pytest

from knightfall.arena.ledger import Experiment, PairRow
from knightfall.arena.plan import Matchup, Plan
from knightfall.arena.results import Results
from knightfall.arena.statistics.sprt import Sprt
from knightfall.reporting.recommend import recommend


def made(scores: dict[tuple[str, str], list[float]], baseline: str | None = "base", **more: Any) -> Results:
    """Results of which every pair is given."""
    candidates = tuple(dict.fromkeys(name for name, _ in scores))
    opponents = () if more.pop("round_robin", False) else tuple(dict.fromkeys(name for _, name in scores))
    if not opponents:
        candidates = tuple(dict.fromkeys(name for both in scores for name in both))
    count = max(len(found) for found in scores.values())
    plan = Plan(candidates, opponents, ("7/7/3N3/7/4n2/7/7 w",) * count, baseline=baseline, **more)
    pairs = [
        PairRow(0, "", at, Matchup(*both), plan.openings[0], "done", score, "")
        for both, found in scores.items()
        for at, score in enumerate(found)
    ]
    experiment = Experiment(1, "", "", "", {}, {}, {}, "", "")
    return Results(experiment, plan, pairs, [])


GOOD, EVEN, BAD = [1.0, 0.5, 1.0, 1.0] * 50, [0.5, 0.5, 1.0, 0.0] * 50, [0.0, 0.5, 0.0, 0.0] * 50
NEARLY = [0.5, 0.5, 1.0, 0.0] * 49 + [0.5, 0.5, 1.0, 0.5]


def test_a_candidate_that_is_better_is_recommended() -> None:
    found = recommend(made({("base", "x"): EVEN, ("new", "x"): GOOD, ("old", "x"): BAD}))
    assert found.choice == "new"
    assert found.headline == "Use new: it is better than base and than every other candidate."
    assert any(reason.startswith("Overall rate: new wins 87.5% [") for reason in found.reasons)
    assert "Losing records: new lost more games than it won to no opponent, base to no opponent." in found.reasons


def test_what_cannot_be_distinguished_is_not_recommended() -> None:
    found = recommend(made({("base", "x"): EVEN, ("new", "x"): NEARLY}))
    assert found.choice == "base"
    assert found.headline == "Stay with base: no candidate is shown to be better."
    (words,) = (reason for reason in found.reasons if reason.startswith("new comes nearest"))
    assert "holds zero: a difference either way is possible" in words
    assert "more pairs per opponent would show it" in words
    two = recommend(made({("base", "x"): BAD, ("new", "x"): GOOD, ("twin", "x"): GOOD}))
    assert two.headline == "Use new: it is better than base. But the games do not tell it from twin."


def test_what_is_worse_is_said_to_be() -> None:
    assert recommend(made({("base", "x"): EVEN, ("new", "x"): BAD})).headline == "Stay with base: new is worse."
    found = recommend(made({("base", "x"): EVEN, ("a", "x"): BAD, ("b", "x"): BAD}))
    assert found.headline == "Stay with base: every candidate is worse."


def test_without_a_baseline_the_best_is_compared_with_all_others() -> None:
    found = recommend(made({("a", "x"): GOOD, ("b", "x"): BAD}, None))
    assert (found.choice, found.headline) == ("a", "Use a: it is better than every other candidate.")
    found = recommend(made({("a", "x"): NEARLY, ("b", "x"): EVEN}, None))
    assert found.choice is None
    assert found.headline == "a has won the largest share of its games, but the games do not tell it from b."


def test_in_a_round_robin_matches_decide() -> None:
    scores = {("base", "new"): BAD, ("base", "old"): EVEN, ("new", "old"): GOOD}
    found = recommend(made(scores, round_robin=True))
    assert found.headline == "Use new: it is better than base and than every other candidate."


@pytest.mark.parametrize(
    ("scores", "test", "choice", "words"),
    [
        (GOOD, Sprt(0, 20), "new", "Use new rather than x"),
        (BAD, Sprt(0, 20), "x", "new is not better"),
        (BAD, Sprt(-20, 0), "x", "new is worse"),
        (GOOD, Sprt(-20, 0), "new", "new may take the place of x: it is not worse"),
        (EVEN[:4], Sprt(0, 20), None, "is not decided; play on"),
    ],
)
def test_after_a_sequential_test(scores: list[float], test: Sprt, choice: str | None, words: str) -> None:
    found = recommend(made({("new", "x"): scores}, None, sprt=test))
    assert found.choice == choice
    assert words in found.headline
    assert found.cautions[0].startswith("No interval is given")
