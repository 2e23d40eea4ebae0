"""Work of several threads on one question: native code without the GIL, while the main thread handles Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial

from knightfall.native.control import STOP
from knightfall.native.solve.block import SolverBlock
from knightfall.native.solve.facts import LOST, UNKNOWN
from knightfall.native.solve.growing_tables import GrowingTables
from knightfall.native.solve.question import Question
from knightfall.native.solve.winloss import solve as solve_native
from knightfall.native.state import State
from knightfall.rules import Position

_TICK = 0.1  # seconds between two checks for Ctrl-C


def run_all(
    works: Sequence[Callable[[], None]], question: Question, blocks: Sequence[SolverBlock], tick: Callable[[], None]
) -> None:
    """Run each function in its own thread and wait for all. Call ``tick`` meanwhile. Ctrl-C stops the threads.

    An event signals that a thread is done. Before Python 3.13, a join that is interrupted by Ctrl-C marks the thread as
    finished although it is still running, and the next join does not wait for it.
    """
    over = [threading.Event() for _ in works]

    def run(work: Callable[[], None], done: threading.Event) -> None:
        try:
            work()
        finally:
            done.set()

    threads = [
        threading.Thread(target=run, args=pair, daemon=True, name="knightfall-solver")
        for pair in zip(works, over, strict=True)
    ]
    try:
        for thread in threads:
            thread.start()
        for done in over:
            while not done.wait(_TICK):
                tick()
    except BaseException:
        question.is_cancelled = True
        for block in blocks:
            block.stop()
        for thread, done in zip(threads, over, strict=True):
            if thread.ident is not None:
                done.wait()
        raise


class Round:
    """Several threads that decide the moves of a position.

    Each thread takes the next free move. If there is none, it helps with a move that is not decided yet and tries equal
    moves in another order. The first thread that decides a move stops the others on that move. A thread that finds the
    table too small or the budget used up ends the round.
    """

    def __init__(
        self,
        question: Question,
        tables: GrowingTables,
        blocks: Sequence[SolverBlock],
        position: Position,
        moves: dict[int, bool | None],
        waiting: list[int],
    ) -> None:
        self._question = question
        self._tables = tables
        self._blocks = blocks
        self._position = position
        self._moves = moves
        self._waiting = waiting
        self._working: dict[int, set[int]] = {}
        self._lock = threading.Lock()
        self._is_over = False
        self._errors: list[BaseException] = []

    def run(self, tick: Callable[[], None]) -> None:
        """Start the threads and wait for them."""
        for block in self._blocks:
            block[STOP] = 0
        works = [partial(self._work, index) for index in range(len(self._blocks))]
        run_all(works, self._question, self._blocks, tick)
        for block in self._blocks:
            block[STOP] = 0
        if self._errors:
            raise self._errors[0]

    def _take(self, index: int) -> int | None:
        """Return the next move for a thread; None if there is nothing left to do."""
        with self._lock:
            if self._is_over or self._question.is_cancelled:
                return None
            if self._waiting:
                square = self._waiting.pop(0)
            else:
                undecided = [square for square in self._working if self._moves[square] is None]
                if not undecided:
                    return None
                square = min(undecided, key=lambda square: len(self._working[square]))
            self._working.setdefault(square, set()).add(index)
            self._blocks[index][STOP] = 0
            return square

    def _work(self, index: int) -> None:
        block = self._blocks[index]
        try:
            while (square := self._take(index)) is not None:
                most = min(self._tables.allowance(with_distances=False), self._question.nodes_left)
                self._question.prepare(block, most // len(self._blocks))
                found = solve_native(block.address, State.of(self._position.play(square)))
                self._finish(index, square, found)
        except BaseException as error:
            self._errors.append(error)

    def _finish(self, index: int, square: int, found: int) -> None:
        with self._lock:
            self._question.count(self._blocks[index])
            self._working[square].discard(index)
            if self._moves[square] is not None:
                return
            if found != UNKNOWN:
                self._moves[square] = bool(found == LOST)
                decided, total = self._question.done
                self._question.done = (decided + 1, total)
                others = self._working[square]
            else:
                self._is_over = True
                others = set(range(len(self._blocks))) - {index}
            for other in others:
                self._blocks[other].stop()
