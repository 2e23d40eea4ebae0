"""Numbers, intervals and lists as text."""

from __future__ import annotations

from collections.abc import Sequence

from knightfall.arena.statistics.pairs import Interval
from knightfall.arena.verdicts import HEAD_TO_HEAD, Verdict


def plural(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> plural(1, "pair"), plural(1200, "pair")
    ('1 pair', '1,200 pairs')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Join names to a list in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}" if names else ""


def percent(value: float) -> str:
    """Return a share as a percentage."""
    return f"{100 * value:.1f}%"


def range_of(interval: Interval, scale: float = 100.0, digits: int = 1, sign: str = "") -> str:
    """Return the ends of an interval.

    >>> range_of(Interval(0.7, 0.65, 0.75)), range_of(Interval(0.05, -0.02, 0.12), sign="+")
    ('[65.0, 75.0]', '[-2.0, +12.0]')
    """
    low, high = (f"{scale * end:{sign}.{digits}f}" for end in (interval.low, interval.high))
    return f"[{low}, {high}]"


def rate_words(interval: Interval) -> str:
    """Return a share as a percentage with its interval.

    >>> rate_words(Interval(0.7, 0.65, 0.75))
    '70.0% [65.0, 75.0]'
    """
    return f"{percent(interval.estimate)} {range_of(interval)}"


def point_words(interval: Interval) -> str:
    """Return a difference in points with its interval.

    >>> point_words(Interval(0.05, -0.02, 0.12))
    '+5.0 points [-2.0, +12.0]'
    """
    return f"{100 * interval.estimate:+z.1f} points {range_of(interval, sign='+')}"


def elo_words(interval: Interval) -> str:
    """Return an Elo difference with its interval."""
    return f"{interval.estimate:+z.0f} {range_of(interval, 1, 0, '+')}"


def time_words(milliseconds: float) -> str:
    """Return milliseconds as text; small values have more digits.

    >>> time_words(150.0), time_words(1.26), time_words(0.0126)
    ('150.0', '1.26', '0.013')
    """
    return f"{milliseconds:.{1 if milliseconds >= 100 else 2 if milliseconds >= 1 else 3}f}"


def verdict_words(verdict: Verdict) -> str:
    """Return the figures of a verdict."""
    if verdict.interval is None:
        return percent(verdict.rates[0])
    return rate_words(verdict.interval) if verdict.kind == HEAD_TO_HEAD else point_words(verdict.interval)


def badge(word: str) -> str:
    """Return the badge of a verdict: ``good``, ``bad`` or ``open``."""
    return {"better": "good", "holds": "good", "worse": "bad", "does not hold": "bad"}.get(word, "open")
