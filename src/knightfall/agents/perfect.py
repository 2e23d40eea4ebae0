"""The perfect player: wins if the position is won, and sets traps if it is lost."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from knightfall.agents.agent import Agent
from knightfall.agents.budget import Budget
from knightfall.agents.choice import Analysis, Choice, MoveScore
from knightfall.agents.native_agent import Deepening
from knightfall.agents.searching import Search, SearchAgent
from knightfall.catalogue.heuristic import Heuristic
from knightfall.native.seeds import seed_of
from knightfall.native.solve.book import book_of
from knightfall.native.solve.solver import Solver, load_code
from knightfall.rules import Geometry, Position

DEFAULT_MS = 120.0
_SOLVING = 0.6  # share of the budget for finding a win; the rest is for finding the quickest win or a trap
_SOLVING_ON = 0.3  # share of the budget for continuing if no win was found
_MEASURED = 40  # the most empty squares with which distances are computed
_MEMORY = 2**26
_MOST_IDLE = 4  # solvers kept per board for the next moves; enough for the threads that use an agent at once


@dataclass
class _Purse:
    """The remaining budget of a move."""

    ms: float | None
    nodes: int | None
    began: float
    spent: int = 0

    def share(self, part: float = 1.0) -> dict[str, float | int | None]:
        """Return a part of the whole budget, or the remaining budget if it is less, as arguments for the solver."""
        ms = nodes = None
        if self.ms is not None:
            ms = min(self.ms * part, self.ms - (time.perf_counter() - self.began) * 1e3)
            ms = max(ms, 0.001)
        if self.nodes is not None:
            nodes = max(min(int(self.nodes * part), self.nodes - self.spent), 1)
        return {"ms": ms, "nodes": nodes}

    @property
    def is_empty(self) -> bool:
        if self.ms is not None and (time.perf_counter() - self.began) * 1e3 >= self.ms:
            return True
        return self.nodes is not None and self.spent >= self.nodes


@dataclass
class _Knowledge:
    """The known results of the moves of a position."""

    wins: dict[int, bool | None]
    distances: dict[int, int]
    source: str


class PerfectAgent(Agent):
    """Plays from the book, else from the solver. If neither finds the result in time, it searches with a heuristic."""

    kind = "perfect"

    def __init__(
        self, heuristic: Heuristic, ms: float | None = None, nodes: int | None = None, seed: int = 0, name: str = ""
    ) -> None:
        super().__init__(seed, name)
        self.heuristic = heuristic
        self.ms = ms
        self.nodes = nodes
        self._idle: dict[Geometry, list[Solver]] = {}
        self._lock = threading.Lock()

    @property
    def settings(self) -> list[str]:
        return Budget(nodes=self.nodes, ms=self.ms).settings()

    @property
    def budget(self) -> Budget:
        if self.ms is None and self.nodes is None:
            return Budget(ms=DEFAULT_MS)
        return Budget(ms=self.ms, nodes=self.nodes)

    def with_budget(self, budget: Budget) -> PerfectAgent:
        if self.ms is not None or self.nodes is not None:
            return self
        return PerfectAgent(self.heuristic, budget.ms, budget.nodes, self.seed, self.name)

    def with_seed(self, seed: int) -> PerfectAgent:
        return PerfectAgent(self.heuristic, self.ms, self.nodes, seed, self.name)

    def choose(self, position: Position) -> Choice:
        self.check(position)
        load_code(position.geometry)
        book_of(position.geometry)  # load the book before the clock starts
        purse = self._purse()
        with self._solver(position.geometry) as solver:
            known = self._know(position, solver, purse)
            if any(known.wins.values()):
                square = self._quickest(position, known, solver, purse)
                return self._choice(position, square, True, known, purse)
            if None not in known.wins.values():
                square = self._trap(position, known, solver, purse)
                return self._choice(position, square, False, known, purse)
        return self._searched(position, known, purse)

    def deepen(self, position: Position) -> Deepening:
        self.check(position)
        return Deepening(None, None, iter([self._analysis(position)]))

    def _purse(self) -> _Purse:
        return _Purse(self.budget.ms, self.budget.nodes, time.perf_counter())

    @contextmanager
    def _solver(self, geometry: Geometry) -> Iterator[Solver]:
        """Yield a solver that no other thread uses in the meantime.

        Under a time budget, its facts are kept from move to move. Otherwise each move begins without facts, so that it
        is repeatable.
        """
        solver = None
        if self.nodes is None:
            with self._lock:
                idle = self._idle.get(geometry)
                solver = idle.pop() if idle else None
        solver = solver or Solver(geometry, memory=_MEMORY)
        try:
            yield solver
        finally:
            if self.nodes is None:
                with self._lock:
                    idle = self._idle.setdefault(geometry, [])
                    if len(idle) < _MOST_IDLE:
                        idle.append(solver)

    def _know(self, position: Position, solver: Solver, purse: _Purse) -> _Knowledge:
        """Return which moves win, as far as the book or the solver knows."""
        book = book_of(position.geometry)
        moves = position.legal_moves()
        if book is not None and position.ply < book.plies:
            told = {square: _denied(book.wins(position.play(square))) for square in moves}
            if None not in told.values():
                return _Knowledge(told, {}, "book")
        solution = solver.solve(position, **purse.share(_SOLVING))  # type: ignore[arg-type]
        purse.spent += solution.nodes
        if solution.winner is None and self.nodes is None:
            # The solver keeps its results. Let it continue with most of the remaining budget, except for a last search.
            solution = solver.solve(position, **purse.share(_SOLVING_ON))  # type: ignore[arg-type]
            purse.spent += solution.nodes
        source = "theory" if solution.reason == "mirror" else "solver"
        return _Knowledge(solution.moves, {}, source)

    def _quickest(self, position: Position, known: _Knowledge, solver: Solver, purse: _Purse) -> int:
        """Return the winning move that wins soonest, if it is found in time, else the one that looks best."""
        winning = sorted((square for square, wins in known.wins.items() if wins), key=lambda s: self._rank(position, s))
        if _can_be_measured(position):
            for square in winning:
                if purse.is_empty:
                    break
                length = solver.distance(position.play(square), **purse.share())  # type: ignore[arg-type]
                purse.spent += solver.spent
                if length is None:
                    break
                known.distances[square] = length + 1
        return min(winning, key=lambda square: (known.distances.get(square, math.inf), self._rank(position, square)))

    def _trap(self, position: Position, known: _Knowledge, solver: Solver, purse: _Purse) -> int:
        """Return the move after which the fewest replies win. Among those, choose the one that lasts longest."""
        book = book_of(position.geometry)
        answers: dict[int, float] = {}
        for square in sorted(known.wins, key=lambda s: self._rank(position, s)):
            after = position.play(square)
            if book is not None and after.ply < book.plies:
                told = [book.wins(after.play(reply)) for reply in after.legal_moves()]
                answers[square] = sum(won is False for won in told)
                continue
            if purse.is_empty:
                break
            solution = solver.solve(after, **purse.share(0.5))  # type: ignore[arg-type]
            purse.spent += solution.nodes
            if solution.is_complete:
                answers[square] = len(solution.winning_moves)
        if not answers:
            return min(known.wins, key=lambda square: self._rank(position, square))
        fewest = min(answers.values())
        best = [square for square, count in answers.items() if count == fewest]
        for square in best:
            if not _can_be_measured(position) or purse.is_empty:
                break
            length = solver.distance(position.play(square), **purse.share())  # type: ignore[arg-type]
            purse.spent += solver.spent
            if length is not None:
                known.distances[square] = length + 1
        return min(best, key=lambda square: (-known.distances.get(square, -1), self._rank(position, square)))

    def _rank(self, position: Position, square: int) -> tuple[int, int]:
        """Return a quick estimate of a move, smaller is better: few replies, many next moves. The seed breaks ties."""
        after = position.play(square)
        looks = 2 * len(after.legal_moves()) - len(after.moves_of(position.to_move))
        return looks, seed_of(after, self.key)

    def _searched(self, position: Position, known: _Knowledge, purse: _Purse) -> Choice:
        """Use the remaining budget for alpha-beta, if the result is unknown, among moves that are not known to lose."""
        lost = {square for square, wins in known.wins.items() if wins is False}
        if purse.is_empty:
            square = min((s for s in known.wins if s not in lost), key=lambda s: self._rank(position, s))
            choice = Choice(square, line=(square,))
        elif not lost:
            choice = self._search(purse).choose(position)
        else:
            *_, analysis = self._search(purse).deepen(position)
            move = next(move for move in analysis.moves if move.square not in lost)
            choice = Choice(move.square, move.score, move.depth, analysis.nodes, line=move.line, ends_in=move.ends_in)
        seconds = time.perf_counter() - purse.began
        nodes = choice.nodes + purse.spent
        return replace(choice, seconds=seconds, nodes=nodes, source="search", geometry=position.geometry)

    def _search(self, purse: _Purse) -> SearchAgent:
        """Return an alpha-beta agent with the remaining budget."""
        share = purse.share()
        nodes = share["nodes"]
        search = Search(ms=share["ms"], nodes=None if nodes is None else int(nodes))
        return SearchAgent("alphabeta", self.heuristic, search, self.seed)

    def _choice(self, position: Position, square: int, won: bool, known: _Knowledge, purse: _Purse) -> Choice:
        length = known.distances.get(square)
        return Choice(
            square,
            math.inf if won else -math.inf,
            length or 0,
            purse.spent,
            time.perf_counter() - purse.began,
            (square,),
            length,
            known.source,
            geometry=position.geometry,
        )

    def _analysis(self, position: Position) -> Analysis:
        load_code(position.geometry)
        book_of(position.geometry)  # load the book before the clock starts
        purse = self._purse()
        with self._solver(position.geometry) as solver:
            known = self._know(position, solver, purse)
            result = any(known.wins.values())
            if _can_be_measured(position):
                for square, wins in known.wins.items():
                    if wins is not None and wins == result and not purse.is_empty:
                        length = solver.distance(position.play(square), **purse.share())  # type: ignore[arg-type]
                        purse.spent += solver.spent
                        if length is not None:
                            known.distances[square] = length + 1
        told: dict[int, MoveScore] = {}
        if None in known.wins.values() and not purse.is_empty:
            *_, searched = self._search(purse).deepen(position)
            purse.spent += searched.nodes
            told = {move.square: move for move in searched.moves}
        moves = [
            told[square]
            if wins is None and square in told
            else MoveScore(
                square,
                None if wins is None else math.inf if wins else -math.inf,
                known.distances.get(square),
                known.distances.get(square, 0),
                (square,),
                geometry=position.geometry,
            )
            for square, wins in known.wins.items()
        ]

        def rank(move: MoveScore) -> tuple[float, float]:
            length = math.inf if move.ends_in is None else move.ends_in
            score = 0.0 if move.score is None else move.score
            return (-score, length if score > 0 else -length if move.ends_in is not None else 0.0)

        moves.sort(key=rank)
        seconds = time.perf_counter() - purse.began
        source = "search" if told else known.source
        return Analysis(position, self.text, tuple(moves), moves[0].depth, purse.spent, seconds, source=source)


def _can_be_measured(position: Position) -> bool:
    """Return whether distances are computed. With more empty squares, that would take seconds."""
    return None not in position.locations and position.geometry.size - position.ply <= _MEASURED


def _denied(won: bool | None) -> bool | None:
    return None if won is None else not won
