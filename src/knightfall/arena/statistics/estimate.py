"""The mean of clustered values, with its interval and p value.

All pairs from one opening form a cluster. A position that is easy for one agent is easy for others, so these pairs are
not independent. Each cluster counts as one observation, weighted by its number of pairs. One virtual cluster is added,
as for the pairs of a single match (see :mod:`knightfall.arena.statistics.pairs`). ``tests/test_estimate.py`` measures
how often the intervals contain the true value; ``docs/statistics.md`` reports it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from knightfall.arena.statistics.distributions import student_quantile, student_share
from knightfall.arena.statistics.pairs import CONFIDENCE, Interval


@dataclass(frozen=True)
class Estimate:
    """A mean with the data for an interval of any confidence.

    ``mean`` is the mean of the observations. ``middle`` and ``error`` include the virtual cluster. ``least`` and
    ``most`` are the limits of possible true values.
    """

    mean: float
    middle: float
    error: float
    freedom: float
    clusters: int
    least: float
    most: float

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """Return Student's interval; it always contains the mean, although the virtual cluster shifts its middle."""
        if self.freedom <= 0:
            return Interval(self.mean, self.least, self.most, confidence)
        half = student_quantile((1 + confidence) / 2, self.freedom) * self.error
        low, high = max(self.middle - half, self.least), min(self.middle + half, self.most)
        return Interval(self.mean, min(low, self.mean), max(high, self.mean), confidence)

    def p_value(self, null: float) -> float:
        """Return the two-sided p value for the hypothesis that the true value is ``null``."""
        if self.freedom <= 0:
            return 1.0
        return 2 * student_share(-abs(self.middle - null) / self.error, self.freedom)

    def superiority(self, null: float) -> float:
        """Return the likelihood of superiority: the probability that the true value is above ``null``."""
        if self.freedom <= 0:
            return 0.5
        return student_share((self.middle - null) / self.error, self.freedom)


def estimate(clusters: Iterable[tuple[float, int]], size: int, *, is_difference: bool = False) -> Estimate:
    """Return the mean of clusters, given as the sum and number of their values; a complete cluster has ``size`` values.

    Values are scores of pairs, from 0 to 1, or with ``is_difference``, differences of two such scores.

    >>> str(estimate([(0.0, 1)] * 10 + [(0.5, 1)] * 60 + [(1.0, 1)] * 30, 1).interval())
    '0.600 [0.539, 0.659]'
    """
    null, least = (0.0, -1.0) if is_difference else (0.5, 0.0)
    # An incomplete cluster is weighted by its share of pairs. The sum of the weights then never exceeds the effective
    # number of clusters (Kish), so it can serve as the degrees of freedom.
    seen = [(total / count, count / size) for total, count in clusters if count]
    if not seen:
        return Estimate(null, null, 0.0, 0.0, 0, least, 1.0)
    weight = math.fsum(w for _, w in seen)
    mean = math.fsum(value * w for value, w in seen) / weight
    spread = _spread(seen, size)
    middle = (mean * weight + null) / (weight + 1)
    squares = math.fsum((w * (value - middle)) ** 2 for value, w in seen)
    squares += (null - middle) ** 2 + 2 / 3 * spread**2
    error = math.sqrt(squares / ((weight + 1) * weight))
    return Estimate(mean, middle, error, weight, len(seen), least, 1.0)


def _spread(seen: Sequence[tuple[float, float]], size: int) -> float:
    """Return how far the virtual cluster extends to each side; a third of it lies on each side, a third in the middle.

    A cluster of ``size`` independent pairs (a third lost, a third split, a third won) would have a mean that extends ½
    / √size. But pairs from one opening may well end alike. So if it is larger, the size of the deviations among the
    observed clusters is used, together with one deviation of ½ for the clusters that were not observed. As long as all
    clusters are equal, the result is the ½ of a single pair.
    """
    centre = median(value for value, _ in seen)
    squares = math.fsum(w * (value - centre) ** 2 for value, w in seen)
    sizes = math.fsum(w * abs(value - centre) for value, w in seen)
    return min(0.5, max(0.5 / math.sqrt(size), (squares + 0.25) / (sizes + 0.5)))
