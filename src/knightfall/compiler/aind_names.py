"""The part of AIND's module ``isolation`` that heuristics can use: the board's constants.

Student files contain ``from isolation import Board`` or ``import isolation``. In a heuristic, both refer to this
module.
"""

from __future__ import annotations

import sys

TIME_LIMIT_MILLIS = 150


class Board:
    """The constants of AIND's board."""

    BLANK = 0
    NOT_MOVED = None

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("a heuristic cannot make a board of its own; game.copy() gives one")


isolation = sys.modules[__name__]  # `isolation.isolation.Board` is the same class
