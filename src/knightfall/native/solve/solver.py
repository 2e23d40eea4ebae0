"""Exact answers about positions: who wins, by which moves, and in how many plies."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from numba.core import types

from knightfall.native.board_tables import bit_width
from knightfall.native.control import DEADLINE, STOP
from knightfall.native.solve import distance as distances
from knightfall.native.solve.block import UNLIMITED, Field, SolverBlock
from knightfall.native.solve.facts import BUCKET_BYTES, LOST, UNKNOWN, WON, least_bits, move_facts
from knightfall.native.solve.large_memory import Region, default_memory
from knightfall.native.solve.root_moves import in_order
from knightfall.native.solve.solution import Interrupted, Progress, Solution, SolverError
from knightfall.native.solve.winloss import solve as solve_native
from knightfall.native.state import State, StateType
from knightfall.rules import Geometry, Position
from knightfall.rules.theory import mirror_verdict

_FIRST_BITS = 12  # buckets of the first table: 2^12, small enough for the cache
_GROWTH = 4  # bits by which a table that is full grows
_FIRST_DISTANCE_BITS = 12
_TICK = 0.1  # seconds between two looks at Ctrl-C
_TOLD = 0.5  # seconds between two reports of progress
_LEAST_MEMORY = 2**20

MOST_THREADS = 64
"""More threads than that would only wait for each other."""


class _OutOfBudget(Exception):
    pass


class _Turn:
    """A lock for the time of one question. Whoever tells its progress must not ask another one: that is an error."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None

    def __enter__(self) -> None:
        if self._owner == threading.get_ident():
            raise SolverError("this solver is at work: it cannot be asked while it tells its progress")
        self._lock.acquire()
        self._owner = threading.get_ident()

    def __exit__(self, *_: object) -> None:
        self._owner = None
        self._lock.release()


class Solver:
    """Solves positions of one board, and remembers what it has proved: a fact never grows old.

    ``memory`` is the most bytes that its tables may take. With ``threads=2`` two threads share one table (on boards
    of up to 64 squares); the answers are the same, the number of nodes is not.

    A solver answers one question at a time: who asks from another thread meanwhile waits.
    """

    def __init__(self, geometry: Geometry, memory: int | None = None, threads: int = 1) -> None:
        _check_threads(threads)
        self.geometry = geometry
        self.width = bit_width(geometry)
        per_bucket = BUCKET_BYTES[self.width]
        least = max(_LEAST_MEMORY, 2 * per_bucket << least_bits(geometry.size))
        self.memory = max(default_memory(), least) if memory is None else memory
        if self.memory < least:
            raise SolverError(f"a {geometry} board needs a memory of at least {least:,} bytes, not {memory:,}")
        self.threads = threads if self.width == 64 else 1
        self._turn = _Turn()
        self._blocks = [SolverBlock(geometry) for _ in range(self.threads)]
        for index, block in enumerate(self._blocks):
            block[Field.TWIST] = index * 5
        # Up to half of the memory is for facts, a quarter for distances, the rest for the table a larger one replaces.
        self._most_bits = (self.memory // 2 // per_bucket).bit_length() - 1
        self._facts: Region | None = None
        self._new_facts: Region | None = None
        self._fact_bits = 0
        self._told = 0.0
        self._distances: Region | None = None
        self._distance_bits = 0
        self._began = 0.0
        self._deadline: float | None = None
        self._nodes: int | None = None
        self._spent = 0
        self._progress: Callable[[Progress], None] | None = None
        self._done = (0, 0)
        self._cancelled = False

    # --- questions

    def solve(
        self,
        position: Position,
        *,
        distance: bool = False,
        ms: float | None = None,
        nodes: int | None = None,
        theory: bool = True,
        progress: Callable[[Progress], None] | None = None,
    ) -> Solution:
        """Who wins, and which moves do."""
        with self._turn:
            return self._solve(position, distance, ms, nodes, theory, progress)

    def _solve(
        self,
        position: Position,
        distance: bool,
        ms: float | None,
        nodes: int | None,
        theory: bool,
        progress: Callable[[Progress], None] | None,
    ) -> Solution:
        self._begin(position, ms, nodes, progress)
        moves: dict[int, bool | None] = dict.fromkeys(position.legal_moves())
        reason = "search"
        lengths: dict[int, int] = {}
        try:
            mirrored = mirror_verdict(position) if theory else None
            if mirrored is not None and not mirrored:
                reason = "mirror"
                moves = dict.fromkeys(moves, False)
            else:
                self._decide(position, moves, theory)
            if distance and None not in moves.values() and None not in position.locations:
                self._measure(position, moves, lengths)
        except _OutOfBudget:
            pass
        except KeyboardInterrupt:
            raise Interrupted(self._solution(position, moves, lengths, distance, reason)) from None
        return self._solution(position, moves, lengths, distance, reason)

    def verdict(self, position: Position, *, ms: float | None = None, nodes: int | None = None) -> bool | None:
        """Whether the player to move wins, without looking at every move; None when the budget ended first."""
        with self._turn:
            self._begin(position, ms, nodes, None)
            try:
                return self._wins(position, theory=True)
            except _OutOfBudget:
                return None

    def distance(self, position: Position, *, ms: float | None = None, nodes: int | None = None) -> int | None:
        """How many plies the game lasts, both knights placed; None when the budget ended first."""
        if None in position.locations:
            raise SolverError("how long a game lasts is told when both knights are placed")
        with self._turn:
            self._begin(position, ms, nodes, None)
            try:
                return self._distance(position, self._wins(position, theory=True))
            except _OutOfBudget:
                return None

    @property
    def spent(self) -> int:
        """Nodes of the last question."""
        return self._spent

    # --- how they are answered

    def _begin(
        self, position: Position, ms: float | None, nodes: int | None, progress: Callable[[Progress], None] | None
    ) -> None:
        _check_budget(ms, nodes)
        if position.geometry != self.geometry:
            raise SolverError(f"this solver is for {self.geometry} boards, not for {position.geometry}")
        self._told = time.perf_counter()
        self._began = time.perf_counter()
        self._deadline = None if ms is None else time.monotonic() + ms / 1e3
        self._nodes = nodes
        self._spent = 0
        self._progress = progress
        self._done = (0, 0)
        self._cancelled = False
        for block in self._blocks:
            block[STOP] = 0

    def _solution(
        self,
        position: Position,
        moves: dict[int, bool | None],
        lengths: dict[int, int],
        wanted: bool,
        reason: str,
    ) -> Solution:
        winner = None
        if any(moves.values()):
            winner = position.to_move
        elif None not in moves.values():
            winner = 3 - position.to_move
        length = None
        if wanted and winner is not None:
            if not moves:
                length = 0
            elif len(lengths) == sum(wins == (winner == position.to_move) for wins in moves.values()):
                length = min(lengths.values()) if winner == position.to_move else max(lengths.values())
        seconds = time.perf_counter() - self._began
        return Solution(position, winner, moves, self._spent, seconds, length, lengths, reason)

    def _decide(self, position: Position, moves: dict[int, bool | None], theory: bool) -> None:
        """Decide the moves one after the other; moves that are images of each other are decided together."""
        self._done = (0, len(moves))
        if self.threads > 1 and None not in position.locations:
            self._decide_together(position, moves, theory)
            return
        for orbit in in_order(position, theory):
            lost = not self._wins(position.play(orbit[0]), theory)
            for square in orbit:
                moves[square] = lost
            self._done = (self._done[0] + len(orbit), len(moves))

    def _wins(self, position: Position, theory: bool) -> bool:
        """Whether the player to move wins."""
        if theory:
            mirrored = mirror_verdict(position)
            if mirrored is not None:
                return mirrored
        if None in position.locations:
            # A placement: one square that wins is enough.
            return any(not self._wins(position.play(orbit[0]), theory) for orbit in in_order(position, theory))
        found = self._ask(solve_native, State.of(position))
        return bool(found == WON)

    def _measure(self, position: Position, moves: dict[int, bool | None], lengths: dict[int, int]) -> None:
        """How long the game lasts after each move that keeps the result."""
        won = any(moves.values())
        for square, wins in moves.items():
            if wins == won:
                lengths[square] = 1 + self._distance(position.play(square), not won)

    def _distance(self, position: Position, won: bool) -> int:
        state = State.of(position)
        most = position.geometry.size - position.ply + 1
        found = self._ask(distances.distance, state, won, 1, most, with_distances=True)
        return int(found)

    def _ask(self, function: Any, state: State, *arguments: Any, with_distances: bool = False) -> int:
        """One native question, in tables that grow until it is answered; raises when the budget ends first."""
        block = self._blocks[0]
        if self._facts is None:
            self._grow_facts()
        if with_distances and self._distances is None:
            self._grow_distances()
        first = True
        while True:
            allowed = self._allowance(with_distances)
            block[Field.NODES] = block[Field.NEXT] = block[Field.STOPPED] = 0
            block[Field.LIMIT] = allowed
            block[DEADLINE] = 0 if self._deadline is None else max(int(self._deadline * 1e9), 1)

            def work() -> int:
                return int(function(block.address, state, *arguments))

            # What is small is done at once; what may last gets a thread, so that Ctrl-C and progress are not kept
            # waiting.
            try:
                found = work() if first and allowed <= 2**16 else self._watched(work)
            finally:
                # Also when Ctrl-C ended it; and no one is to count them twice while the table grows.
                self._spent += block[Field.NODES]
                block[Field.NODES] = 0
            first = False
            self._tell()
            if not block[Field.STOPPED]:
                return found
            self._check(block)
            if with_distances:
                self._grow_distances()
            self._grow_facts()

    def _allowance(self, with_distances: bool) -> int:
        """How many nodes may be searched before the table is too small for them."""
        most = UNLIMITED
        if self._fact_bits < self._most_bits:
            most = 8 << self._fact_bits
        if with_distances and self._distance_bits < self._most_distance_bits:
            most = min(most, 8 << self._distance_bits)
        if self._nodes is not None:
            most = min(most, self._nodes - self._spent)
        return max(most, 0)

    def _check(self, block: SolverBlock) -> None:
        """Raise when the budget is used up."""
        if block[STOP]:
            raise _OutOfBudget
        if self._nodes is not None and self._nodes - self._spent < self.threads:
            raise _OutOfBudget
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise _OutOfBudget

    def _watched(self, work: Callable[[], int]) -> int:
        """Run native code in a thread of its own, telling how far it is; Ctrl-C stops it."""
        results: list[int] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                results.append(work())
            except BaseException as error:
                errors.append(error)

        self._run_all([run])
        if errors:
            raise errors[0]
        return results[0]

    def _run_all(self, works: list[Callable[[], None]]) -> None:
        """Run each in a thread of its own and wait for all, telling how far they are; Ctrl-C stops them.

        An event says that a thread is done: until Python 3.13 a join that Ctrl-C interrupts marks the thread as
        finished though it still runs, and the next join does not wait for it.
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
                    self._tell()
        except BaseException:
            self._cancelled = True
            for block in self._blocks:
                block.stop()
            for thread, done in zip(threads, over, strict=True):
                if thread.ident is not None:
                    done.wait()
            raise

    def _tell(self) -> None:
        """Say how far it is, twice a second."""
        if self._progress is not None and time.perf_counter() - self._told >= _TOLD:
            self._told = time.perf_counter()
            self._progress(self.state())

    def state(self) -> Progress:
        """How far the question is that is being answered."""
        running = sum(block[Field.NODES] for block in self._blocks)
        stored = sum(block[Field.STORED] for block in self._blocks)
        slots = (4 if self.width == 64 else 2) << self._fact_bits
        seconds = time.perf_counter() - self._began
        return Progress(*self._done, self._spent + running, seconds, min(stored / slots, 1.0))

    # --- tables

    @property
    def _most_distance_bits(self) -> int:
        return max((self.memory // 4 // distances.BUCKET_BYTES).bit_length() - 1, _FIRST_DISTANCE_BITS)

    def _grow_facts(self) -> None:
        """A larger table with the same facts in it, as far as memory allows."""
        if self._facts is not None and self._fact_bits >= self._most_bits:
            return
        least = max(least_bits(self.geometry.size), min(_FIRST_BITS, self._most_bits))
        bits = least if self._facts is None else min(self._fact_bits + _GROWTH, self._most_bits)
        region = Region((1 << bits) * BUCKET_BYTES[self.width])
        self._new_facts = region  # whatever happens, what the blocks point to is kept alive
        moved = 0
        if self._facts is not None and self.width == 64:
            moved = move_facts(self._facts.address, self._fact_bits, region.address, bits, self.geometry.size)
        for block in self._blocks:
            block[Field.FACTS] = region.address
            block[Field.FACT_BITS] = bits
            block[Field.STORED] = 0
        self._blocks[0][Field.STORED] = moved
        self._facts, self._fact_bits = region, bits

    def _grow_distances(self) -> None:
        if self._distances is not None and self._distance_bits >= self._most_distance_bits:
            return
        bits = min(self._distance_bits + _GROWTH, self._most_distance_bits) if self._distances else _FIRST_DISTANCE_BITS
        self._distances, self._distance_bits = Region((1 << bits) * distances.BUCKET_BYTES), bits
        self._blocks[0][Field.DISTANCES] = self._distances.address
        self._blocks[0][Field.DISTANCE_MASK] = (1 << bits) - 1

    # --- two threads

    def _decide_together(self, position: Position, moves: dict[int, bool | None], theory: bool) -> None:
        """Decide the moves by several threads over one table, in rounds: after each the table has grown."""
        if self._facts is None:
            self._grow_facts()
        order = [square for orbit in in_order(position, theory) for square in orbit]
        while None in moves.values():
            _Round(self, position, moves, [square for square in order if moves[square] is None]).run()
            if None in moves.values():
                self._check(self._blocks[0])
                self._grow_facts()


class _Round:
    """Some threads at work on the undecided moves of a position.

    Each takes the next move that no one has taken; when there is none left, it helps with one that is not decided yet,
    trying equal moves in another order. Whoever is first with a move ends the work of the others on it. Whoever finds
    the table too small, or the budget used up, ends the round.
    """

    def __init__(self, solver: Solver, position: Position, moves: dict[int, bool | None], waiting: list[int]) -> None:
        self.solver = solver
        self.position = position
        self.moves = moves
        self.waiting = waiting
        self.working: dict[int, set[int]] = {}
        self.lock = threading.Lock()
        self.over = False
        self.errors: list[BaseException] = []

    def run(self) -> None:
        """Start the threads and wait for them."""
        solver = self.solver
        for block in solver._blocks:
            block[STOP] = 0
        solver._run_all([partial(self._work, index) for index in range(solver.threads)])
        for block in solver._blocks:
            block[STOP] = 0
        if self.errors:
            raise self.errors[0]

    def _take(self, index: int) -> int | None:
        with self.lock:
            if self.over or self.solver._cancelled:
                return None
            if self.waiting:
                square = self.waiting.pop(0)
            else:
                undecided = [square for square in self.working if self.moves[square] is None]
                if not undecided:
                    return None
                square = min(undecided, key=lambda square: len(self.working[square]))
            self.working.setdefault(square, set()).add(index)
            self.solver._blocks[index][STOP] = 0
            return square

    def _work(self, index: int) -> None:
        solver = self.solver
        block = solver._blocks[index]
        try:
            while (square := self._take(index)) is not None:
                block[Field.NODES] = block[Field.NEXT] = block[Field.STOPPED] = 0
                block[Field.LIMIT] = solver._allowance(with_distances=False) // solver.threads
                block[DEADLINE] = 0 if solver._deadline is None else max(int(solver._deadline * 1e9), 1)
                found = solve_native(block.address, State.of(self.position.play(square)))
                self._finish(index, square, found)
        except BaseException as error:
            self.errors.append(error)

    def _finish(self, index: int, square: int, found: int) -> None:
        solver = self.solver
        block = solver._blocks[index]
        with self.lock:
            solver._spent += block[Field.NODES]
            block[Field.NODES] = 0
            self.working[square].discard(index)
            if self.moves[square] is not None:
                return
            if found != UNKNOWN:
                self.moves[square] = bool(found == LOST)
                solver._done = (solver._done[0] + 1, solver._done[1])
                others = self.working[square]
            else:
                self.over = True
                others = set(range(solver.threads)) - {index}
            for other in others:
                solver._blocks[other].stop()


_loaded: set[int] = set()


def _native_code(width: int) -> list[tuple[Any, tuple[Any, ...]]]:
    """The compiled functions of the solver, each with the types of its arguments."""
    word, state = types.int64, StateType(width)
    return [
        (solve_native, (word, state)),
        (distances.distance, (word, state, types.boolean, word, word)),
        (move_facts, (word,) * 5),
    ]


def is_code_ready(geometry: Geometry) -> bool:
    """Whether the machine code for boards of this width is loaded, or in the cache."""
    width = bit_width(geometry)
    return width in _loaded or all(function._cache.holds(arguments) for function, arguments in _native_code(width))


def load_code(geometry: Geometry) -> None:
    """Compile or load the machine code for boards of this width: whoever has little time does so before it runs."""
    width = bit_width(geometry)
    if width not in _loaded:
        for function, arguments in _native_code(width):
            function.compile(arguments)
        _loaded.add(width)  # last: until then other threads wait here, too


def solve(
    position: Position,
    distance: bool = False,
    ms: float | None = None,
    nodes: int | None = None,
    *,
    memory: int | None = None,
    threads: int = 1,
    theory: bool = True,
    progress: Callable[[Progress], None] | None = None,
) -> Solution:
    """The exact value of a position.

    >>> import knightfall as kf
    >>> solution = kf.solve(kf.Position.from_fen("*n*2/2*2/N*3/5/3*1 w"), distance=True)
    >>> solution.winner, [solution.position.geometry.label(square) for square in solution.winning_moves]
    (1, ['c2'])
    """
    solver = Solver(position.geometry, memory, threads)
    return solver.solve(position, distance=distance, ms=ms, nodes=nodes, theory=theory, progress=progress)


def _check_threads(threads: int) -> None:
    if not isinstance(threads, int) or isinstance(threads, bool) or not 1 <= threads <= MOST_THREADS:
        raise SolverError(f"threads must be a whole number from 1 to {MOST_THREADS}, not {threads!r}")


def _check_budget(ms: float | None, nodes: int | None) -> None:
    if ms is not None and (not isinstance(ms, int | float) or isinstance(ms, bool) or not 0 < ms < 1e12):
        raise SolverError(f"ms must be more than 0 and less than 1e12, not {ms!r}")
    if nodes is not None and (not isinstance(nodes, int) or isinstance(nodes, bool) or nodes < 1):
        raise SolverError(f"nodes must be a whole number from 1, not {nodes!r}")
