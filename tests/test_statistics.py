"""The statistics against outside values, and their promises by simulation."""

from __future__ import annotations

import math
import random
from itertools import product

import choix
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from knightfall.arena.statistics.elo import MOST, elo_interval, elo_of, rate_of
from knightfall.arena.statistics.holm import holm_confidences
from knightfall.arena.statistics.pairs import Interval, PairCounts, pairs_needed, rate_interval
from knightfall.arena.statistics.ratings import RatedGame, rate
from knightfall.arena.statistics.sprt import Sprt, StatisticsError, llr

Numbers = npt.NDArray[np.float64]

counts = st.builds(PairCounts, *[st.integers(0, 2_000)] * 3)

# --- intervals

GRID = [
    (pairs, kind, p) for pairs in (20, 50, 100, 200, 500) for kind in ("independent", "splits") for p in (0.5, 0.7, 0.9)
]
"""Where coverage is looked at: stated before it was run."""


def _probabilities(kind: str, p: float) -> tuple[float, float, float]:
    """Of a pair lost twice, split, won twice: for independent games, and where nine pairs in ten split."""
    return ((1 - p) ** 2, 2 * p * (1 - p), p * p) if kind == "independent" else (0.1 * (1 - p), 0.9, 0.1 * p)


@pytest.mark.parametrize(("pairs", "kind", "p"), GRID)
def test_the_interval_of_the_win_rate_holds_the_truth_as_often_as_it_says(pairs: int, kind: str, p: float) -> None:
    probabilities = _probabilities(kind, p)
    truth = probabilities[1] / 2 + probabilities[2]
    drawn = np.random.default_rng(7).multinomial(pairs, probabilities, size=6_000)
    unique, times = np.unique(drawn, axis=0, return_counts=True)
    held = 0
    for sample, count in zip(unique, times, strict=True):
        interval = rate_interval(PairCounts(*(int(n) for n in sample)))
        held += int(count) * (interval.low - 1e-12 <= truth <= interval.high + 1e-12)
    coverage = held / 6_000
    # Three standard errors of 6,000 samples are 0.8 %; nearly all pairs split in small samples: there it may be higher.
    least, most = (0.94, 0.96) if pairs >= 200 else (0.92, 1.0 if kind == "splits" else 0.99)
    assert least - 0.008 <= coverage <= most + 0.008


@settings(deadline=None)
@given(counts)
def test_no_sample_gives_an_infinite_or_absurd_answer(found: PairCounts) -> None:
    for interval in (rate_interval(found), elo_interval(found)):
        assert math.isfinite(interval.low)
        assert math.isfinite(interval.high)
        assert interval.low <= interval.estimate <= interval.high
    assert 0 <= rate_interval(found).low <= rate_interval(found).high <= 1
    assert math.isfinite(llr([found.ll, found.wl, found.ww], 0, 5))
    assert math.isfinite(llr([found.ll, found.wl, found.ww], 0, 5, "normalized"))


def test_all_splits_and_all_wins_have_an_interval_with_a_width() -> None:
    for found in (PairCounts(0, 1_000, 0), PairCounts(0, 0, 5), PairCounts(5, 0, 0)):
        assert rate_interval(found).low < rate_interval(found).high


def test_a_large_sample_has_students_interval() -> None:
    scores = [0.0] * 300 + [0.5] * 500 + [1.0] * 400
    expected = stats.t.interval(0.95, 1_199, np.mean(scores), stats.sem(scores))
    found = rate_interval(PairCounts(300, 500, 400))
    assert found.low == pytest.approx(expected[0], abs=2e-4)
    assert found.high == pytest.approx(expected[1], abs=2e-4)


def test_more_pairs_are_asked_for_where_nothing_is_decided() -> None:
    # 100 pairs give ±7.0 points. 80 % power takes (1.96 + 0.84) / 1.96 of the interval: for 1 point (10.0)² as many.
    assert pairs_needed(rate_interval(PairCounts(24, 50, 26)), 100) == 10_000
    assert pairs_needed(rate_interval(PairCounts(26, 50, 24)), 100) == 10_000
    assert pairs_needed(rate_interval(PairCounts(0, 10, 90)), 100) == 0
    assert pairs_needed(rate_interval(PairCounts(10, 10, 10)), 30) is None
    # The end that must pass the middle counts, not the one that was cut off at 1.
    assert pairs_needed(rate_interval(PairCounts(0, 0, 3)), 3) == 8


@pytest.mark.parametrize("found", [PairCounts(24, 50, 26), PairCounts(9, 180, 11), PairCounts(20, 35, 25)])
def test_four_times_of_five_the_pairs_asked_for_show_the_difference(found: PairCounts) -> None:
    more = pairs_needed(rate_interval(found), found.pairs)
    assert more
    likely = np.array([found.ll, found.wl, found.ww]) / found.pairs
    drawn = np.random.default_rng(2).multinomial(found.pairs + more, likely, size=1_000)
    shown = [rate_interval(PairCounts(*(int(n) for n in sample))).low > 0.5 for sample in drawn]
    assert 0.75 < np.mean(shown) < 0.85


@given(counts, st.sampled_from((0.9, 0.95, 0.99)))
def test_pairs_are_asked_for_exactly_where_nothing_is_decided(found: PairCounts, confidence: float) -> None:
    interval = rate_interval(found, confidence)
    more = pairs_needed(interval, found.pairs)
    if found.ll == found.ww:
        assert more is None
    else:
        assert more is not None
        assert (more > 0) == (interval.low <= 0.5 <= interval.high)
        assert more == float(f"{more:.2g}")


def test_a_stricter_level_takes_more_pairs() -> None:
    told = [pairs_needed(Interval(0.02, 0.02 - z, 0.02 + z, c), 100, 0.0) for z, c in ((0.05, 0.95), (0.06, 0.99))]
    assert told == [1_200, 1_500]


# --- Elo


@given(st.floats(-800, 800))
def test_elo_and_rate_are_two_ways_to_write_the_same(elo: float) -> None:
    assert elo_of(rate_of(elo)) == pytest.approx(elo, abs=1e-6)
    assert elo_of(0.0) == -MOST


# --- SPRT


@pytest.mark.parametrize(
    ("bins", "elo0", "elo1", "model", "expected", "within"),
    [
        ([100, 800, 100], 0, 5, "logistic", -0.52, 0.005),
        ([100, 800, 100], 0, 5, "normalized", -0.21, 0.005),
        ([40, 900, 60], 0, 5, "logistic", 1.85, 0.02),
        ([40, 900, 60], 0, 5, "normalized", 1.08, 0.005),
        ([365, 16618, 36229, 16974, 390], 0, 2, "normalized", 2.25, 0.005),
        ([223, 9863, 21279, 10037, 246], 0.5, 2.5, "logistic", -3.07, 0.005),
    ],
)
def test_the_ratio_is_the_published_one(
    bins: list[int], elo0: float, elo1: float, model: str, expected: float, within: float
) -> None:
    assert llr(bins, elo0, elo1, model) == pytest.approx(expected, abs=within)


def test_a_sample_of_splits_alone_gives_a_finite_answer() -> None:
    for model in ("logistic", "normalized"):
        assert math.isfinite(llr([0, 1_000, 0], 0, 5, model))
    assert llr([0, 0, 0], 0, 5) == 0.0


@settings(deadline=None)
@given(
    st.lists(st.one_of(st.integers(0, 3), st.integers(0, 10**9)), min_size=3, max_size=3),
    st.floats(-200, 199),
    st.floats(0.1, 100),
    st.sampled_from(("logistic", "normalized")),
)
def test_the_ratio_is_finite_and_changes_sides(bins: list[int], elo0: float, wide: float, model: str) -> None:
    elo1 = min(elo0 + wide, 200.0)
    found = Sprt(elo0, elo1, model=model).llr(bins)
    assert math.isfinite(found)
    # Seen by the opponent, the two hypotheses change places and signs.
    assert Sprt(-elo1, -elo0, model=model).llr(bins[::-1]) == pytest.approx(-found, rel=1e-4, abs=1e-3)


def _tilted(likely: Numbers, moved: Numbers) -> Numbers:
    """The most likely distributions in which the three moved values have a mean of 0: a quadratic equation."""
    c = (likely * moved).sum(axis=-1)
    b = (likely * moved * (moved.sum(axis=-1, keepdims=True) - moved)).sum(axis=-1)
    a = moved.prod(axis=-1)
    x = 2 * c / (-b + np.sqrt(b * b - 4 * a * c))
    found: Numbers = likely / (1 + x[..., None] * moved)
    return found


def _ratios(bins: npt.NDArray[np.int64], test: Sprt) -> Numbers:
    """The log-likelihood ratios of many counts of pairs at once, worked out in another way than the program's."""
    full = np.where(bins > 0, bins, 1e-3)
    total = full.sum(axis=-1)
    likely = full / total[..., None]
    scores = np.array([0.0, 0.5, 1.0])
    found = []
    for elo in (test.elo0, test.elo1):
        if test.model == "logistic":
            found.append(_tilted(likely, np.broadcast_to(scores - rate_of(elo), likely.shape)))
            continue
        ratio, tilted = elo * math.log(10) / 800 * math.sqrt(2), np.full(likely.shape, 1 / 3)
        for _ in range(8):
            mean = tilted @ scores
            deviation = np.sqrt(tilted @ scores**2 - mean**2)[..., None]
            apart = (scores - mean[..., None]) / deviation
            tilted = _tilted(likely, scores - 0.5 - ratio * deviation * (1 + apart**2) / 2)
        found.append(tilted)
    ratios: Numbers = total * (likely * np.log(found[1] / found[0])).sum(axis=-1)
    return ratios


def _pair_of(elo: float, model: str, splits: float) -> tuple[float, float, float]:
    """The probabilities of pairs with that Elo difference, of which so many split."""
    if model == "logistic":
        above = rate_of(elo) - 0.5
    else:
        ratio = elo * math.log(10) / 800 * math.sqrt(2)
        above = ratio * math.sqrt((1 - splits) / 4 / (1 + ratio**2))
    return (1 - splits) / 2 - above, splits, (1 - splits) / 2 + above


def _shares(test: Sprt, elo: float, splits: float, tests: int) -> tuple[float, float, float]:
    """How often elo0 and elo1 are accepted when the truth is ``elo``, and the mean number of pairs."""
    generator = np.random.default_rng(9)
    low, high = test.bounds
    accepted = [0, 0]
    pairs = 0
    before = np.zeros((tests, 1, 3), np.int64)  # the tests that go on
    while len(before):
        drawn = generator.choice(3, p=_pair_of(elo, test.model, splits), size=(len(before), 100))
        bins = before + np.cumsum(drawn[..., None] == np.arange(3), axis=1)
        ratios = _ratios(bins, test)
        over = (ratios <= low) | (ratios >= high)
        ended = over.any(axis=1)
        at = over.argmax(axis=1)[ended]
        last, last_ratios = bins[ended, at], ratios[ended, at]
        for row in range(min(3, len(last))):  # what is counted here is what the program says
            now, then = [int(n) for n in last[row]], [int(n) for n in bins[ended][row, max(at[row] - 1, 0)]]
            assert test.llr(now) == pytest.approx(last_ratios[row], abs=1e-3)
            assert test.decision(now) == ("elo0" if last_ratios[row] <= low else "elo1")
            assert not at[row] or test.decision(then) is None
        accepted[0] += int((last_ratios <= low).sum())
        accepted[1] += int((last_ratios >= high).sum())
        pairs += int(last.sum())
        before = bins[~ended, -1:]
    return accepted[0] / tests, accepted[1] / tests, pairs / tests


def _check_errors(test: Sprt, splits: float, tests: int) -> None:
    noise = 3 * math.sqrt(0.05 * 0.95 / tests)
    _, wrong, _ = _shares(test, test.elo0, splits, tests)
    assert wrong <= test.alpha + noise
    wrong, _, _ = _shares(test, test.elo1, splits, tests)
    assert wrong <= test.beta + noise
    # Half way between the two, either is accepted about as often as the other.
    one, other, _ = _shares(test, (test.elo0 + test.elo1) / 2, splits, tests)
    assert one == pytest.approx(0.5, abs=0.05 + noise)
    assert one + other == pytest.approx(1)


@pytest.mark.parametrize("model", ["logistic", "normalized"])
@pytest.mark.parametrize(("elo0", "elo1", "splits"), [(0, 60, 0.5), (-40, 40, 0.75)])
def test_a_test_errs_as_often_as_it_may(elo0: float, elo1: float, model: str, splits: float) -> None:
    _check_errors(Sprt(elo0, elo1, model=model), splits, tests=400)


@pytest.mark.long
@pytest.mark.parametrize("model", ["logistic", "normalized"])
@pytest.mark.parametrize("splits", [0.5, 0.9])
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 20), (-10, 10), (10, 30)])
def test_a_long_test_errs_as_often_as_it_may(elo0: float, elo1: float, model: str, splits: float) -> None:
    _check_errors(Sprt(elo0, elo1, model=model), splits, tests=2_000)


def test_a_test_that_makes_no_sense_is_refused() -> None:
    for arguments in ((5, 0), (0, 0), (0, 5, 0.7), (0, math.inf), (math.nan, 5), (-2_000, 0)):
        with pytest.raises(StatisticsError):
            Sprt(*arguments)
    with pytest.raises(StatisticsError, match="within ±200, not 0,300"):
        Sprt(0, 300, model="normalized")


# --- Holm


def test_holm_holds_the_smallest_against_all_of_them() -> None:
    assert holm_confidences([0.001, 0.2, 0.02]) == pytest.approx([1 - 0.05 / 3, 0.95, 1 - 0.05 / 2])
    assert holm_confidences([0.9]) == pytest.approx([0.95])
    assert holm_confidences([]) == []


def check_holm(p_values: list[float]) -> None:
    """Compare with statsmodels."""
    from statsmodels.stats.multitest import multipletests

    expected = multipletests(p_values, alpha=0.05, method="holm")[0]
    found = [p <= 1 - c for p, c in zip(p_values, holm_confidences(p_values), strict=True)]
    # Numbers that lie exactly on a level may fall on either side by rounding.
    for p, c, ours, theirs in zip(p_values, holm_confidences(p_values), found, expected, strict=True):
        assert ours == theirs or abs(p - (1 - c)) < 1e-12


p_values = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@settings(deadline=None, max_examples=8)
@given(p_values)
def test_holm_rejects_what_statsmodels_rejects(values: list[float]) -> None:
    check_holm(values)


@pytest.mark.long
@settings(deadline=None, max_examples=200)
@given(p_values)
def test_holm_rejects_what_statsmodels_rejects_often(values: list[float]) -> None:
    check_holm(values)


# --- ratings


def _games(truth: dict[str, float], pairs: int, first: float = 0.0, attacker: float = 0.0) -> list[RatedGame]:
    generator = random.Random(5)
    found = []
    for pair in range(pairs):
        a, b = generator.sample(sorted(truth), 2)
        attacks = generator.random() < 0.5
        for one, two in ((a, b), (b, a)):
            elo = truth[one] - truth[two] + first + (attacker if attacks else -attacker)
            found.append(RatedGame(one, two, generator.random() < rate_of(elo), f"pair {pair}", attacks))
    return found


def test_the_points_are_those_of_choix() -> None:
    truth = {"a": 0.0, "b": 60.0, "c": 120.0, "d": 250.0}
    games = _games(truth, 2_000)
    names = sorted(truth)
    wins = [
        (names.index(game.first), names.index(game.second))
        if game.first_wins
        else (names.index(game.second), names.index(game.first))
        for game in games
    ]
    expected = choix.ilsr_pairwise(len(names), wins) * 400 / math.log(10)
    found = rate(games)
    for index, name in enumerate(names):
        # Ours has a term for moving first and a weak prior, neither of which moves the points much here.
        assert found.agents[name].estimate == pytest.approx(expected[index] - np.mean(expected), abs=4)


def test_moving_first_and_attacking_are_told_apart_from_strength() -> None:
    found = rate(_games({"a": 0.0, "b": 100.0}, 3_000, first=40.0, attacker=80.0))
    assert found.first_move.low < 40 < found.first_move.high
    assert found.attacker.low < 80 < found.attacker.high
    assert found.agents["b"].low - found.agents["a"].high < 100


def test_an_agent_that_lost_every_game_gets_a_bound_and_no_absurdity() -> None:
    games = [
        RatedGame("weak", "strong", False, str(n // 2)) if n % 2 else RatedGame("strong", "weak", True, str(n // 2))
        for n in range(40)
    ]
    found = rate(games)
    assert found.bounded == {"weak": "lost all", "strong": "won all"}
    assert -1_500 < found.agents["weak"].estimate < -150
    assert found.agents["weak"].high - found.agents["weak"].low > 150


def test_without_the_terms_the_points_are_exactly_those_of_choix() -> None:
    """Given the virtual games against the pool, as against one more player."""
    truth = {"a": -100.0, "b": 20.0, "c": 80.0}
    # Each game is told a second time with the sides changed, so that moving first is worth nothing at all.
    games = [RatedGame(g.first, g.second, g.first_wins, g.cluster) for g in _games(truth, 40)]
    games += [RatedGame(g.second, g.first, not g.first_wins, g.cluster) for g in games]
    names = [*sorted(truth), "pool"]
    wins = [(game.first, game.second) if game.first_wins else (game.second, game.first) for game in games]
    wins += [pair for name in sorted(truth) for pair in ((name, "pool"), ("pool", name))]
    points = choix.ilsr_pairwise(len(names), [(names.index(a), names.index(b)) for a, b in wins]) * 400 / math.log(10)
    found = rate(games)
    assert found.first_move.estimate == pytest.approx(0, abs=1e-6)
    for name, point in zip(sorted(truth), points[:3] - points[:3].mean(), strict=True):
        assert found.agents[name].estimate == pytest.approx(point, abs=1e-3)


def test_no_games_and_few_games_are_rated_with_little_confidence() -> None:
    nothing = rate([])
    assert nothing.agents == {}
    assert nothing.first_move.low < -300 < 300 < nothing.first_move.high
    for attacks in (True, None):
        found = rate([RatedGame("a", "b", True, "1", attacks), RatedGame("b", "a", True, "1", attacks)])
        assert found.agents["a"].estimate == pytest.approx(0, abs=1e-6)
        for interval in (*found.agents.values(), found.first_move, found.attacker):
            assert interval.high - interval.low > 400


def test_a_first_player_who_always_wins_is_no_absurdity() -> None:
    sides = [names for _ in range(200) for names in (("a", "b"), ("b", "a"))]
    found = rate([RatedGame(*names, True, str(n // 2)) for n, names in enumerate(sides)]).first_move
    assert 0 < found.low < 700 < found.estimate < found.high <= MOST
    # Where the first player always is the attacker, too, what either is worth cannot be told.
    both = rate([RatedGame(*names, True, str(n // 2), True) for n, names in enumerate(sides)])
    for told in (both.first_move, both.attacker):
        assert told.low < 0 < 300 < told.high


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.builds(
            RatedGame,
            st.sampled_from("abc"),
            st.sampled_from("abcd"),
            st.booleans(),
            st.sampled_from("123456"),
            st.sampled_from((True, False, None)),
        ),
        max_size=30,
    )
)
def test_every_set_of_games_has_finite_ratings(games: list[RatedGame]) -> None:
    found = rate(games)
    for interval in (*found.agents.values(), found.first_move, found.attacker):
        assert -MOST <= interval.low <= interval.estimate <= interval.high <= MOST


GAUNTLET = {"A": -40.0, "B": 20.0, "C": 100.0, "w": -250.0, "x": -60.0, "y": 40.0, "z": 190.0}
"""Three candidates and four opponents; their mean is 0."""


def _gauntlet(generator: np.random.Generator, openings: int, by_opening: float = 0.0) -> list[RatedGame]:
    """All pairs of a gauntlet. Moving first is worth 30 Elo, more or less by opening; being the attacker 120."""
    found = []
    for opening in range(openings):
        attacks = bool(generator.random() < 0.5)
        first = 30 + by_opening * int(generator.integers(-1, 2)) + (120 if attacks else -120)
        for candidate, opponent in product("ABC", "wxyz"):
            for one, two in ((candidate, opponent), (opponent, candidate)):
                won = bool(generator.random() < rate_of(GAUNTLET[one] - GAUNTLET[two] + first))
                found.append(RatedGame(one, two, won, str(opening), attacks))
    return found


def _rating_coverage(samples: int, openings: int, by_opening: float = 0.0) -> dict[str, float]:
    """How often the interval of each rating and term holds the truth."""
    generator = np.random.default_rng(6)
    truth = {**GAUNTLET, "first move": 30.0, "attacker": 120.0}
    # What varies by opening makes odds less extreme on the whole: then the mean of all estimates stands for the truth.
    found: dict[str, list[Interval]] = {name: [] for name in truth}
    for _ in range(samples):
        told = rate(_gauntlet(generator, openings, by_opening))
        for name, interval in (*told.agents.items(), ("first move", told.first_move), ("attacker", told.attacker)):
            found[name].append(interval)
    if by_opening:
        truth = {name: float(np.mean([i.estimate for i in intervals])) for name, intervals in found.items()}
    return {name: float(np.mean([i.low <= truth[name] <= i.high for i in found[name]])) for name in truth}


def test_ratings_of_a_gauntlet_hold_the_truth() -> None:
    found = _rating_coverage(samples=60, openings=25)
    assert 0.92 <= np.mean(list(found.values())) <= 0.98


@pytest.mark.long
@pytest.mark.parametrize(("openings", "by_opening"), [(20, 0.0), (100, 0.0), (100, 150.0)])
def test_ratings_hold_the_truth_as_often_as_they_say(openings: int, by_opening: float) -> None:
    # An error is never less than the model's own, which is too large where an opening makes the pair split.
    most = 1.0 if by_opening else 0.98
    for name, coverage in _rating_coverage(500, openings, by_opening).items():
        assert 0.92 <= coverage <= most, name


if __name__ == "__main__":  # the figures of docs/statistics.md
    for splits, model in product((0.5, 0.9), ("logistic", "normalized")):
        test = Sprt(0, 20, model=model)
        for elo in (0.0, 10.0, 20.0):
            to_elo0, to_elo1, pairs = _shares(test, elo, splits, 2_000)
            print(f"| {model} | {splits:.0%} | {elo:g} | {to_elo0:.1%} | {to_elo1:.1%} | {pairs:,.0f} |")
    for openings, by_opening in ((20, 0.0), (100, 0.0), (100, 150.0)):
        told = _rating_coverage(500, openings, by_opening)
        print(openings, by_opening, {name: f"{share:.1%}" for name, share in told.items()})
