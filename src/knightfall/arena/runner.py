"""Play an experiment: send pairs to the executor, write results to the ledger.

Results are written every quarter of a second, all finished pairs in one transaction. A sequential test evaluates the
pairs of a match in the order of the schedule, independent of the order in which they finish. So the number of workers
does not affect where the test stops.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from knightfall.arena.ledger import Ledger, LedgerError
from knightfall.arena.plan import Matchup, Plan, PlannedPair
from knightfall.arena.play import PairResult
from knightfall.arena.statistics.pairs import PairCounts
from knightfall.rules.formatting import plural
from knightfall.work.executor import DEATHS, Event, Executor, ExecutorError, Lost

_WRITE_SECONDS = 0.25
_WAIT_SECONDS = 0.1
_LEFT_OUT = 3  # pairs of a match that may be left out until the rest of the match is left out as well
_HOPELESS = f"{_LEFT_OUT} pairs of this match killed workers"
_LARGEST_BATCH = 256
_LOST_ROUNDS = 3  # how often all workers may be lost in a row until the machine is considered the cause


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
        self._kills: Counter[int] = Counter()
        self._losses = 0  # workers lost by the machine since the last finished pair
        self._dangerous: Counter[Matchup] = Counter()
        self._alone: deque[PlannedPair] = deque()
        self._pace = 0.05  # a worker's seconds per pair; a guess until the first result
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
        self._queue = deque(ledger.planned(experiment))
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
                    self._feed()
                if not self.executor.is_busy and (finishing or not (self._queue or self._alone)):
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
        if finishing and (self._queue or self._alone or self._is_anything_planned()):
            self.ledger.leave(self.experiment)
            return False
        self.ledger.end(self.experiment, self._not_needed())
        return True

    def _is_anything_planned(self) -> bool:
        return "planned" in self.ledger.counts(self.experiment)

    # --- out

    def _feed(self) -> None:
        size = max(1, min(int(self.executor.batch_seconds / self._pace), _LARGEST_BATCH))
        for _ in range(self.executor.room):
            if self._alone:  # suspected worker-killers run alone
                self.executor.submit([self._alone.popleft()])
            elif self._queue:
                # Smaller batches towards the end, so that no worker waits for another.
                fair = max(1, len(self._queue) // (2 * self.executor.workers))
                self.executor.submit([self._queue.popleft() for _ in range(min(size, fair, len(self._queue)))])
            else:
                return

    # --- in

    def _take(self, event: Event) -> None:
        if isinstance(event, Lost):
            self._take_loss(event)
            return
        assert isinstance(event, PairResult)
        row = self._by_number[event.number]
        self._losses = 0
        self._finished.append(event)
        self.progress.played += 1
        self.progress.done += 1
        self.progress.scores[row.matchup][row.opening_number] = event.score
        for game in event.games:
            self._count_fault(game.first, game.second, game.winner, game.reason)
        spent = sum(game.seconds for game in event.games)
        self._pace += 0.05 * (max(spent, 1e-4) - self._pace)
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
        suspects = {pair.number for pair in loss.suspects}
        back, last = [], []
        for pair in loss.tasks:
            is_charged = pair.number in suspects and not loss.by_host
            self._kills[pair.number] += is_charged
            if is_charged and self._kills[pair.number] >= DEATHS:
                self._leave_out(pair, f"it killed {plural(self._kills[pair.number], 'worker')}: {loss.why}")
            elif pair.matchup in self._given_up():
                self._write_left_out([pair], _HOPELESS)
            elif is_charged:
                self._alone.append(pair)
            elif pair.number in suspects:
                # At the end, so that a pair that is too large for the machine does not block the others.
                last.append(pair)
            else:
                back.append(pair)
        self._queue.extendleft(reversed(back))
        self._queue.extend(last)
        if loss.by_host:
            self._lose_to_host(loss)

    def _lose_to_host(self, loss: Lost) -> None:
        """Count a loss that no player caused; raise ExecutorError after too many without a finished pair."""
        self._losses += 1
        if self._losses < _LOST_ROUNDS * max(self.executor.workers, 2) or self.progress.is_stopping:
            return
        at = "".join(f", at pair {pair.number}, {_match_name(pair.matchup)}" for pair in loss.suspects)
        raise ExecutorError(f"{self._losses} workers died one after another and no pair was finished: {loss.why}{at}")

    def _given_up(self) -> set[Matchup]:
        return {matchup for matchup, count in self._dangerous.items() if count >= _LEFT_OUT}

    def _leave_out(self, pair: PlannedPair, note: str) -> None:
        self._dangerous[pair.matchup] += 1
        self._write_left_out([pair], note)
        if pair.matchup in self._given_up():
            rest = [other for other in (*self._alone, *self._queue) if other.matchup == pair.matchup]
            self._remove(rest)
            self._write_left_out(rest, _HOPELESS)

    def _write_left_out(self, pairs: list[PlannedPair], note: str) -> None:
        self.ledger.leave_out(self.experiment, [pair.number for pair in pairs], note)
        self.progress.done += len(pairs)
        for pair in pairs:
            self.progress.left_out.append(_pair_name(pair.number, pair.matchup, pair.opening, note))
            self._left_out.add((pair.matchup, pair.opening_number))
            if self._tests:
                self._look(pair.matchup)

    def _remove(self, pairs: Iterable[PlannedPair]) -> None:
        numbers = {pair.number for pair in pairs}
        self._queue = deque(pair for pair in self._queue if pair.number not in numbers)
        self._alone = deque(pair for pair in self._alone if pair.number not in numbers)

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
        dropped = [pair for pair in (*self._alone, *self._queue) if pair.matchup in decided]
        self._remove(dropped)
        self.progress.done += len(dropped)

    def _not_needed(self) -> Iterator[int]:
        for row in self._by_number.values():
            test = self._tests.get(row.matchup)
            if test is not None and test.decision is not None and row.opening_number >= test.looked:
                yield row.number


def _pair_name(number: int, matchup: Matchup, opening: str, note: str) -> str:
    return f"pair {number}, {_match_name(matchup)} from {opening}: {note}"


def _match_name(matchup: Matchup) -> str:
    return f"{matchup.candidate} against {matchup.opponent}"


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[list[int]]:
    """Call ``stop`` on Ctrl-C and SIGTERM; yield a list that collects the signals. A second signal takes effect at
    once.

    Outside the main thread, signals cannot be handled, and nothing is changed.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def handle(number: int, frame: object) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt
        stop()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
