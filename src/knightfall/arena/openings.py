"""Openings: the positions from which pairs are played, drawn without repetition.

AIND's way is two random plies: both knights placed on random squares. A 7×7 board has 2,352 of these; when they are
used up, longer openings follow, four plies and more, that are not decided yet.
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

_SOLVED_AT_ONCE = 42  # squares of a board whose openings are solved when they are asked for
_ATTEMPTS = 10_000  # at a new random opening, before it is said that there is none


class OpeningError(KnightfallError):
    """Openings that cannot be read or drawn; described in one line."""


def random_openings(geometry: Geometry, seed: int, plies: int = 2) -> Iterator[Position]:
    """Openings of that many random plies in random order, then longer ones; none twice, without end."""
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
        if len(seen) == before:  # games do not last as long
            return
        plies += 1


def distinct(draw: Callable[[], Position | None], seen: set[Position]) -> Iterator[Position]:
    """What is drawn and was not seen before, until it seems that there is no more."""
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
    """The first so many; an error where the board has not so many.

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
    """Every opening of two plies, in an order that depends on the seed."""
    found = []
    for position in random_openings(geometry, seed):
        if position.ply != 2:
            break
        found.append(position)
    if not found:
        raise OpeningError(f"a {geometry} board has no opening of two plies")
    return found


def read_openings(path: Path) -> list[Position]:
    """Positions from a file, one FEN per line; empty lines and those that begin with # are left out."""
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
    """Positions that a program gives; an error unless games can begin there, all on one board."""
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
    """Openings of two plies so that each solved value and each colour relation is equally frequent, as far as there
    are.

    Where a class (say: same colour, and yet lost by the attacker) has too few members, the others share what is left.
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
