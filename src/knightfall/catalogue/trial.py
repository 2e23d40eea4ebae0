"""The trial of a user's heuristic, run as a process of its own by the loader.

Exit code 0: it can be used (the last line says whether the compiled form agrees with Python); 2: the last line on
standard error says why not.
"""

from __future__ import annotations

import os
import random
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from knightfall.catalogue.errors import HeuristicError
from knightfall.catalogue.heuristic import Code, Heuristic, Story
from knightfall.native.board_tables import bit_width
from knightfall.rules import Geometry, Position

POSITIONS = 200
TICKS = 10_000

Outcome = float | HeuristicError


def random_positions(count: int, seed: int, sizes: tuple[tuple[int, int], ...] = ((7, 7),)) -> Iterator[Position]:
    """Positions of random play: before and after placement, some of them finished."""
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
    """Equal, but for the last digits that another order of additions may change."""
    return a == b or abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))


@dataclass
class Comparison:
    """What evaluating both forms of a heuristic for both players came to."""

    evaluations: int = 0
    """How many were of unfinished positions with both knights placed: what every search asks."""
    errors: int = 0
    """How many of these raised."""
    first_error: HeuristicError | None = None
    difference: str | None = None
    """The first difference between the compiled and the interpreted form."""


def compare(made: Heuristic, positions: Iterable[Position], ticks: int) -> Comparison:
    """Evaluate both forms for both players; where there is no compiled form, there is nothing to compare.

    A function may raise in some positions if both forms do. One that raises in every unfinished position with both
    knights placed is an error.
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
    """Whether both knights are placed and the game is not over."""
    return None not in position.locations and not position.is_over


def outcome(made: Heuristic, position: Position, player: int, ticks: int, *, interpreted: bool) -> Outcome:
    """Return the value of a position, or the error that the function raises there."""
    try:
        return made.value(position, player, ticks=ticks, interpreted=interpreted)
    except HeuristicError as error:
        return error


def compiled_outcome(made: Heuristic, position: Position, player: int, ticks: int) -> Outcome | None:
    """Return the same by the compiled form; None where there is none."""
    if made.code.dispatcher(bit_width(position.geometry)) is None:
        return None
    return outcome(made, position, player, ticks, interpreted=False)


def difference(compiled: Outcome, interpreted: Outcome, position: Position, player: int) -> str | None:
    """Return how two outcomes differ, in one line; None if they agree. Errors agree with each other."""
    if isinstance(compiled, HeuristicError) or isinstance(interpreted, HeuristicError):
        if isinstance(compiled, HeuristicError) and isinstance(interpreted, HeuristicError):
            return None
        return f"compiled {compiled}, interpreted {interpreted}"
    if same(compiled, interpreted):
        return None
    return f"compiled {compiled!r}, interpreted {interpreted!r}, player {player} in {position.fen()}"


def main(path: str, function: str, password: str) -> int:
    """Try one heuristic. What it prints itself goes nowhere."""
    warnings.simplefilter("ignore")
    sys.stdout.flush()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        made = Heuristic(Code(function, None, Path(path), Story(report="file")))
        found = compare(made, random_positions(POSITIONS, seed=1), TICKS).difference
    except HeuristicError as error:
        print(error, file=sys.stderr)
        return 2
    print(password, "agrees" if found is None else f"differs: {found}", file=out, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
