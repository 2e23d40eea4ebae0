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
from knightfall.rules import Geometry, Position

POSITIONS = 200
TICKS = 10_000


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
    """A heuristic's compiled and interpreted values, side by side."""

    evaluations: int = 0
    errors: int = 0
    first_error: HeuristicError | None = None
    difference: str | None = None


def compare(made: Heuristic, positions: Iterable[Position], ticks: int) -> Comparison:
    """Evaluate both forms for both players, up to the first difference.

    A function may raise here and there, as many do before the knights are placed, if both forms do. One that raises
    everywhere is an error.
    """
    found = Comparison()
    for position in positions:
        for player in (1, 2):
            compiled, interpreted = (
                _outcome(made, position, player, ticks, interpreted) for interpreted in (False, True)
            )
            found.evaluations += 1
            if isinstance(interpreted, HeuristicError):
                found.errors += 1
                found.first_error = found.first_error or interpreted
            if isinstance(compiled, HeuristicError) and isinstance(interpreted, HeuristicError):
                continue
            if isinstance(compiled, HeuristicError) or isinstance(interpreted, HeuristicError):
                found.difference = f"compiled {compiled}, interpreted {interpreted}"
            elif not same(compiled, interpreted):
                values = f"compiled {compiled!r}, interpreted {interpreted!r}"
                found.difference = f"{values}, player {player} in {position.fen()}"
            if found.difference is not None:
                return found
    if found.first_error is not None and found.errors == found.evaluations:
        raise found.first_error
    return found


def _outcome(made: Heuristic, position: Position, player: int, ticks: int, interpreted: bool) -> float | HeuristicError:
    try:
        return made.value(position, player, ticks=ticks, interpreted=interpreted)
    except HeuristicError as error:
        return error


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
