"""Tournaments: games per second with one and two workers and in plain Python, and the cost of the ledger."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from knightfall.agents.budget import Budget
from knightfall.arena.executors import make_executor
from knightfall.arena.fingerprint import code_of, machine
from knightfall.arena.ledger import Ledger
from knightfall.arena.plan import Plan
from knightfall.arena.play import play_pair
from knightfall.arena.prepare import Prepared, prepare
from knightfall.arena.request import Request
from knightfall.arena.runner import Conductor
from knightfall.arena.warm_up import warm_up
from knightfall.bench.plain import AlphaBeta
from knightfall.rules import Geometry, Position

CANDIDATES, OPPONENTS = ("AB_improved", "AB_open"), ("AB_Open", "AB_Improved")
NODES = 1_000
DEPTH = 6


@dataclass(frozen=True)
class ArenaResult:
    """The results of the tournaments.

    ``rates`` are games per second by number of workers, without start-up. ``ledger`` is the share of the time for
    writing.
    """

    games: int
    rates: Mapping[int, float]
    efficiency: float
    ledger: float
    depth: int
    native: float
    python: float

    def to_object(self) -> dict[str, Any]:
        """Return the result as a dictionary for JSON."""
        return {**asdict(self), "rates": {str(workers): rate for workers, rate in self.rates.items()}}


def measure(*, quick: bool = False) -> ArenaResult:
    """Run the same tournament with one worker and with two, alternately; the best run of each counts."""
    prepared = prepare(
        Request(CANDIDATES, OPPONENTS, 60 if quick else 2_000, budget=Budget(nodes=NODES), baseline=None)
    )
    warm_up(prepared.players, prepared.plan.openings[0])
    rates: dict[int, float] = {}
    shares = []
    for _ in range(1 if quick else 2):
        for workers in (1, 2):
            rate, share = _tournament(prepared, workers)
            rates[workers] = max(rates.get(workers, 0.0), rate)
            shares.append(share)
    native, python = _fixed_depth(quick)
    games = 2 * sum(1 for _ in prepared.plan.pairs())
    return ArenaResult(games, rates, rates[2] / (2 * rates[1]), min(shares), DEPTH, native, python)


class _TimedLedger(Ledger):
    """A ledger that measures the time it spends writing."""

    spent = 0.0

    def write(self, *arguments: Any) -> None:
        began = time.perf_counter()
        super().write(*arguments)
        self.spent += time.perf_counter() - began


def _tournament(prepared: Prepared, workers: int) -> tuple[float, float]:
    """Return games per second between the first and the last pair, and the ledger's share of the time."""
    plan: Plan = prepared.plan
    ledger: _TimedLedger
    with tempfile.TemporaryDirectory() as folder, closing(_TimedLedger(Path(folder) / "ledger.db")) as ledger:
        number = ledger.begin(plan, code_of(prepared.players.values()), machine())
        with make_executor(prepared, workers) as executor:
            executor.wait(30.0)  # until one has started; the other starts at the same time
            time.sleep(0.5)
            executor.wait(0.0)
            began = time.perf_counter()
            Conductor(ledger, number, plan, executor).run()
            seconds = time.perf_counter() - began
    return 2 * sum(1 for _ in plan.pairs()) / seconds, ledger.spent / seconds


def _fixed_depth(quick: bool) -> tuple[float, float]:
    """Return games per second of two fixed-depth alpha-beta players: compiled, in one process, and in plain Python."""
    name = f"alphabeta(improved, depth={DEPTH}, deepen=off, tt=off, order=plain, window=full, fold=off)"
    prepared = prepare(Request([name], [name.replace("improved", "mobility")], 40 if quick else 400, baseline=None))
    warm_up(prepared.players, prepared.plan.openings[0])
    pairs = list(prepared.plan.pairs())
    native = python = 0.0
    for _ in range(1 if quick else 3):
        began = time.perf_counter()
        for pair in pairs:
            play_pair(pair, prepared.players)
        native = max(native, 2 * len(pairs) / (time.perf_counter() - began))
        generator = random.Random(1)
        games = 1 if quick else 10
        began = time.perf_counter()
        for _ in range(games):
            _plain_game(generator)
        python = max(python, games / (time.perf_counter() - began))
    return native, python


def _plain_game(generator: random.Random) -> None:
    position = Position.start(Geometry(7, 7))
    for _ in range(2):
        position = position.play(generator.choice(position.legal_moves()))
    while not position.is_over:
        search = AlphaBeta(position.to_move)
        moves = position.legal_moves()
        values = [-search.value(position.play(square), DEPTH - 1) for square in moves]
        position = position.play(moves[values.index(max(values))])


def table(result: ArenaResult) -> str:
    """Return the results as Markdown."""
    rows = [
        f"| {result.games:,} games of iterative deepening, {NODES:,} nodes per move | |",
        "|---|---:|",
        *(
            f"| games/s, {workers} worker{'s' * (workers > 1)} | {rate:,.0f} |"
            for workers, rate in result.rates.items()
        ),
        f"| two workers to twice one | {result.efficiency:.2f} |",
        f"| the ledger's share of the time | {result.ledger:.1%} |",
        f"| depth {result.depth}, games/s in one process, to plain Python | {result.native / result.python:,.0f}× |",
    ]
    return "\n".join(rows)
