"""Check a heuristic: whether it compiles, agrees with Python and raises errors, and what it costs.

Errors do not stop the check: a function that raises in some positions is compared and timed in the others. If a
function crashes or hangs, only a contained process is lost, and another process resumes after that position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.portable import Portable, is_from_file
from knightfall.catalogue.sandbox_check import (
    TICKS,
    compiled_outcome,
    difference,
    is_in_play,
    outcome,
    random_positions,
)
from knightfall.catalogue.timing import Questions, Timing, asked_in_turn, both_nanoseconds, typical_positions
from knightfall.compiler.errors import HeuristicError
from knightfall.native.containment import Contained, Ended, Send
from knightfall.rules import Position

POSITIONS = 1_000
_SIZES = ((7, 7), (7, 7), (11, 9), (5, 6))
_DIFFERS = "differs: "
MOST_DEATHS = 3
"""The number of crashes or hangs after which the check stops; each may cost half a minute."""


@dataclass
class Failure:
    """A kind of error that a heuristic raises: the number of positions and one example, in play if possible."""

    error: str
    position: Position
    player: int
    positions: int = 1


@dataclass
class Check:
    """The result of a check on random positions of several boards, each evaluated for both players."""

    positions: int = 0
    """The number of positions tried."""
    unplaced: int = 0
    """The number of positions in which it raises before both knights are placed."""
    in_play: int = 0
    """The number of positions in which it raises while the game is in progress."""
    finished: int = 0
    """The number of finished positions in which it raises."""
    failures: list[Failure] = field(default_factory=list)
    """One entry per kind of error (exception and line), most frequent first."""
    differing: int = 0
    """The number of positions in which the two forms differ. If both raise, this is no difference."""
    difference: str | None = None
    """The first difference, in one line."""
    compiled: bool = False
    """Whether the compiled form is used: it exists and agrees with the interpreted form."""
    why_not: str | None = None
    timing: Timing | None = None
    """None if it raises in all positions that should be timed."""
    timed: int = 0
    """The number of typical 7x7 positions in which it was timed: those in which it does not raise."""
    to_time: int = 0
    """The number of typical positions."""
    deaths: int = 0
    """How often the contained process ended early or had to be killed."""
    is_complete: bool = True
    """Whether all positions were tried; the check stops after ``MOST_DEATHS`` deaths."""

    @property
    def raising(self) -> int:
        """The number of positions in which it raises, for one player or both."""
        return self.unplaced + self.in_play + self.finished

    @property
    def is_passed(self) -> bool:
        """Whether it works in every unfinished position and both forms agree."""
        return self.difference is None and not self.unplaced and not self.in_play and not self.deaths


def check(made: Heuristic, count: int = POSITIONS) -> Check:
    """Check a heuristic on ``count`` random positions; one from a user's file runs in a contained process.

    >>> import knightfall as kf
    >>> found = check(kf.heuristics["improved"], 20)
    >>> found.is_passed, found.compiled, found.raising
    (True, True, 0)
    """
    tally = _Tally(made, count)
    if is_from_file(made):
        while tally.is_unfinished:
            _go_on_contained(made, tally)
    else:
        for step in _steps(made, count):
            tally.hear(step)
    return tally.summary()


@dataclass(frozen=True)
class _Examined:
    """The result for one position: the errors by kind, and the difference between the two forms."""

    errors: dict[str, tuple[str, int]]
    difference: str | None


@dataclass(frozen=True)
class _Form:
    """The form of the function that is used."""

    compiled: bool
    why_not: str | None


@dataclass(frozen=True)
class _Usable:
    """Whether the function can be timed in the next typical position."""

    is_usable: bool


@dataclass(frozen=True)
class _Timed:
    """The result of the last step: the timing."""

    timing: Timing | None


_Step = _Examined | _Form | _Usable | _Timed


def _steps(made: Heuristic, count: int, examined: int = 0, usable: Sequence[bool] = ()) -> Iterator[_Step]:
    """Check a heuristic step by step, starting after the positions that were already examined."""
    yield _Form(made.compiled, made.code.failure)
    for position in list(random_positions(count, seed=2, sizes=_SIZES))[examined:]:
        yield _examine(made, position)
    yield _Form(made.compiled, made.code.failure)  # another board size may change the form
    questions = asked_in_turn(typical_positions())
    known = list(usable)
    for question in questions[len(usable) :]:
        known.append(_is_usable(made, *question))
        yield _Usable(known[-1])
    chosen = [question for question, is_usable in zip(questions, known, strict=True) if is_usable]
    yield _Timed(_timed(made, chosen) if chosen else None)


class _Tally:
    """The results of a check so far."""

    def __init__(self, made: Heuristic, count: int) -> None:
        self._made = made
        self._found = Check()
        self._failures: dict[str, Failure] = {}
        self.positions = list(random_positions(count, seed=2, sizes=_SIZES))
        self.usable: list[bool] = []
        self.is_unfinished = True

    @property
    def examined(self) -> int:
        """The number of positions tried."""
        return self._found.positions

    def hear(self, step: _Step) -> None:
        """Record one step."""
        match step:
            case _Examined():
                self._count(self.positions[self.examined], step)
            case _Form():
                self._found.compiled, self._found.why_not = step.compiled, step.why_not
            case _Usable():
                self.usable.append(step.is_usable)
            case _Timed():
                self._found.timing = step.timing
                self.is_unfinished = False

    def _count(self, position: Position, examined: _Examined) -> None:
        found = self._found
        found.positions += 1
        found.difference = found.difference or examined.difference
        found.differing += examined.difference is not None
        for kind, (cause, player) in examined.errors.items():
            known = self._failures.get(kind)
            count = 0 if known is None else known.positions
            if known is None or (is_in_play(position) and not is_in_play(known.position)):
                known = self._failures[kind] = Failure(cause, position, player)
            known.positions = count + 1
        if not examined.errors:
            return
        if position.is_over:
            found.finished += 1
        elif is_in_play(position):
            found.in_play += 1
        else:
            found.unplaced += 1

    def bury(self, ended: Ended) -> None:
        """Record the early end of the contained process as an error, and continue after its position."""
        self._found.deaths += 1
        player = 2 if ended.where.startswith("player 2 ") else 1
        if self.examined < len(self.positions):
            self.hear(_Examined({ended.why: (ended.why, player)}, None))
        elif len(self.usable) < len(asked_in_turn(typical_positions())):
            self.usable.append(False)
        else:
            self.is_unfinished = False
        if self._found.deaths >= MOST_DEATHS:
            self.is_unfinished = False

    def summary(self) -> Check:
        """Return the result of the check."""
        found = self._found
        found.failures = sorted(self._failures.values(), key=lambda failure: -failure.positions)
        found.timed, found.to_time = sum(self.usable), len(asked_in_turn(typical_positions()))
        found.is_complete = found.positions == len(self.positions)
        failure = found.why_not
        if found.difference is None and failure is not None and failure.startswith(_DIFFERS):
            found.difference = failure.removeprefix(_DIFFERS)  # found in the trial or at compilation
        return found


def _go_on_contained(made: Heuristic, tally: _Tally) -> None:
    """Continue a check in a contained process until it is finished or the process ends."""
    job = partial(_work, Portable.of(made), len(tally.positions), tally.examined, tuple(tally.usable))
    try:
        with Contained(job) as process:
            for step in process:
                tally.hear(step)
    except Ended as ended:
        tally.bury(ended)


def _work(
    portable: Portable,
    count: int,
    examined: int,
    usable: tuple[bool, ...],
    send: Send,
) -> None:
    made = portable.make()
    for step in _steps(made, count, examined, usable):
        send(step)


def _examine(made: Heuristic, position: Position) -> _Examined:
    """Evaluate both forms for both players."""
    errors: dict[str, tuple[str, int]] = {}
    first: str | None = None
    for player in (1, 2):
        compiled = compiled_outcome(made, position, player, TICKS)
        interpreted = outcome(made, position, player, TICKS, interpreted=True)
        if isinstance(interpreted, HeuristicError):
            cause = _cause(made, interpreted, position, player)
            errors.setdefault(_kind(cause), (cause, player))
        if compiled is not None:
            first = first or difference(compiled, interpreted, position, player)
    return _Examined(errors, first)


def _cause(made: Heuristic, error: HeuristicError, position: Position, player: int) -> str:
    """Return an error message without its location."""
    return str(error).removeprefix(f"{made.code.shown}: ").removesuffix(f"; player {player} in {position.fen()}")


def _kind(cause: str) -> str:
    """Return the kind of an error: the exception and the line, without details of the position."""
    line = re.search(r" \(line \d+\)$", cause)
    return f"{cause.partition(':')[0]}{line[0] if line else ''}"


def _is_usable(made: Heuristic, position: Position, player: int) -> bool:
    both = (compiled_outcome(made, position, player, TICKS), outcome(made, position, player, TICKS, interpreted=True))
    return not any(isinstance(result, HeuristicError) for result in both)


def _timed(made: Heuristic, questions: Questions) -> Timing | None:
    try:
        return both_nanoseconds(made, questions)
    except Exception:  # a function that raises at random; its errors have been counted
        return None
