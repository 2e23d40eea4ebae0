"""Intervals as text."""

from __future__ import annotations

from knightfall.arena.statistics.pairs import Interval


def range_of(interval: Interval, scale: float = 100.0, digits: int = 1, *, signed: bool = False) -> str:
    """Return the limits of an interval, by default in percent.

    >>> range_of(Interval(0.7, 0.65, 0.75)), range_of(Interval(0.05, -0.02, 0.12), signed=True)
    ('[65.0, 75.0]', '[-2.0, +12.0]')
    """
    sign = "+z" if signed else ""
    low, high = (f"{scale * limit:{sign}.{digits}f}" for limit in (interval.low, interval.high))
    return f"[{low}, {high}]"


def percent_interval(interval: Interval) -> str:
    """Return a percentage with its interval.

    >>> percent_interval(Interval(0.732, 0.701, 0.762))
    '73.2% [70.1, 76.2]'
    """
    return f"{interval.estimate:.1%} {range_of(interval)}"


def points_interval(interval: Interval) -> str:
    """Return a difference of shares with its interval, in percentage points.

    >>> points_interval(Interval(0.021, 0.003, 0.039))
    '+2.1 points [+0.3, +3.9]'
    """
    return f"{100 * interval.estimate:+z.1f} points {range_of(interval, signed=True)}"


def elo_difference(interval: Interval) -> str:
    """Return an Elo difference with its interval.

    >>> elo_difference(Interval(34.2, 11.6, 55.1)), elo_difference(Interval(-0.2, -9.0, 8.7))
    ('+34 Elo [+12, +55]', '+0 Elo [-9, +9]')
    """
    return f"{interval.estimate:+z.0f} Elo {elo_range(interval)}"


def elo_rating(interval: Interval) -> str:
    """Return an Elo rating with its interval, for columns and lists that name the unit.

    >>> elo_rating(Interval(189.3, 124.1, 255.0))
    '+189 [+124, +255]'
    """
    return f"{interval.estimate:+z.0f} {elo_range(interval)}"


def elo_range(interval: Interval) -> str:
    """Return the limits of an Elo rating or difference.

    >>> elo_range(Interval(189.3, 124.1, 255.0))
    '[+124, +255]'
    """
    return range_of(interval, 1, 0, signed=True)


def number_interval(interval: Interval, digits: int = 2) -> str:
    """Return a number with its interval.

    >>> number_interval(Interval(1.086, 1.012, 1.171), 3)
    '1.086 [1.012, 1.171]'
    """
    return f"{interval.estimate:.{digits}f} {range_of(interval, 1, digits)}"
