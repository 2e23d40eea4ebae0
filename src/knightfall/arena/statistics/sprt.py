"""The sequential probability ratio test on pairs: stop as soon as the games provide enough evidence.

The test compares two hypotheses about the Elo difference: it is ``elo0``, or it is ``elo1``. For each, it finds the
most likely distribution of pair scores among those with this mean (logistic) or this ratio of mean to deviation
(normalized). The statistic is the log-likelihood ratio of the two. It is compared with bounds that depend only on the
error rates. Logistic Elo corresponds to the win rate itself. Normalized Elo measures how clearly a difference shows, so
that a test takes as many pairs if most of them split as if few do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from knightfall.arena.statistics.elo import MOST, rate_of
from knightfall.rules import KnightfallError

MODELS = ("logistic", "normalized")
_LIMITS = {"logistic": MOST, "normalized": 200.0}  # beyond these, some samples have no distribution of pair scores
_NORMALIZED_ELO = 800.0 / math.log(10.0)  # normalized Elo of one unit of (mean - 1/2) / deviation, for single games
_RARE = 1e-3  # replaces a count of zero, so that no logarithm is infinite


class StatisticsError(KnightfallError):
    """A question without an answer; the message is one line."""


@dataclass(frozen=True)
class Sprt:
    """The hypotheses, error rates and model of a test."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "logistic"
    two_sided: bool = False
    """Also test whether the difference is ``-elo1``: better, worse, or neither by that much (Sobel and Wald 1949)."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise StatisticsError(f"the first Elo of a test must be the smaller one, not {self.elo0:g},{self.elo1:g}")
        if self.two_sided and self.elo0 != 0:
            raise StatisticsError(f"a test for better or worse begins at an Elo difference of 0, not {self.elo0:g}")
        if self.model not in MODELS:
            raise StatisticsError(f"the model is one of {', '.join(MODELS)}, not {self.model!r}")
        most = _LIMITS[self.model]
        if not (-most <= self.elo0 and self.elo1 <= most):
            told = f"{self.elo0:g},{self.elo1:g}"
            raise StatisticsError(f"the Elo differences of a {self.model} test lie within ±{most:g}, not {told}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise StatisticsError("the error rates must be between 0 and ½")

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of the log-likelihood ratio: ``elo0`` is accepted below the first, ``elo1`` above the second."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[float]) -> float:
        """Return the log-likelihood ratio for counts of equally spaced scores from 0 to 1 (three or five bins)."""
        return llr(counts, self.elo0, self.elo1, self.model)

    def decision(self, counts: Sequence[float]) -> str | None:
        """Return the accepted hypothesis: "elo0", "elo1" or (two-sided) "-elo1"; None if the test continues."""
        low, high = self.bounds
        value = self.llr(counts)
        if not self.two_sided:
            return "elo0" if value <= low else "elo1" if value >= high else None
        mirrored = self.llr(counts[::-1])
        if value >= high or mirrored >= high:
            return "elo1" if value >= high else "-elo1"
        return "elo0" if max(value, mirrored) <= low else None


def llr(counts: Sequence[float], elo0: float, elo1: float, model: str = "logistic") -> float:
    """Return the log-likelihood ratio of two Elo differences.

    >>> round(llr([100, 800, 100], 0, 5), 2), round(llr([100, 800, 100], 0, 5, "normalized"), 2)
    (-0.52, -0.21)
    """
    if model not in MODELS:
        raise StatisticsError(f"the model is one of {', '.join(MODELS)}, not {model!r}")
    total = math.fsum(counts)
    if total <= 0:
        return 0.0
    full = [count if count > 0 else _RARE for count in counts]
    sum_full = math.fsum(full)
    seen = [count / sum_full for count in full]
    scores = [index / (len(full) - 1) for index in range(len(full))]
    if model == "logistic":
        first, second = (_with_mean(scores, seen, rate_of(elo)) for elo in (elo0, elo1))
    else:
        # The mean of two games has a smaller deviation than one game, by a factor of the square root of two.
        first, second = (_with_ratio(scores, seen, elo / _NORMALIZED_ELO * math.sqrt(2.0)) for elo in (elo0, elo1))
    return sum_full * math.fsum(p * math.log(b / a) for p, a, b in zip(seen, first, second, strict=True))


def _with_mean(values: Sequence[float], seen: Sequence[float], mean: float) -> list[float]:
    """Return the most likely distribution with this mean, given the observed frequencies of the values."""
    low, high = min(values), max(values)
    if not low < mean < high:
        raise StatisticsError(f"a mean of {mean:g} cannot be had from values between {low:g} and {high:g}")
    moved = [value - mean for value in values]

    def excess(x: float) -> float:
        return math.fsum(p * m / (1 + x * m) for p, m in zip(seen, moved, strict=True))

    # Between these limits, all probabilities are at most 1.
    least = max((p - 1) / m for p, m in zip(seen, moved, strict=True) if m > 0)
    most = min((p - 1) / m for p, m in zip(seen, moved, strict=True) if m < 0)
    from scipy.optimize import brentq

    x = float(brentq(excess, least, most, xtol=1e-14))
    return [p / (1 + x * m) for p, m in zip(seen, moved, strict=True)]


def _with_ratio(values: Sequence[float], seen: Sequence[float], ratio: float) -> list[float]:
    """Return the most likely distribution in which (mean - ½) is ``ratio`` deviations, by iteration."""
    found = [1 / len(values)] * len(values)
    for _ in range(20):
        mean = math.fsum(p * v for p, v in zip(found, values, strict=True))
        deviation = math.sqrt(math.fsum(p * (v - mean) ** 2 for p, v in zip(found, values, strict=True)))
        straight = [v - 0.5 - ratio * deviation * (1 + ((mean - v) / deviation) ** 2) / 2 for v in values]
        last, found = found, _with_mean(straight, seen, 0.0)
        if max(abs(a - b) for a, b in zip(last, found, strict=True)) < 1e-10:
            break
    return found
