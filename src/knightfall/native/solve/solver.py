"""Exact answers about positions: who wins, by which moves, and in how many plies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types

from knightfall.native.board_tables import bit_width
from knightfall.native.control import STOP
from knightfall.native.solve import distance as distances
from knightfall.native.solve.block import Field, SolverBlock
from knightfall.native.solve.facts import WON, move_facts
from knightfall.native.solve.growing_tables import GrowingTables
from knightfall.native.solve.question import OutOfBudget, Question, Turn
from knightfall.native.solve.root_moves import in_order
from knightfall.native.solve.shared_work import Round, run_all
from knightfall.native.solve.solution import Interrupted, Progress, Solution, SolverError
from knightfall.native.solve.winloss import solve as solve_native
from knightfall.native.state import State, StateType
from knightfall.rules import Geometry, Position
from knightfall.rules.theory import mirror_verdict

_SMALL = 2**16  # searches of up to this many nodes do not need a separate thread

MOST_THREADS = 64
"""The maximum number of threads. More threads would only wait for each other."""


class Solver:
    """Solves positions of one board, and remembers what it has proved.

    ``memory`` is the maximum size of its tables in bytes; the default is 1 GiB, or the available memory if that is
    less. With ``threads=2``, two threads share one table (on boards of up to 64 squares). The answers are the same, but
    not the number of nodes. Raise :class:`SolverError` if an argument is invalid.

    A solver answers one question at a time. Another thread that asks meanwhile waits.
    """

    def __init__(self, geometry: Geometry, memory: int | None = None, threads: int = 1) -> None:
        _check_threads(threads)
        self.geometry = geometry
        self.width = bit_width(geometry)
        self.threads = threads if self.width == 64 else 1
        self._turn = Turn()
        self._blocks = [SolverBlock(geometry) for _ in range(self.threads)]
        for index, block in enumerate(self._blocks):
            block[Field.TWIST] = index * 5
        self._tables = GrowingTables(geometry, memory, self._blocks)
        self._question = Question()

    @property
    def memory(self) -> int:
        """The maximum size of the tables in bytes."""
        return self._tables.memory

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
        """Return who wins, and which moves win.

        See :func:`knightfall.solve` for the arguments. Raise :class:`SolverError` if the position has another board.
        """
        with self._turn:
            self._begin(position, Question(ms, nodes, progress))
            return self._solve(position, distance, theory)

    def verdict(self, position: Position, *, ms: float | None = None, nodes: int | None = None) -> bool | None:
        """Return whether the player to move wins, without checking every move; None if the budget ended first."""
        with self._turn:
            self._begin(position, Question(ms, nodes))
            try:
                return self._wins(position, theory=True)
            except OutOfBudget:
                return None

    def distance(self, position: Position, *, ms: float | None = None, nodes: int | None = None) -> int | None:
        """Return how many plies the game lasts, with both knights placed; None if the budget ended first."""
        if None in position.locations:
            raise SolverError("how long a game lasts is told when both knights are placed")
        with self._turn:
            self._begin(position, Question(ms, nodes))
            try:
                return self._distance(position, self._wins(position, theory=True))
            except OutOfBudget:
                return None

    @property
    def spent(self) -> int:
        """The number of nodes of the last question."""
        return self._question.spent

    def state(self) -> Progress:
        """Return the progress of the current question."""
        question = self._question
        running = sum(block[Field.NODES] for block in self._blocks)
        return Progress(*question.done, question.spent + running, question.seconds, self._tables.share_used)

    # --- how they are answered

    def _begin(self, position: Position, question: Question) -> None:
        if position.geometry != self.geometry:
            raise SolverError(f"this solver is for {self.geometry} boards, not for {position.geometry}")
        self._question = question
        for block in self._blocks:
            block[STOP] = 0

    def _solve(self, position: Position, distance: bool, theory: bool) -> Solution:
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
        except OutOfBudget:
            pass
        except KeyboardInterrupt:
            raise Interrupted(self._solution(position, moves, lengths, distance, reason)) from None
        return self._solution(position, moves, lengths, distance, reason)

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
        return Solution(position, winner, moves, self._question.spent, self._question.seconds, length, lengths, reason)

    def _decide(self, position: Position, moves: dict[int, bool | None], theory: bool) -> None:
        """Decide the moves one after the other. Moves that are images of each other are decided together."""
        self._question.done = (0, len(moves))
        if self.threads > 1 and None not in position.locations:
            self._decide_together(position, moves, theory)
            return
        for orbit in in_order(position, theory):
            lost = not self._wins(position.play(orbit[0]), theory)
            for square in orbit:
                moves[square] = lost
            self._question.done = (self._question.done[0] + len(orbit), len(moves))

    def _decide_together(self, position: Position, moves: dict[int, bool | None], theory: bool) -> None:
        """Decide the moves with several threads and one table, in rounds. The table grows after each round."""
        self._tables.prepare()
        order = [square for orbit in in_order(position, theory) for square in orbit]
        while None in moves.values():
            waiting = [square for square in order if moves[square] is None]
            Round(self._question, self._tables, self._blocks, position, moves, waiting).run(self._tick)
            if None in moves.values():
                self._question.check(self._blocks[0], self.threads)
                self._tables.grow_facts()

    def _wins(self, position: Position, theory: bool) -> bool:
        """Return whether the player to move wins."""
        if theory:
            mirrored = mirror_verdict(position)
            if mirrored is not None:
                return mirrored
        if None in position.locations:
            # For a placement, one square that wins is enough.
            return any(not self._wins(position.play(orbit[0]), theory) for orbit in in_order(position, theory))
        found = self._ask(solve_native, State.of(position))
        return bool(found == WON)

    def _measure(self, position: Position, moves: dict[int, bool | None], lengths: dict[int, int]) -> None:
        """Compute how long the game lasts after each move that keeps the result."""
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
        """Answer one native question with tables that grow until they are large enough.

        Raise :class:`OutOfBudget` if the budget ends first.
        """
        block = self._blocks[0]
        self._tables.prepare(with_distances=with_distances)
        is_first = True
        while True:
            allowed = min(self._tables.allowance(with_distances=with_distances), self._question.nodes_left)
            self._question.prepare(block, allowed)

            def work() -> int:
                return int(function(block.address, state, *arguments))

            # A small search runs at once. A long one runs in a thread, so that Ctrl-C and progress do not wait for it.
            try:
                found = work() if is_first and allowed <= _SMALL else self._watched(work)
            finally:
                self._question.count(block)  # even if Ctrl-C ended the search
            is_first = False
            self._tick()
            if not block[Field.STOPPED]:
                return found
            self._question.check(block, self.threads)
            self._tables.grow(with_distances=with_distances)

    def _watched(self, work: Callable[[], int]) -> int:
        """Run native code in a separate thread and report progress. Ctrl-C stops it."""
        results: list[int] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                results.append(work())
            except BaseException as error:
                errors.append(error)

        run_all([run], self._question, self._blocks, self._tick)
        if errors:
            raise errors[0]
        return results[0]

    def _tick(self) -> None:
        self._question.report(self.state)


_loaded: set[int] = set()


def _native_code(width: int) -> list[tuple[Any, tuple[Any, ...]]]:
    """Return the compiled functions of the solver, each with the types of its arguments."""
    word, state = types.int64, StateType(width)
    return [
        (solve_native, (word, state)),
        (distances.distance, (word, state, types.boolean, word, word)),
        (move_facts, (word,) * 5),
    ]


def is_code_ready(geometry: Geometry) -> bool:
    """Return whether the machine code for boards of this width is loaded or in the cache."""
    width = bit_width(geometry)
    return width in _loaded or all(function._cache.holds(arguments) for function, arguments in _native_code(width))


def load_code(geometry: Geometry) -> None:
    """Compile or load the machine code for boards of this width. Call it before work with a time budget."""
    width = bit_width(geometry)
    if width not in _loaded:
        for function, arguments in _native_code(width):
            function.compile(arguments)
        _loaded.add(width)  # must be last, so that until then other threads wait here, too


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
    """Return the exact value of a position.

    ``distance`` requests the number of moves that the game lasts, if both knights are placed. ``ms`` and ``nodes``
    limit the search in milliseconds and nodes; the default is no limit. ``memory`` and ``threads`` are those of
    :class:`Solver`. ``theory=False`` disables the mirror argument. ``progress`` is called at most twice a second with
    a :class:`~knightfall.native.solve.solution.Progress`. Raise
    :class:`~knightfall.native.solve.solution.SolverError` if an argument is invalid.

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
