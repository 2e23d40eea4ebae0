"""The mean of values that come in clusters, its interval and its p value.

All pairs from one opening form a cluster: a position that is easy for one agent is easy for others, so that they are
not independent of each other. Each cluster counts as one observation, weighted by the pairs in it; one virtual cluster
is added, as to the pairs of a single match (see :mod:`knightfall.arena.statistics.pairs`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scipy import stats

from knightfall.arena.statistics.pairs import CONFIDENCE, Interval


@dataclass(frozen=True)
class Estimate:
    """A mean with what is needed for an interval of any confidence.

    ``mean`` is that of the observations; ``middle`` and ``error`` are with the virtual cluster; ``least`` and ``most``
    are what the truth can be at all.
    """

    mean: float
    middle: float
    error: float
    freedom: float
    clusters: int
    least: float
    most: float

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """Student's interval; it holds the mean, whatever the virtual cluster does to its middle."""
        if self.freedom <= 0:
            return Interval(self.mean, self.least, self.most, confidence)
        half = float(stats.t.ppf((1 + confidence) / 2, self.freedom)) * self.error
        low, high = max(self.middle - half, self.least), min(self.middle + half, self.most)
        return Interval(self.mean, min(low, self.mean), max(high, self.mean), confidence)

    def p_value(self, null: float) -> float:
        """How likely a mean this far from ``null``, on either side, would be if that were the truth."""
        if self.freedom <= 0 or self.error <= 0:
            return 1.0
        return float(2 * stats.t.sf(abs(self.middle - null) / self.error, self.freedom))

    def superiority(self, null: float) -> float:
        """The likelihood of superiority: how likely the truth is above ``null``."""
        if self.freedom <= 0 or self.error <= 0:
            return 0.5
        return float(stats.t.cdf((self.middle - null) / self.error, self.freedom))


def estimate(clusters: Iterable[tuple[float, int]], size: int, *, is_difference: bool = False) -> Estimate:
    """The mean of clusters, each told by the sum of its values and their number; ``size`` of them when it is complete.

    Values are scores of pairs, from 0 to 1, or with ``is_difference`` differences of two such scores.

    >>> str(estimate([(0.0, 1)] * 10 + [(0.5, 1)] * 60 + [(1.0, 1)] * 30, 1).interval())
    '0.600 [0.539, 0.659]'
    """
    null, least = (0.0, -1.0) if is_difference else (0.5, 0.0)
    seen = [(total / count, count / size) for total, count in clusters if count]
    weight = math.fsum(w for _, w in seen)
    mean = math.fsum(value * w for value, w in seen) / weight if seen else null
    # One virtual cluster: as many independent pairs as a cluster has, a third lost, a third split, a third won. Their
    # mean has this deviation, which a third on either side stands for.
    spread = 0.5 / math.sqrt(size)
    full = [*seen, *((null + offset, 1 / 3) for offset in (-spread, 0.0, spread))]
    total = math.fsum(w for _, w in full)
    middle = math.fsum(value * w for value, w in full) / total
    freedom = total - 1
    if len(seen) < 1 or freedom <= 0:
        return Estimate(mean, null, 0.0, 0.0, len(seen), least, 1.0)
    variance = math.fsum(w * w * (value - middle) ** 2 for value, w in seen)
    variance += math.fsum(w * (value - middle) ** 2 for value, w in full[len(seen) :])
    return Estimate(mean, middle, math.sqrt(variance / (total * freedom)), freedom, len(seen), least, 1.0)
