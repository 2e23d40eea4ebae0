"""Openings: the starting positions of pairs, drawn without repetition.

As in AIND, an opening has two random plies: both knights are placed on random squares. A 7×7 board has 2,352 such
openings. When they are used up, longer openings follow, with four or more plies, in which the game is not over.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from knightfall.native.seeds import key_of
from knightfall.rules import FenError, Geometry, KnightfallError, Position
from knightfall.rules.files import file_path
from knightfall.rules.formatting import plural

_SOLVED_AT_ONCE = 42  # squares; openings of boards up to this size are solved on demand
_ATTEMPTS = 10_000  # failed attempts to draw a new opening before giving up


class OpeningError(KnightfallError):
    """Openings cannot be read or drawn; the message is one line."""


def random_openings(geometry: Geometry, seed: int, plies: int = 2) -> Iterator[Position]:
    """Yield openings with this number of random plies in random order, then longer ones, without repetition."""
    generator = random.Random(key_of("openings", geometry, seed))
    seen: set[Position] = set()
    if plies == 2 and geometry.size > 1:
        start = Position.start(geometry)
        pairs = [(a, b) for a in range(geometry.size) for b in range(geometry.size) if a != b]
        generator.shuffle(pairs)
        for first, second in pairs:
            position = start.play(first).play(second)
            if not position.is_over:
                yield position
        plies += 2
    while plies < geometry.size:
        before = len(seen)
        yield from distinct(partial(_play_randomly, geometry, plies, generator), seen)
        if len(seen) == before:  # games never last this long
            return
        plies += 1


def distinct(draw: Callable[[], Position | None], seen: set[Position]) -> Iterator[Position]:
    """Yield drawn positions that are not in ``seen``, until new ones seem to be exhausted."""
    missed = 0
    while missed < _ATTEMPTS:
        drawn = draw()
        if drawn is None or drawn in seen:
            missed += 1
            continue
        missed = 0
        seen.add(drawn)
        yield drawn


def _play_randomly(geometry: Geometry, plies: int, generator: random.Random) -> Position | None:
    position = Position.start(geometry)
    while position.ply < plies:
        moves = position.legal_moves()
        if not moves:
            return None
        position = position.play(generator.choice(moves))
    return None if position.is_over else position


def draw_openings(geometry: Geometry, count: int, seed: int, plies: int = 2) -> list[Position]:
    """Return the first ``count`` random openings; raise OpeningError if the board does not have that many.

    >>> openings = draw_openings(Geometry(5, 5), 3, seed=1)
    >>> len(set(openings)), openings == draw_openings(Geometry(5, 5), 3, seed=1)
    (3, True)
    """
    found = []
    for position in random_openings(geometry, seed, plies):
        found.append(position)
        if len(found) == count:
            return found
    if count == 0:
        return []
    raise OpeningError(f"a {geometry} board has only {plural(len(found), 'opening')}; {count:,} requested")


def all_openings(geometry: Geometry, seed: int) -> list[Position]:
    """Return all openings of two plies, in an order that depends on the seed."""
    found = []
    for position in random_openings(geometry, seed):
        if position.ply != 2:
            break
        found.append(position)
    if not found:
        raise OpeningError(f"a {geometry} board has no opening of two plies")
    return found


def read_openings(path: Path) -> list[Position]:
    """Read positions from a file with one FEN per line; empty lines and lines that begin with # are skipped."""
    try:
        lines = file_path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise OpeningError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise OpeningError(f"{path}: byte {error.start + 1} is not UTF-8 text") from None
    found: list[Position] = []
    seen: dict[Position, int] = {}
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix("\ufeff").strip()
        if not text or text.startswith("#"):
            continue
        try:
            position = Position.from_fen(text)
        except FenError as error:
            raise OpeningError(f"{path}: line {number}: {error}") from None
        if position.is_over:
            raise OpeningError(f"{path}: line {number}: the game is over in {text}")
        if found and position.geometry != found[0].geometry:
            raise OpeningError(f"{path}: line {number}: a {position.geometry} board among {found[0].geometry} ones")
        if position in seen:
            raise OpeningError(f"{path}: line {number}: the position of line {seen[position]} once more")
        seen[position] = number
        found.append(position)
    if not found:
        raise OpeningError(f"{path}: there is no position in it")
    return found


def checked_openings(given: Sequence[Position]) -> list[Position]:
    """Return the given positions; raise OpeningError unless they are unfinished, different and on one board."""
    found = list(given)
    for position in found:
        if not isinstance(position, Position):
            raise OpeningError(f"a Position is expected, not {position!r:.60}")
        if position.is_over:
            raise OpeningError(f"the game is over in {position.fen()}")
    if not found or len({position.geometry for position in found}) > 1 or len(set(found)) < len(found):
        raise OpeningError("openings are at least one position, all on one board and all different")
    return found


def balanced_openings(geometry: Geometry, count: int, seed: int) -> list[Position]:
    """Return openings of two plies in which solved values and colour relations are equally frequent, if possible.

    If a class (for example: same colour, but lost by the attacker) has too few members, the other classes provide the
    remaining openings.
    """
    from knightfall.native.solve.openings import openings_of
    from knightfall.native.solve.solver import Solver

    solved = openings_of(geometry)
    if solved is None and geometry.size > _SOLVED_AT_ONCE:
        raise OpeningError(f"balanced openings need solved ones, and those of {geometry} are not known")
    solver = None if solved is not None else Solver(geometry)
    classes: dict[tuple[bool, bool], list[Position]] = {}
    for position in random_openings(geometry, seed):
        if position.ply != 2:
            break
        first, second = position.locations
        assert first is not None
        assert second is not None
        if solved is not None:
            won = solved.first_wins[first, second]
        else:
            assert solver is not None
            won = bool(solver.verdict(position))
        same = geometry.colour(first) == geometry.colour(second)
        classes.setdefault((won, same), []).append(position)
    found: list[Position] = []
    queues = [list(members) for _, members in sorted(classes.items())]
    while len(found) < count and any(queues):
        for queue in queues:
            if queue and len(found) < count:
                found.append(queue.pop(0))
    if len(found) < count:
        raise OpeningError(
            f"a {geometry} board has only {plural(len(found), 'opening')} of two plies; {count:,} requested"
        )
    return found
