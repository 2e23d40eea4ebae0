"""Building and checking books with several processes.

Each process has its own solver and receives chunks of positions. Results that it has proved for one chunk help with the
next. The processes ignore Ctrl-C; the process that started them ends them.
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

_CHUNK = 32  # positions that a process receives at once
_LEAST_MEMORY = 2**24  # bytes of a process's tables, which is enough for every board
_TICK = 0.2  # seconds between two checks for Ctrl-C

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
    """Start ``count`` processes and yield the pipes to them. They are ended in any case."""
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
    """Ignore Ctrl-C in the processes that are started here. A handler that they set themselves would be too late."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(pipe: Connection, board: str, memory: int) -> None:
    """Answer chunks until the pipe is closed. This is the main function of a process."""
    geometry = Geometry.parse(board)
    solver = Solver(geometry, memory=memory)
    with suppress(EOFError, BrokenPipeError):
        while True:
            index, fens = pipe.recv()
            pipe.send((index, list(verdicts(map(Position.from_fen, fens), solver))))
