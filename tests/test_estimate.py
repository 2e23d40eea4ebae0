"""The estimate over clusters: its promises by simulation, its consistency by properties."""

from __future__ import annotations

import math
import random
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from knightfall.arena.statistics.estimate import Estimate, estimate
from knightfall.arena.statistics.pairs import PairCounts, rate_interval
from knightfall.arena.verdicts import OVER_THE_PANEL, UNDECIDED, Question, answer

Numbers = npt.NDArray[np.float64]
Clusters = list[tuple[float, int]]


# --- coverage

CLUSTERS = (20, 50, 100, 200, 500)
OPPONENTS = (1, 4, 7)
EFFECTS = ("none", "shared", "alike")
KINDS = ("independent", "splits")
RATES = (0.5, 0.6, 0.7, 0.8, 0.9)
"""Where coverage is looked at: stated before it was run, but for openings that let all their pairs end alike.

An opening has no effect, or is easier or harder for a candidate against everybody (a logit more or less), or lets all
its pairs end alike; these were added when the others had passed. The games of a pair are independent, or nine pairs in
ten split. Opponents differ in strength.
"""
SAMPLES = 4_000
NOISE = 0.0105
"""Three standard errors of a coverage of 95 %."""


def _shifted(p: float, logits: float) -> float:
    return 1 / (1 + math.exp(-math.log(p / (1 - p)) - logits))


def _pair(p: float, kind: str) -> list[float]:
    """The probabilities of a pair lost twice, split, won twice."""
    return [(1 - p) ** 2, 2 * p * (1 - p), p * p] if kind == "independent" else [0.1 * (1 - p), 0.9, 0.1 * p]


def _sum(p: float, opponents: int, kind: str, logits: float) -> Numbers:
    """How likely each number of games won from one opening is."""
    found = np.ones(1)
    for strength in np.linspace(-0.5, 0.5, opponents) if opponents > 1 else (0.0,):
        found = np.convolve(found, _pair(_shifted(p, float(strength) + logits), kind))
    return found


def _cluster(p: float, opponents: int, kind: str, effect: str) -> Numbers:
    if effect == "alike":
        found = np.zeros(2 * opponents + 1)
        found[::opponents] = _pair(p, kind)
        return found
    levels = (-1.0, 0.0, 1.0) if effect == "shared" else (0.0,)
    return sum((_sum(p, opponents, kind, logits) for logits in levels), np.zeros(1)) / len(levels)


def _differences(p: float, opponents: int, kind: str, effect: str) -> Numbers:
    """The same for the games won more than by a baseline that is a little weaker, or as strong where p is ½."""
    mine, theirs = (_cluster(rate, opponents, kind, effect) for rate in (p, max(p - 0.1, 0.5)))
    return np.convolve(mine, theirs[::-1])


def _intervals(drawn: Numbers, values: Numbers, opponents: int, null: float) -> tuple[Numbers, Numbers]:
    """95 % intervals of many samples at once, each told by how often it has each value: the formulas once more."""
    clusters = int(drawn[0].sum())
    up_to = drawn.cumsum(axis=1)
    centre = sum(values[(up_to >= place).argmax(axis=1)] for place in ((clusters + 1) // 2, clusters // 2 + 1)) / 2
    off = np.abs(values - np.asarray(centre)[:, None])
    spread = ((drawn * off**2).sum(axis=1) + 0.25) / ((drawn * off).sum(axis=1) + 0.5)
    spread = np.clip(spread, 0.5 / math.sqrt(opponents), 0.5)
    mean = drawn @ values / clusters
    middle = (drawn @ values + null) / (clusters + 1)
    squares = drawn @ values**2 + null**2 + spread**2 * 2 / 3 - (clusters + 1) * middle**2
    half = stats.t.ppf(0.975, clusters) * np.sqrt(squares / (clusters * (clusters + 1)))
    least = 2 * null - 1 if null else -1.0
    return np.minimum(np.maximum(middle - half, least), mean), np.maximum(np.minimum(middle + half, 1.0), mean)


def _clusters(sample: Numbers, values: Numbers, opponents: int) -> Clusters:
    return [
        (float(value) * opponents, opponents)
        for value, n in zip(values, sample, strict=True)
        for _ in range(round(float(n)))
    ]


def _coverage(clusters: int, opponents: int, is_difference: bool, samples: int) -> dict[tuple[str, str, float], float]:
    """How often the interval holds the truth: for each effect of the opening, kind of pairs and win probability."""
    generator = np.random.default_rng(11)
    games = 2 * opponents
    values = np.arange(-games if is_difference else 0, games + 1) / games
    found = {}
    for effect, kind, p in product(EFFECTS, KINDS, RATES):
        likely = (_differences if is_difference else _cluster)(p, opponents, kind, effect)
        truth = float(likely @ values)
        drawn = generator.multinomial(clusters, likely / likely.sum(), size=samples).astype(float)
        low, high = _intervals(drawn, values, opponents, 0.0 if is_difference else 0.5)
        for at in range(2):  # what is counted here is what the program says
            told = estimate(_clusters(drawn[at], values, opponents), opponents, is_difference=is_difference).interval()
            assert (told.low, told.high) == pytest.approx((low[at], high[at]), abs=1e-9)
        found[effect, kind, p] = float(np.mean((low - 1e-12 <= truth) & (truth <= high + 1e-12)))
    return found


@pytest.mark.parametrize(("clusters", "opponents", "is_difference"), list(product(CLUSTERS, OPPONENTS, (False, True))))
def test_intervals_hold_the_truth_as_often_as_they_say(clusters: int, opponents: int, is_difference: bool) -> None:
    for (effect, kind, p), coverage in _coverage(clusters, opponents, is_difference, SAMPLES).items():
        least, most = (0.94, 0.96) if clusters >= 200 else (0.92, 1.0 if kind == "splits" else 0.99)
        assert least - NOISE <= coverage <= most + NOISE, (effect, kind, p)


def test_incomplete_clusters_weigh_as_much_as_they_have_pairs() -> None:
    """Three pairs of ten are missing, here and there, and each opening is easier or harder against everybody."""
    generator = np.random.default_rng(5)
    held = 0
    for _ in range(1_500):
        p = 1 / (1 + np.exp(-0.6 - generator.choice((-1.0, 0.0, 1.0), size=(40, 1))))
        scores = generator.binomial(2, np.broadcast_to(p, (40, 4))) / 2
        there = generator.random((40, 4)) < 0.7
        told = estimate(zip((scores * there).sum(axis=1), there.sum(axis=1), strict=True), 4).interval()
        truth = float(np.mean([_shifted(0.5, 0.6 + logits) for logits in (-1, 0, 1)]))
        held += told.low <= truth <= told.high
    assert 0.92 <= held / 1_500 <= 0.99


def test_an_opening_that_was_left_half_way_changes_little() -> None:
    complete = [(2.0, 4), (3.0, 4), (1.5, 4)] * 30
    before, after = (estimate(clusters, 4).interval() for clusters in (complete, [*complete, (1.0, 1)]))
    assert after.estimate == pytest.approx(sum(t for t, _ in [*complete, (1.0, 1)]) / 361)
    assert (after.low, after.high) == pytest.approx((before.low, before.high), abs=0.003)


# --- p values


def _questions(generator: np.random.Generator, openings: int, *more: float) -> list[Question]:
    """One for each candidate, which is so many logits stronger than the baseline, over the same four opponents."""
    strength = np.array([0.0, *more])[:, None, None] + np.linspace(-0.1, 0.9, 4)
    fit = generator.choice((-1.0, 0.0, 1.0), size=(len(more) + 1, openings, 1))  # what an opening is to a player
    scores: Numbers = generator.binomial(2, 1 / (1 + np.exp(-strength - fit))).sum(axis=2) / 2
    found = []
    for number, row in enumerate(scores[1:] - scores[0]):
        told = estimate([(float(total), 4) for total in row], 4, is_difference=True)
        found.append(Question(f"candidate {number}", "baseline", OVER_THE_PANEL, told, (0.5, 0.5), 4 * openings))
    return found


def test_five_candidates_as_strong_as_the_baseline_are_seldom_told_from_it() -> None:
    generator = np.random.default_rng(3)
    repetitions, wrong = 1_000, 0
    p_values: list[float] = []
    for _ in range(repetitions):
        questions = _questions(generator, 50, 0, 0, 0, 0, 0)
        wrong += any(verdict.word != UNDECIDED for verdict in answer(questions))
        p_values += [question.estimate.p_value(0.0) for question in questions]
    assert wrong / repetitions <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / repetitions)
    # Each of them alone would be called better or worse as often as its p value says.
    for level in (0.01, 0.05, 0.1, 0.25, 0.5):
        share = float(np.mean(np.array(p_values) <= level))
        assert share == pytest.approx(level, abs=3 * math.sqrt(level * (1 - level) / repetitions))


def test_a_better_candidate_is_told_from_those_that_are_not() -> None:
    generator = np.random.default_rng(4)
    told = wrong = 0
    for _ in range(300):
        better, *others = answer(_questions(generator, 100, 1.0, 0, 0))
        told += better.word == "better"
        wrong += any(verdict.word != UNDECIDED for verdict in others)
    assert told > 290
    assert wrong / 300 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)


# --- properties


@st.composite
def samples(draw: st.DrawFn) -> tuple[Clusters, int, bool]:
    """Clusters of pairs or of differences, some incomplete or empty."""
    size, is_difference = draw(st.integers(1, 8)), draw(st.booleans())
    cluster = st.integers(0, size).flatmap(
        lambda count: st.integers(-2 * count if is_difference else 0, 2 * count).map(lambda won: (won / 2, count))
    )
    return draw(st.lists(cluster, max_size=60)), size, is_difference


def _of(sample: tuple[Clusters, int, bool]) -> tuple[Estimate, float]:
    clusters, size, is_difference = sample
    return estimate(clusters, size, is_difference=is_difference), 0.0 if is_difference else 0.5


@settings(deadline=None)
@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 500), st.sampled_from((0.8, 0.95, 0.99)))
def test_for_one_opponent_it_is_the_interval_of_the_win_rate(ll: int, wl: int, ww: int, confidence: float) -> None:
    expected = rate_interval(PairCounts(ll, wl, ww), confidence)
    found = estimate([(0.0, 1)] * ll + [(0.5, 1)] * wl + [(1.0, 1)] * ww, 1).interval(confidence)
    assert (found.estimate, found.low, found.high) == pytest.approx((expected.estimate, expected.low, expected.high))


@settings(deadline=None)
@given(samples(), st.sampled_from((0.5, 0.95, 0.99, 0.9999)))
def test_every_sample_has_a_finite_answer_that_holds_its_mean(
    sample: tuple[Clusters, int, bool], confidence: float
) -> None:
    found, null = _of(sample)
    interval = found.interval(confidence)
    assert all(math.isfinite(value) for value in (interval.estimate, interval.low, interval.high))
    assert (2 * null - 1 if null else -1) <= interval.low <= interval.estimate <= interval.high <= 1
    assert interval.low < interval.high
    assert 0 <= found.p_value(null) <= 1
    assert 0 <= found.superiority(null) <= 1


@settings(deadline=None)
@given(samples(), st.floats(0.001, 0.5))
def test_the_p_value_says_what_the_interval_says(sample: tuple[Clusters, int, bool], level: float) -> None:
    found, null = _of(sample)
    p, interval = found.p_value(null), found.interval(1 - level)
    if abs(p - level) > 1e-9:
        assert (p < level) == (not interval.low <= null <= interval.high)
    expected = 1 - p / 2 if found.middle >= null else p / 2
    assert found.superiority(null) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(samples())
def test_the_opponents_view_is_the_mirror_image(sample: tuple[Clusters, int, bool]) -> None:
    clusters, size, is_difference = sample
    top = 0.0 if is_difference else 1.0
    found, null = _of(sample)
    other, _ = _of(([(top * count - total, count) for total, count in clusters], size, is_difference))
    assert other.interval().low == pytest.approx(top - found.interval().high, abs=1e-12)
    assert other.p_value(null) == pytest.approx(found.p_value(null), abs=1e-9)
    assert other.superiority(null) == pytest.approx(1 - found.superiority(null), abs=1e-9)


@settings(deadline=None)
@given(samples().filter(lambda sample: any(count for _, count in sample[0])), st.randoms())
def test_order_does_not_matter_and_more_of_the_same_is_known_better(
    sample: tuple[Clusters, int, bool], generator: random.Random
) -> None:
    clusters, size, is_difference = sample
    shuffled = generator.sample(clusters, len(clusters))
    found, _ = _of(sample)
    assert _of((shuffled, size, is_difference))[0].interval().low == pytest.approx(found.interval().low, abs=1e-12)
    assert _of((clusters * 2, size, is_difference))[0].error < found.error


def test_nothing_played_says_nothing() -> None:
    for clusters in ([], [(0.0, 0)]):
        for is_difference, null, least in ((False, 0.5, 0.0), (True, 0.0, -1.0)):
            found = estimate(clusters, 7, is_difference=is_difference)
            assert (found.interval().estimate, found.interval().low, found.interval().high) == (null, least, 1.0)
            assert (found.p_value(null), found.superiority(null), found.clusters) == (1.0, 0.5, 0)


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_openings_that_all_end_alike_say_no_more_than_single_pairs(score: float) -> None:
    counts = {0.0: PairCounts(12, 0, 0), 0.5: PairCounts(0, 12, 0), 1.0: PairCounts(0, 0, 12)}[score]
    expected = rate_interval(counts)
    found = estimate([(7 * score, 7)] * 12, 7).interval()
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_few_pairs_decide_nothing() -> None:
    for clusters in ([(1.0, 1)], [(7.0, 7)], [(7.0, 7)] * 3):
        found = estimate(clusters, 7)
        assert found.interval().low < 0.5
        assert found.p_value(0.5) > 0.05


if __name__ == "__main__":  # the table of docs/statistics.md
    for clusters in CLUSTERS:
        cells = []
        for kind, is_difference in product(KINDS, (False, True)):
            shares = [
                share
                for opponents in OPPONENTS
                for (_, of, _), share in _coverage(clusters, opponents, is_difference, 20_000).items()
                if of == kind
            ]
            cells.append(f"{100 * min(shares):.1f}–{100 * max(shares):.1f}")
        print("|", clusters, "|", " | ".join(cells), "|")
