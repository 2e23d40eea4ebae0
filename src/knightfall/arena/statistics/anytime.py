"""An interval that is valid at any time: for matches that stop as soon as a test has decided.

An ordinary interval assumes a sample size that was fixed in advance. If a sample is stopped because it looks good, such
an interval is biased upwards. The interval of this module is an asymptotic confidence sequence (Waudby-Smith, Arbour,
Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of
Statistics, 2024). With the requested confidence, it contains the true value at all sample sizes at once. In return, it
is wider by about half.
"""

from __future__ import annotations

import math

from knightfall.arena.statistics.elo import elo_of
from knightfall.arena.statistics.pairs import CONFIDENCE, Interval, PairCounts

_TIGHTEST = 500
"""The number of pairs for which the sequence is as narrow as possible."""


def anytime_rate(counts: PairCounts, confidence: float = CONFIDENCE) -> Interval:
    """Return the win rate with an interval that is valid at any time of a match.

    >>> str(anytime_rate(PairCounts(10, 60, 30)))
    '0.600 [0.499, 0.699]'
    """
    pairs, estimate = counts.pairs, counts.score
    if not pairs:
        return Interval(estimate, 0.0, 1.0, confidence)
    # One virtual pair (a third lost, a third split, a third won), as in the interval for a fixed sample.
    weighted = [(0.0, counts.ll + 1 / 3), (0.5, counts.wl + 1 / 3), (1.0, counts.ww + 1 / 3)]
    middle = math.fsum(value * n for value, n in weighted) / (pairs + 1)
    variance = math.fsum(n * (value - middle) ** 2 for value, n in weighted) / pairs
    alpha = 1 - confidence
    # The scale that makes the sequence narrowest at this number of pairs (equation 10 of the paper).
    scale = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha)) + 1) / _TIGHTEST
    spread = pairs * scale + 1
    half = math.sqrt(variance * 2 * spread / (pairs * pairs * scale) * math.log(math.sqrt(spread) / alpha))
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    return Interval(estimate, min(low, estimate), max(high, estimate), confidence)


def anytime_elo(counts: PairCounts, confidence: float = CONFIDENCE) -> Interval:
    """Return the Elo difference with an interval that is valid at any time of a match."""
    rate = anytime_rate(counts, confidence)
    # If all n pairs are won, the sample only shows that the rate is near 1 - 1/(2n + 2).
    least = 1.0 / (2 * counts.pairs + 2)
    estimate = min(max(rate.estimate, least), 1 - least)
    return Interval(elo_of(estimate), elo_of(min(rate.low, estimate)), elo_of(max(rate.high, estimate)), confidence)
