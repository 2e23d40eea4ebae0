"""Elo differences: another form of win rates."""

from __future__ import annotations

import math

from knightfall.arena.statistics.pairs import Interval, PairCounts, rate_interval

MOST = 1_200.0
"""The limit of reported differences; no sample here could show larger ones."""


def elo_of(rate: float) -> float:
    """Return the Elo difference of a win rate, limited to ±1200.

    >>> round(elo_of(0.64)), elo_of(1.0)
    (100, 1200.0)
    """
    if rate <= 0.0:
        return -MOST
    if rate >= 1.0:
        return MOST
    return max(-MOST, min(MOST, -400.0 * math.log10(1.0 / rate - 1.0)))


def rate_of(elo: float) -> float:
    """Return the win rate of an Elo difference."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def elo_interval(counts: PairCounts, confidence: float = 0.95) -> Interval:
    """Return the Elo difference and its interval."""
    rate = rate_interval(counts, confidence)
    # If all n pairs are won, the sample only shows that the rate is near 1 - 1/(2n + 2).
    least = 1.0 / (2 * counts.pairs + 2)
    estimate = min(max(rate.estimate, least), 1 - least)
    return Interval(elo_of(estimate), elo_of(min(rate.low, estimate)), elo_of(max(rate.high, estimate)), confidence)
