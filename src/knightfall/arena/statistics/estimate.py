"""The mean of values that come in clusters, its interval and its p value.

All pairs from one opening form a cluster: a position that is easy for one agent is easy for others, so that they are
not independent of each other. Each cluster counts as one observation, weighted by the pairs in it; one virtual cluster
is added, as to the pairs of a single match (see :mod:`knightfall.arena.statistics.pairs`). How often the intervals hold
the truth is shown by ``tests/test_estimate.py`` and told in ``docs/statistics.md``.
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
        half = student_quantile((1 + confidence) / 2, self.freedom) * self.error
        low, high = max(self.middle - half, self.least), min(self.middle + half, self.most)
        return Interval(self.mean, min(low, self.mean), max(high, self.mean), confidence)

    def p_value(self, null: float) -> float:
        """How likely a mean this far from ``null``, on either side, would be if that were the truth."""
        if self.freedom <= 0:
            return 1.0
        return 2 * student_share(-abs(self.middle - null) / self.error, self.freedom)

    def superiority(self, null: float) -> float:
        """The likelihood of superiority: how likely the truth is above ``null``."""
        if self.freedom <= 0:
            return 0.5
        return student_share((self.middle - null) / self.error, self.freedom)


def estimate(clusters: Iterable[tuple[float, int]], size: int, *, is_difference: bool = False) -> Estimate:
    """The mean of clusters, each told by the sum of its values and their number; ``size`` of them when it is complete.

    Values are scores of pairs, from 0 to 1, or with ``is_difference`` differences of two such scores.

    >>> str(estimate([(0.0, 1)] * 10 + [(0.5, 1)] * 60 + [(1.0, 1)] * 30, 1).interval())
    '0.600 [0.539, 0.659]'
    """
    null, least = (0.0, -1.0) if is_difference else (0.5, 0.0)
    # An incomplete cluster weighs as much as it has pairs: the sum of the weights is never more than the clusters are
    # worth (Kish's effective number), so that it may stand for the degrees of freedom.
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
    """How far the virtual cluster reaches to either side: a third of it lies there, a third in the middle.

    As many independent pairs as a cluster has, a third of them lost, a third split, a third won, would have a mean that
    reaches ½ / √size. But pairs from one opening may well end alike. So it is the size of the deviations among the
    clusters seen, if that is more, together with one of ½ that stands for those not seen: as long as all clusters are
    equal, it is the ½ of a single pair.
    """
    centre = median(value for value, _ in seen)
    squares = math.fsum(w * (value - centre) ** 2 for value, w in seen)
    sizes = math.fsum(w * abs(value - centre) for value, w in seen)
    return min(0.5, max(0.5 / math.sqrt(size), (squares + 0.25) / (sizes + 0.5)))
