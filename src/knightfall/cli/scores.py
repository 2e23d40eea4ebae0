"""Scores and costs in words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from knightfall.agents.choice import Analysis
    from knightfall.rules import Geometry

SIDES = ("first", "second")


def side(player: int) -> str:
    """What a player is called."""
    return SIDES[player - 1]


def score_words(score: float | None, ends_in: int | None, *, is_rate: bool = False) -> str:
    """A score from the side of the player to move; rates are those of Monte Carlo.

    >>> score_words(2.5, None), score_words(math.inf, 7), score_words(-math.inf, None)
    ('+2.50', 'wins in 7', '-inf')
    >>> score_words(0.584, None, is_rate=True), score_words(-math.inf, None, is_rate=True), score_words(None, None)
    ('58.4%', 'loses', '-')
    """
    from knightfall.agents.choice import shown_score

    if score is None:
        return "-"
    if not is_rate or ends_in is not None:
        return shown_score(score + 0.0, ends_in)  # + 0.0 makes 0 of -0
    if math.isinf(score):
        return "wins" if score > 0 else "loses"
    return f"{score:.1%}"


def verdict(found: Analysis, *, is_rate: bool = False) -> str:
    """Who is ahead in a position, in plain words."""
    best = found.best
    mover, other = side(found.position.to_move), side(3 - found.position.to_move)
    if best.score is None:
        return "nothing is known: the budget was too small"
    if best.ends_in is not None or (is_rate and math.isinf(best.score)):
        winner, loser = (mover, other) if best.score > 0 else (other, mover)
        moves = "" if best.ends_in is None else f" in {plural(best.ends_in, 'move')}"
        return f"{winner} wins{moves}, {loser} loses: that is proven"
    even = 0.5 if is_rate else 0.0
    ahead = "neither is ahead" if best.score == even else f"{mover if best.score > even else other} is ahead"
    theirs = 1 - best.score if is_rate else -best.score
    shares = (score_words(score, None, is_rate=is_rate) for score in (best.score, theirs))
    return f"{ahead}: " + ", ".join(f"{share} for {name}" for share, name in zip(shares, (mover, other), strict=True))


def labels(geometry: Geometry, squares: Iterable[int]) -> str:
    """Squares as text."""
    return " ".join(geometry.label(square) for square in squares)


def plural(count: int, noun: str) -> str:
    """A number of things."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
