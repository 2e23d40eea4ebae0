"""Building and checking books with several processes.

Each process has its own solver and receives chunks of positions. Results that it has proved for one chunk help with the
next.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from knightfall.native.solve.book import Book, make_book, positions_at, verdicts
from knightfall.native.solve.large_memory import default_memory
from knightfall.native.solve.solution import SolverError
from knightfall.native.solve.solver import Solver, load_code
from knightfall.rules import Geometry, Position
from knightfall.rules.formatting import plural
from knightfall.work.run import make_executor, run_tasks

_CHUNK = 32  # positions in one task
_LEAST_MEMORY = 2**24  # bytes of a process's tables, which is enough for every board

Told = Callable[[int, int], None]
"""A progress function, called with the number of solved positions and the number of all positions."""


def build_book(geometry: Geometry, plies: int, workers: int = 1, progress: Told | None = None) -> Book:
    """Solve every position at a ply, and return a book of them.

    ``progress`` is called with the number of solved positions and the total. Raise :class:`SolverError` if ``plies`` is
    less than 2 or no game lasts that long.

    >>> build_book(Geometry(3, 3), 2).counts
    (12,)
    """
    if plies < 2:
        raise SolverError(f"a book begins where both knights are placed: at least 2 plies are needed, not {plies}")
    last = positions_at(geometry, plies)
    if not last:
        raise SolverError(f"no game on a {geometry} board lasts {plies} plies")
    return make_book(geometry, last, solve_all(geometry, last, workers, progress))


@dataclass(frozen=True)
class Check:
    """The result of checking a book: the number of solved positions, and those for which the book is wrong."""

    solved: int
    wrong: tuple[Position, ...]
    faults: tuple[str, ...]
    """Errors of the list itself: entries that no lookup can find, and wrong numbers of positions."""


def check_book(book: Book, sample: int | None, seed: int = 0, workers: int = 1, progress: Told | None = None) -> Check:
    """Solve ``sample`` random positions of a book again, or all of them if ``sample`` is None.

    Half of a sample comes from the list of exceptions, or fewer if the list is shorter, because errors are most likely
    there.
    """
    faults = [
        f"{fen} is in the book, but no one would find it there" for fen in book.exceptions if not _fits(book, fen)
    ]
    if sample is None:
        positions, counts = [], []
        for ply in range(2, book.plies + 1):
            found = positions_at(book.geometry, ply)
            counts.append(len(found))
            positions += found
        if tuple(counts) != book.counts:
            faults.append(f"the book counts {list(book.counts)} positions by ply; there are {counts}")
    else:
        positions = sample_of(book, sample, seed)
    won = solve_all(book.geometry, positions, workers, progress)
    wrong = tuple(p for p, value in zip(positions, won, strict=True) if book.wins(p) != value)
    return Check(len(positions), wrong, tuple(faults))


def sample_of(book: Book, count: int, seed: int) -> list[Position]:
    """Return different positions that a book covers, in canonical form: exceptions and results of random play."""
    chance = random.Random(seed)
    known = [Position.from_fen(fen) for fen in book.exceptions if _fits(book, fen)]
    chosen = set(chance.sample(known, min(count // 2, len(known))))
    for _ in range(20 * count):  # a small book may have fewer positions than requested
        if len(chosen) >= count:
            break
        (ply,) = chance.choices(range(2, 2 + len(book.counts)), weights=book.counts)
        position = Position.start(book.geometry)
        while position.ply < ply and not position.is_over:
            position = position.play(chance.choice(position.legal_moves()))
        if position.ply == ply:
            chosen.add(position.canonical())
    return sorted(chosen, key=Position.fen)


def _fits(book: Book, fen: str) -> bool:
    position = Position.from_fen(fen)
    return 2 <= position.ply <= book.plies and None not in position.locations and position.canonical().fen() == fen


def solve_all(
    geometry: Geometry, positions: Sequence[Position], workers: int = 1, progress: Told | None = None
) -> list[bool]:
    """Return for each position whether the player to move wins."""
    chunks = [
        Chunk(number, tuple(position.fen() for position in positions[at : at + _CHUNK]))
        for number, at in enumerate(range(0, len(positions), _CHUNK))
    ]
    if not chunks:
        return []
    count = min(workers, len(chunks))
    solved: dict[int, tuple[bool, ...]] = {}

    def take(result: Solved) -> None:
        solved[result.number] = result.won
        if progress is not None:
            progress(sum(map(len, solved.values())), len(positions))

    job = BookJob(str(geometry), max(default_memory() // count, _LEAST_MEMORY))
    with make_executor(job, count) as executor:
        run_tasks(executor, chunks, take, describe=_describe)
    return [won for number in range(len(chunks)) for won in solved[number]]


class Chunk(NamedTuple):
    """A task: some positions as strings."""

    number: int
    fens: tuple[str, ...]


class Solved(NamedTuple):
    """The result of a task: for each position whether the player to move wins."""

    number: int
    won: tuple[bool, ...]


@dataclass(frozen=True)
class BookJob:
    """Solving positions of one board, with ``memory`` bytes of tables in each process."""

    board: str
    memory: int

    def ready(self) -> Callable[[Chunk], Solved]:
        """Return the function that performs one task."""
        geometry = Geometry.parse(self.board)
        load_code(geometry)
        return partial(_solve, Solver(geometry, memory=self.memory))

    def check(self) -> None:
        """Accept every process: who wins does not depend on it."""

    def is_foreign(self, task: Chunk) -> bool:
        """Return False: no user's function runs here."""
        return False


def _solve(solver: Solver, chunk: Chunk) -> Solved:
    return Solved(chunk.number, tuple(verdicts(map(Position.from_fen, chunk.fens), solver)))


def _describe(chunk: Chunk) -> str:
    return f"task {chunk.number} ({plural(len(chunk.fens), 'position')})"
