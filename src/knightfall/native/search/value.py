"""The order of values: a proven loss, what a heuristic says, a proven win.

A value is one float, told from the side of the player to move. Heuristics speak between -2^1000 and 2^1000 (their
infinities are brought there); a game that is over is worth more than that, the more the sooner it ended. How soon is
told by how many moves were made in the whole game, which does not depend on where the search began.
"""

from __future__ import annotations

import math

HEURISTIC = 2.0**1000
"""The largest value of a heuristic."""

PLY = 2.0**1001
"""What one move sooner is worth to the winner."""

LONGEST = 1024
PROVEN = PLY * 512
"""Values beyond this are proven."""


class NotANumber(Exception):
    """A heuristic that returns nan."""


def score_of(value: float) -> float:
    """A value as users see it: infinities for what is proven, and for a heuristic's own.

    >>> score_of(-2.5), score_of(HEURISTIC), score_of((12 - LONGEST) * PLY)
    (-2.5, inf, -inf)
    """
    return math.copysign(math.inf, value) if abs(value) >= HEURISTIC else value


def end_of(value: float) -> int | None:
    """How many moves the whole game has when both play what was found; None where nothing is proven.

    >>> end_of(HEURISTIC), end_of((12 - LONGEST) * PLY)
    (None, 12)
    """
    return LONGEST - round(abs(value) / PLY) if abs(value) >= PROVEN else None
