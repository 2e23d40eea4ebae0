"""The check of a heuristic: does it compile, agree with Python, raise somewhere, and what does it cost?

It looks at everything, whatever it finds on the way: a function that raises in some positions is compared and timed in
the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from knightfall.catalogue.errors import HeuristicError
from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.timing import Questions, Timing, asked_in_turn, both_nanoseconds, typical_positions
from knightfall.catalogue.trial import TICKS, compiled_outcome, difference, is_in_play, outcome, random_positions
from knightfall.rules import Position

POSITIONS = 1_000
_SIZES = ((7, 7), (7, 7), (11, 9), (5, 6))
_DIFFERS = "differs: "


@dataclass
class Failure:
    """An error that a heuristic raises, in how many positions, and one of them: if possible one that is in play."""

    error: str
    position: Position
    player: int
    positions: int = 1


@dataclass
class Check:
    """What was found of a heuristic on random positions of several boards, each valued for both players."""

    positions: int = 0
    """How many positions were tried."""
    unplaced: int = 0
    """In how many it raises before both knights are placed,"""
    in_play: int = 0
    """... in how many while the game is on,"""
    finished: int = 0
    """... and in how many that are finished."""
    failures: list[Failure] = field(default_factory=list)
    """Each kind of error (exception and line), most frequent first."""
    differing: int = 0
    """In how many positions the compiled and the interpreted form differ. Both raising is no difference."""
    difference: str | None = None
    """The first difference, in one line."""
    compiled: bool = False
    """Whether the compiled form is used: it exists, and does not differ."""
    why_not: str | None = None
    timing: Timing | None = None
    """None if it raises in all positions that were to be timed."""
    timed: int = 0
    """In how many typical positions of 7x7 it was timed: those in which it does not raise."""
    to_time: int = 0
    """How many typical positions there were."""

    @property
    def raising(self) -> int:
        """In how many positions it raises, for one player or for both."""
        return self.unplaced + self.in_play + self.finished

    @property
    def is_passed(self) -> bool:
        """Whether it can be used in every unfinished position, and both forms agree."""
        return self.difference is None and not self.unplaced and not self.in_play


def check(made: Heuristic, count: int = POSITIONS) -> Check:
    """Check a heuristic on so many random positions.

    >>> import knightfall as kf
    >>> found = check(kf.heuristics["improved"], 20)
    >>> found.is_passed, found.compiled, found.raising
    (True, True, 0)
    """
    found = Check()
    _try(made, random_positions(count, seed=2, sizes=_SIZES), found)
    failure = made.code.failure
    found.compiled = made.compiled
    found.why_not = failure
    if found.difference is None and failure is not None and failure.startswith(_DIFFERS):
        found.difference = failure.removeprefix(_DIFFERS)  # by the trial, or when it was compiled
    questions = asked_in_turn(typical_positions())
    usable = [question for question in questions if _is_usable(made, *question)]
    found.timed, found.to_time = len(usable), len(questions)
    found.timing = _timed(made, usable) if usable else None
    return found


def _try(made: Heuristic, positions: Iterable[Position], found: Check) -> None:
    """Evaluate both forms everywhere, and count."""
    failures: dict[str, Failure] = {}
    for position in positions:
        found.positions += 1
        errors: dict[str, tuple[str, int]] = {}
        differs = False
        for player in (1, 2):
            compiled = compiled_outcome(made, position, player, TICKS)
            interpreted = outcome(made, position, player, TICKS, interpreted=True)
            if isinstance(interpreted, HeuristicError):
                cause = _cause(made, interpreted, position, player)
                errors.setdefault(_kind(cause), (cause, player))
            if compiled is not None:
                told = difference(compiled, interpreted, position, player)
                differs = differs or told is not None
                found.difference = found.difference or told
        found.differing += differs
        for kind, (cause, player) in errors.items():
            known = failures.get(kind)
            count = 0 if known is None else known.positions
            if known is None or (is_in_play(position) and not is_in_play(known.position)):
                known = failures[kind] = Failure(cause, position, player)
            known.positions = count + 1
        if errors and position.is_over:
            found.finished += 1
        elif errors and is_in_play(position):
            found.in_play += 1
        elif errors:
            found.unplaced += 1
    found.failures = sorted(failures.values(), key=lambda failure: -failure.positions)


def _cause(made: Heuristic, error: HeuristicError, position: Position, player: int) -> str:
    """An error less where it was raised."""
    return str(error).removeprefix(f"{made.code.shown}: ").removesuffix(f"; player {player} in {position.fen()}")


def _kind(cause: str) -> str:
    """What makes two errors the same: the exception and the line, not what a message says of this position."""
    line = re.search(r" \(line \d+\)$", cause)
    return f"{cause.partition(':')[0]}{line[0] if line else ''}"


def _is_usable(made: Heuristic, position: Position, player: int) -> bool:
    both = (compiled_outcome(made, position, player, TICKS), outcome(made, position, player, TICKS, interpreted=True))
    return not any(isinstance(result, HeuristicError) for result in both)


def _timed(made: Heuristic, questions: Questions) -> Timing | None:
    try:
        return both_nanoseconds(made, questions)
    except Exception:  # a function that raises at random: what it raises has been counted
        return None
