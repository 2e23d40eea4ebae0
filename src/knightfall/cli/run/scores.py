"""Scores and costs in words."""

from __future__ import annotations

import math
from collections.abc import Iterable

from knightfall.agents.choice import Analysis, shown_score
from knightfall.rules import Geometry
from knightfall.rules.formatting import plural

SIDES = ("first", "second")

PROVERS = ("mcts", "perfect")
"""Agents whose proofs of the winner may lack the number of moves."""


def side(player: int) -> str:
    """Return the name of a player: first or second."""
    return SIDES[player - 1]


def score_words(score: float | None, ends_in: int | None, kind: str = "") -> str:
    """Return a score from the side of the player to move, as an agent of this kind means it.

    Monte Carlo returns win rates. Its infinite scores, and those of `perfect`, are proofs without a number of moves.

    >>> score_words(2.5, None), score_words(math.inf, 7), score_words(-math.inf, None)
    ('+2.50', 'wins in 7', '-inf')
    >>> score_words(0.584, None, "mcts"), score_words(-math.inf, None, "mcts"), score_words(None, None)
    ('58.4%', 'loses', '-')
    """
    if score is None:
        return "-"
    if ends_in is None and math.isinf(score) and kind in PROVERS:
        return "wins" if score > 0 else "loses"
    if ends_in is None and kind == "mcts":
        return f"{score:.1%}"
    return shown_score(score + 0.0, ends_in)  # + 0.0 turns -0.0 into 0.0


def verdict(found: Analysis, kind: str = "") -> str:
    """Return who is ahead in a position, in plain words."""
    is_rate = kind == "mcts"
    best = found.best
    mover, other = side(found.position.to_move), side(3 - found.position.to_move)
    if best.score is None:
        return "nothing is known: the budget was too small"
    if best.ends_in is not None or (kind in PROVERS and math.isinf(best.score)):
        return proven(found.position.to_move if best.score > 0 else 3 - found.position.to_move, best.ends_in)
    even = 0.5 if is_rate else 0.0
    ahead = "neither is ahead" if best.score == even else f"{mover if best.score > even else other} is ahead"
    theirs = 1 - best.score if is_rate else -best.score
    shares = (score_words(score, None, kind) for score in (best.score, theirs))
    return f"{ahead}: " + ", ".join(f"{share} for {name}" for share, name in zip(shares, (mover, other), strict=True))


def proven(winner: int, moves: int | None) -> str:
    """Return who wins, if that is proved.

    >>> proven(2, 1), proven(1, None)
    ('second wins in 1 move, first loses: that is proven', 'first wins, second loses: that is proven')
    """
    soon = "" if moves is None else f" in {plural(moves, 'move')}"
    return f"{side(winner)} wins{soon}, {side(3 - winner)} loses: that is proven"


def labels(geometry: Geometry, squares: Iterable[int]) -> str:
    """Return the labels of squares, separated by spaces."""
    return " ".join(geometry.label(square) for square in squares)
