"""Building and checking books, by several processes.

Each process has a solver of its own and is given positions by the chunk; what it has proved about one chunk helps it
with the next. The processes know nothing of Ctrl-C: whoever started them ends them.
"""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait

from knightfall.native.solve.book import Book, make_book, positions_at, verdicts
from knightfall.native.solve.large_memory import default_memory
from knightfall.native.solve.solution import SolverError
from knightfall.native.solve.solver import Solver
from knightfall.rules import Geometry, Position

_CHUNK = 32  # positions that a process is given at once
_LEAST_MEMORY = 2**24  # bytes of a process's tables: enough for every board
_TICK = 0.2  # seconds between two looks at Ctrl-C

Told = Callable[[int, int], None]
"""Is told how many of how many positions are solved."""


def build_book(geometry: Geometry, plies: int, workers: int = 1, progress: Told | None = None) -> Book:
    """Solve every position at a ply, and make a book of them.

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
    """What came of checking a book: how many positions were solved, and those in which the book is wrong."""

    solved: int
    wrong: tuple[Position, ...]
    faults: tuple[str, ...]
    """What is wrong with the list itself: entries that no one would ever find, counts that are not the board's."""


def check_book(book: Book, sample: int | None, seed: int = 0, workers: int = 1, progress: Told | None = None) -> Check:
    """Solve positions of a book again: so many of them at random, or all where ``sample`` is None.

    Of a sample half are taken from the list of exceptions, as far as there are so many: there a mistake is likeliest.
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
    """Different positions that a book covers, canonical: exceptions, and what random play leads to."""
    chance = random.Random(seed)
    known = [Position.from_fen(fen) for fen in book.exceptions if _fits(book, fen)]
    chosen = set(chance.sample(known, min(count // 2, len(known))))
    for _ in range(20 * count):  # a small book may have fewer positions than are wanted
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
    """Whether the player to move wins, for each of many positions."""
    chunks = [[p.fen() for p in positions[at : at + _CHUNK]] for at in range(0, len(positions), _CHUNK)]
    found: dict[int, list[bool]] = {}
    waiting = iter(enumerate(chunks))
    with _processes(geometry, min(workers, len(chunks))) as pipes:
        idle, busy = list(pipes), set[Connection]()
        while len(found) < len(chunks):
            while idle and (task := next(waiting, None)) is not None:
                pipe = idle.pop()
                pipe.send(task)
                busy.add(pipe)
            for ready in wait(list(busy), _TICK):
                assert isinstance(ready, Connection)
                try:
                    index, answer = ready.recv()
                except EOFError:
                    raise SolverError("a process that solved positions has died; was there enough memory?") from None
                found[index] = answer
                busy.remove(ready)
                idle.append(ready)
                if progress is not None:
                    progress(sum(map(len, found.values())), len(positions))
    return [value for index in range(len(chunks)) for value in found[index]]


@contextmanager
def _processes(geometry: Geometry, count: int) -> Iterator[list[Connection]]:
    """So many processes at the other end of pipes; they are gone at the end, whatever happens."""
    context = get_context("spawn")
    pipes: list[Connection] = []
    processes = []
    try:
        with _ctrl_c_ignored():
            for _ in range(count):
                ours, theirs = context.Pipe()
                process = context.Process(
                    target=_work,
                    args=(theirs, str(geometry), max(default_memory() // count, _LEAST_MEMORY)),
                    daemon=True,
                )
                process.start()
                theirs.close()
                pipes.append(ours)
                processes.append(process)
        yield pipes
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        for pipe in pipes:
            pipe.close()


@contextmanager
def _ctrl_c_ignored() -> Iterator[None]:
    """What is started here ignores Ctrl-C from its first moment, as a handler set later could not make it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(pipe: Connection, board: str, memory: int) -> None:
    """What one process does: answer chunks until the pipe is closed."""
    geometry = Geometry.parse(board)
    solver = Solver(geometry, memory=memory)
    with suppress(EOFError, BrokenPipeError):
        while True:
            index, fens = pipe.recv()
            pipe.send((index, list(verdicts(map(Position.from_fen, fens), solver))))
