"""The scale of values: proven losses, values of heuristics, proven wins.

A value is one float, as seen by the player to move. Values of heuristics are between -2^1000 and 2^1000 (infinities are
clipped to this range). The result of a finished game lies beyond this range, and further beyond it the sooner the game
ends. This is measured by the number of moves in the whole game, which does not depend on where the search began.
"""

from __future__ import annotations

import math

HEURISTIC = 2.0**1000
"""The largest value of a heuristic."""

PLY = 2.0**1001
"""What winning one move sooner is worth."""

LONGEST = 1024
PROVEN = PLY * 512
"""Values beyond this are proven."""


class NotANumber(Exception):
    """A heuristic returned nan."""


def score_of(value: float) -> float:
    """Return a value as shown to users. Proven values and infinite values of heuristics are infinities.

    >>> score_of(-2.5), score_of(HEURISTIC), score_of((12 - LONGEST) * PLY)
    (-2.5, inf, -inf)
    """
    return math.copysign(math.inf, value) if abs(value) >= HEURISTIC else value


def end_of(value: float) -> int | None:
    """Return the number of moves of the whole game after the best play found; None if nothing is proven.

    >>> end_of(HEURISTIC), end_of((12 - LONGEST) * PLY)
    (None, 12)
    """
    return LONGEST - round(abs(value) / PLY) if abs(value) >= PROVEN else None
