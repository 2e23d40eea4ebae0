"""The trial of a user's heuristic, which runs in a contained process, and functions that the check also uses."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from knightfall.catalogue.heuristic import Code, Heuristic, Verdict
from knightfall.catalogue.portable import Portable
from knightfall.compiler.errors import HeuristicError, HeuristicWarning
from knightfall.native.board_tables import bit_width
from knightfall.native.containment import Send
from knightfall.rules import Geometry, Position

POSITIONS = 200
TICKS = 10_000

Outcome = float | HeuristicError


def random_positions(count: int, seed: int, sizes: tuple[tuple[int, int], ...] = ((7, 7),)) -> Iterator[Position]:
    """Yield positions from random play: before and after placement, some of them finished."""
    chance = random.Random(seed)
    for _ in range(count):
        geometry = Geometry(*chance.choice(sizes))
        position = Position.start(geometry)
        for _ in range(chance.randrange(geometry.size)):
            if position.is_over:
                break
            position = position.play(chance.choice(position.legal_moves()))
        yield position


def same(a: float, b: float) -> bool:
    """Return whether two values are equal, except for rounding differences that depend on the order of additions."""
    return a == b or abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))


@dataclass
class Comparison:
    """The result of evaluating both forms of a heuristic for both players."""

    evaluations: int = 0
    """The number of evaluations of unfinished positions with both knights placed, as in every search."""
    errors: int = 0
    """The number of these evaluations that raised an error."""
    first_error: HeuristicError | None = None
    difference: str | None = None
    """The first difference between the compiled and the interpreted form."""


def compare(made: Heuristic, positions: Iterable[Position], ticks: int) -> Comparison:
    """Evaluate both forms for both players; without a compiled form, nothing is compared.

    A function may raise in some positions if both forms do. If it raises in every unfinished position with both knights
    placed, its first error is raised.
    """
    found = Comparison()
    for position in positions:
        for player in (1, 2):
            compiled = None if found.difference else compiled_outcome(made, position, player, ticks)
            interpreted = outcome(made, position, player, ticks, interpreted=True)
            if compiled is not None:
                found.difference = difference(compiled, interpreted, position, player)
            if is_in_play(position):
                found.evaluations += 1
                if isinstance(interpreted, HeuristicError):
                    found.errors += 1
                    found.first_error = found.first_error or interpreted
    if found.first_error is not None and found.errors == found.evaluations:
        raise found.first_error
    return found


def is_in_play(position: Position) -> bool:
    """Return whether both knights are placed and the game is not over."""
    return None not in position.locations and not position.is_over


def outcome(made: Heuristic, position: Position, player: int, ticks: int, *, interpreted: bool) -> Outcome:
    """Return the value of a position, or the error that the function raises."""
    try:
        return made.value(position, player, ticks=ticks, interpreted=interpreted)
    except HeuristicError as error:
        return error


def compiled_outcome(made: Heuristic, position: Position, player: int, ticks: int) -> Outcome | None:
    """Return the same for the compiled form; None if it does not exist."""
    if made.code.dispatcher(bit_width(position.geometry)) is None:
        return None
    return outcome(made, position, player, ticks, interpreted=False)


def difference(compiled: Outcome, interpreted: Outcome, position: Position, player: int) -> str | None:
    """Return the difference of two outcomes in one line; None if they agree. Two errors always agree."""
    if isinstance(compiled, HeuristicError) or isinstance(interpreted, HeuristicError):
        if isinstance(compiled, HeuristicError) and isinstance(interpreted, HeuristicError):
            return None
        return f"compiled {compiled}, interpreted {interpreted}"
    if same(compiled, interpreted):
        return None
    return f"compiled {compiled!r}, interpreted {interpreted!r}, player {player} in {position.fen()}"


def hold_trial(portable: Portable, send: Send) -> tuple[Verdict, str | None]:
    """Try a heuristic in a contained process; return the verdict, and a warning if it runs interpreted."""
    made = portable.make()
    found = compare(made, random_positions(POSITIONS, seed=1), TICKS).difference
    if found is not None:
        # Correctness before speed: if the compiled form differs from Python, Python is used.
        made.code.failure = f"differs: {found}"
        return Verdict(made.code.failure), warning_of(made)
    return _verdict(made.code, 64), warning_of(made)


def hold_comparison(portable: Portable, width: int, send: Send) -> tuple[Verdict, str | None]:
    """Compare the two forms for boards of another width, on only a few positions."""
    made = portable.make()
    made.code.dispatcher(width)
    return _verdict(made.code, width), warning_of(made)


def _verdict(code: Code, width: int) -> Verdict:
    return Verdict(code.failure) if code.failure is not None else code.verdicts[width]


def warning_of(made: Heuristic) -> str | None:
    """Return the warning that a heuristic runs interpreted; None if it is compiled."""
    made.code.forget_warning()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", HeuristicWarning)
        made.code.warn_if_interpreted()
    return str(caught[0].message) if caught else None
