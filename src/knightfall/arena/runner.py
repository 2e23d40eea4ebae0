"""Play an experiment: send pairs to the executor, write results to the ledger.

Results are written every quarter of a second, all finished pairs in one transaction. A sequential test evaluates the
pairs of a match in the order of the schedule, independent of the order in which they finish. So the number of workers
does not affect where the test stops.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from knightfall.arena.ledger import Ledger, LedgerError
from knightfall.arena.plan import Matchup, Plan, PlannedPair
from knightfall.arena.play import PairResult
from knightfall.arena.statistics.pairs import PairCounts
from knightfall.rules.formatting import plural
from knightfall.work.executor import Event, Executor, Lost
from knightfall.work.task_queue import DEATHS, TaskQueue

_WRITE_SECONDS = 0.25
_WAIT_SECONDS = 0.1
_LEFT_OUT = 3  # pairs of a match that may be left out until the rest of the match is left out as well
_HOPELESS = f"{_LEFT_OUT} pairs of this match killed workers"
_PAIR_SECONDS = 0.05  # a guess until the first result


@dataclass
class Progress:
    """The progress of an experiment, passed to the watcher about four times per second."""

    experiment: int
    plan: Plan
    total: int
    done: int = 0
    """The number of pairs that are finished, left out or not needed."""

    played: int = 0
    """The number of pairs played since the start or the resumption."""

    seconds: float = 0.0
    workers: int = 1
    scores: dict[Matchup, dict[int, float]] = field(default_factory=dict)
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    deaths: int = 0
    left_out: list[str] = field(default_factory=list)
    is_stopping: bool = False

    @property
    def games_per_second(self) -> float:
        return 2 * self.played / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The estimated remaining time; None before the first result."""
        if not self.played:
            return None
        return (self.total - self.done) * self.seconds / self.played

    def counts(self, matchup: Matchup) -> PairCounts:
        return PairCounts.of(self.scores.get(matchup, {}).values())


Watcher = Callable[[Progress], None]


class _Sequence:
    """The sequential test of one match: its progress and its decision."""

    def __init__(self) -> None:
        self.looked = 0
        self.counts = PairCounts()
        self.decision: str | None = None


class Conductor:
    """Plays the remaining pairs of one experiment."""

    def __init__(
        self, ledger: Ledger, experiment: int, plan: Plan, executor: Executor, watch: Watcher | None = None
    ) -> None:
        self.ledger, self.experiment, self.plan, self.executor = ledger, experiment, plan, executor
        self._watch = watch or (lambda _: None)
        self._stop = threading.Event()
        self._finished: list[PairResult] = []
        self._dangerous: Counter[Matchup] = Counter()
        self._tests: dict[Matchup, _Sequence] = {}
        self._left_out: set[tuple[Matchup, int]] = set()
        rows = ledger.pairs(experiment)
        self._by_number = {row.number: row for row in rows}
        self.progress = Progress(experiment, plan, len(rows), workers=executor.workers)
        for matchup in plan.matchups:
            self.progress.scores[matchup] = {}
        for row in rows:
            if row.state == "done" and row.score is not None:
                self.progress.scores[row.matchup][row.opening_number] = row.score
            elif row.state == "left out":
                self.progress.left_out.append(_pair_name(row.number, row.matchup, row.opening, row.note))
                self._left_out.add((row.matchup, row.opening_number))
        for _, game in ledger.games(experiment):
            self._count_fault(game.first, game.second, game.winner, game.reason)
        self.progress.done = sum(row.state != "planned" for row in rows)
        self._queue = TaskQueue(ledger.planned(experiment), _PAIR_SECONDS, "pair", _describe)
        if plan.sprt is not None:
            self._tests = {matchup: _Sequence() for matchup in plan.matchups}
            for matchup in plan.matchups:
                self._look(matchup)
            self._drop_what_is_decided()

    def stop(self) -> None:
        """Stop after the running pairs are finished. May be called from any thread."""
        self._stop.set()

    def run(self) -> bool:
        """Play the remaining pairs; return whether all were played.

        Finished pairs are in the ledger even if an error is raised.
        """
        began = written = told = time.monotonic()
        finishing = False
        try:
            while True:
                if self._stop.is_set() and not finishing:
                    finishing = self.progress.is_stopping = True
                    self.executor.finish()
                if not finishing:
                    self._queue.feed(self.executor)
                if not self.executor.is_busy and (finishing or not self._queue):
                    break
                for event in self.executor.wait(_WAIT_SECONDS):
                    self._take(event)
                now = time.monotonic()
                self.progress.seconds = now - began
                if now - written >= _WRITE_SECONDS:
                    self._write()
                    written = now
                if now - told >= _WRITE_SECONDS:
                    self.progress.workers = self.executor.workers
                    self._watch(self.progress)
                    told = now
        except LedgerError:
            raise
        except BaseException:
            self._write()  # keep all received results, whatever the error
            raise
        self._write()
        self.progress.seconds = time.monotonic() - began
        self._watch(self.progress)
        if finishing and (self._queue or self._is_anything_planned()):
            self.ledger.leave(self.experiment)
            return False
        self.ledger.end(self.experiment, self._not_needed())
        return True

    def _is_anything_planned(self) -> bool:
        return "planned" in self.ledger.counts(self.experiment)

    # --- results and losses

    def _take(self, event: Event) -> None:
        if isinstance(event, Lost):
            self._take_loss(event)
            return
        assert isinstance(event, PairResult)
        row = self._by_number[event.number]
        self._finished.append(event)
        self.progress.played += 1
        self.progress.done += 1
        self.progress.scores[row.matchup][row.opening_number] = event.score
        for game in event.games:
            self._count_fault(game.first, game.second, game.winner, game.reason)
        self._queue.count_result(sum(game.seconds for game in event.games))
        if self._tests:
            self._look(row.matchup)
            if self._tests[row.matchup].decision is not None:
                self._drop_what_is_decided()

    def _count_fault(self, first: str, second: str, winner: int, reason: str) -> None:
        if reason != "stuck":
            self.progress.faults[(second if winner == 1 else first, reason)] += 1

    def _take_loss(self, loss: Lost) -> None:
        """Handle the pairs of a dead worker: play them again, unless they have killed too many workers."""
        self.progress.deaths += 1
        for pair in self._queue.put_back(loss):
            self._dangerous[pair.matchup] += 1
            self._leave_out([pair], f"it killed {plural(DEATHS, 'worker')}: {loss.why}")
        hopeless = {matchup for matchup, count in self._dangerous.items() if count >= _LEFT_OUT}
        if pairs := self._drop(hopeless):
            self._leave_out(pairs, _HOPELESS)
        if not self.progress.is_stopping:
            self._queue.count_loss(loss, self.executor.workers)

    def _leave_out(self, pairs: list[PlannedPair], note: str) -> None:
        self.ledger.leave_out(self.experiment, [pair.number for pair in pairs], note)
        self.progress.done += len(pairs)
        for pair in pairs:
            self.progress.left_out.append(_pair_name(pair.number, pair.matchup, pair.opening, note))
            self._left_out.add((pair.matchup, pair.opening_number))
            if self._tests:
                self._look(pair.matchup)

    def _drop(self, matchups: set[Matchup]) -> list[PlannedPair]:
        """Remove the pairs of matches from the queue and return them."""
        dropped = [pair for pair in self._queue if pair.matchup in matchups]
        if dropped:
            self._queue.remove(dropped)
        return dropped

    def _write(self) -> None:
        if self._finished:
            self.ledger.write(self.experiment, self._finished)
            self._finished = []

    # --- sequential tests

    def _look(self, matchup: Matchup) -> None:
        """Evaluate the finished pairs of a match in the order of the schedule, up to the first missing one."""
        test, scores = self._tests[matchup], self.progress.scores[matchup]
        sprt = self.plan.sprt
        assert sprt is not None
        while test.decision is None:
            if test.looked in scores:
                test.counts += PairCounts.of([scores[test.looked]])
                test.decision = sprt.decision((test.counts.ll, test.counts.wl, test.counts.ww))
            elif (matchup, test.looked) not in self._left_out:
                return
            test.looked += 1

    def _drop_what_is_decided(self) -> None:
        decided = {matchup for matchup, test in self._tests.items() if test.decision is not None}
        self.progress.done += len(self._drop(decided))

    def _not_needed(self) -> Iterator[int]:
        for row in self._by_number.values():
            test = self._tests.get(row.matchup)
            if test is not None and test.decision is not None and row.opening_number >= test.looked:
                yield row.number


def _describe(pair: PlannedPair) -> str:
    return f"pair {pair.number}, {_match_name(pair.matchup)}"


def _pair_name(number: int, matchup: Matchup, opening: str, note: str) -> str:
    return f"pair {number}, {_match_name(matchup)} from {opening}: {note}"


def _match_name(matchup: Matchup) -> str:
    return f"{matchup.candidate} against {matchup.opponent}"
