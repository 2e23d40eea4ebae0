"""Numbers, intervals and lists as text."""

from __future__ import annotations

from collections.abc import Sequence

from knightfall.arena.formatting import percent_interval, points_interval
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
    return percent_interval(verdict.interval) if verdict.kind == HEAD_TO_HEAD else points_interval(verdict.interval)


def badge(word: str) -> str:
    """Return the badge of a verdict: ``good``, ``bad`` or ``open``."""
    return {"better": "good", "holds": "good", "worse": "bad", "does not hold": "bad"}.get(word, "open")
