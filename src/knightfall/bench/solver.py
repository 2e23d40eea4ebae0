"""The solver: its time at every stage of the game, its speed compared with C, and the effect of each idea."""

from __future__ import annotations

import math
import random
import statistics
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from knightfall.bench import positions
from knightfall.bench.c_program import FLAGS, build
from knightfall.native.solve.block import Field, SolverBlock
from knightfall.native.solve.facts import WON
from knightfall.native.solve.large_memory import Region
from knightfall.native.solve.solver import Solver
from knightfall.native.solve.winloss import solve
from knightfall.native.state import State
from knightfall.rules import Geometry, Position

TRIALS = {
    "as it is": "",
    "moves as they come": "order=0",
    "fewest replies, then most next moves": "order=1",
    "next moves less twice the replies": "order=2",
    "two jumps for the attacker only": "order=4",
    "the defender prefers few next moves": "order=5",
    "moves that lose at once not left out": "mistakes=0",
    "two jumps always": "rich=0",
    "table for every position": "table=0",
    "table from 12 empty squares": "table=12",
    "buckets not fetched early": "fetch=0",
    "replies looked up first (from 20 empty)": "cutoffs=20",
    "replies looked up first (from 12 empty)": "cutoffs=12",
    "partition and longest paths, 12 empty": "partition=12",
    "partition and longest paths, 16 empty": "partition=16",
    "partition and longest paths, 20 empty": "partition=20",
    "bounds by colours alone, 16 empty": "bound=16",
}
"""Variants that were tried, as options of solver.c."""


@dataclass(frozen=True)
class Times:
    """Milliseconds of one question at one ply."""

    board: str
    question: str
    ply: int
    positions: int
    median: float
    most: float
    nodes: float


@dataclass(frozen=True)
class SolverResult:
    """All results of this module."""

    times: list[Times]
    empty_seconds: float
    empty_nodes: int
    native: float
    c: float | None
    threads: float
    trials: dict[str, tuple[float, float]]
    sets: dict[str, list[tuple[str, str, int, float, float]]]

    def to_object(self) -> dict[str, Any]:
        return asdict(self)


def measure(quick: bool = False) -> SolverResult:
    """Run all benchmarks of this module."""
    few = 5 if quick else 1
    times = [
        _times("7x7", "win/loss", ply, max(count // few, 3))
        for ply, count in ((2, 30), (6, 100), (10, 200), (14, 200), (18, 200))
    ]
    times += [_times("7x7", "distance", ply, max(count // few, 3)) for ply, count in ((10, 20), (14, 100), (18, 200))]
    if not quick:
        times.append(_times("8x8", "win/loss", 10, 20))
    began = time.perf_counter()
    empty = Solver(Geometry(7, 7)).solve(Position.start(Geometry(7, 7)))
    empty_seconds = time.perf_counter() - began
    native, c, trials = _against_c(quick)
    return SolverResult(
        times,
        empty_seconds,
        empty.nodes,
        native,
        c,
        _threads(2 if quick else 10),
        trials,
        {name: positions.measure(Geometry.parse(name), 50 if quick else 1) for name in ("7x7", "8x8")},
    )


def random_positions(board: str, ply: int, count: int, seed: int = 1) -> list[Position]:
    """Return positions of random games at one ply."""
    generator = random.Random(f"{board} {ply} {seed}")
    geometry = Geometry.parse(board)
    found: list[Position] = []
    while len(found) < count:
        position = Position.start(geometry)
        while position.ply < ply and not position.is_over:
            position = position.play(generator.choice(position.legal_moves()))
        if not position.is_over:
            found.append(position)
    return found


def _times(board: str, question: str, ply: int, count: int) -> Times:
    """Measure a question on random positions, each with an empty table."""
    Solver(Geometry.parse(board)).distance(random_positions(board, 30, 1)[0])  # load the code first
    taken, nodes = [], []
    for position in random_positions(board, ply, count):
        solver = Solver(position.geometry)
        began = time.perf_counter()
        if question == "distance":
            solver.distance(position)
        else:
            solver.verdict(position)
        taken.append((time.perf_counter() - began) * 1e3)
        nodes.append(solver.spent)
    return Times(board, question, ply, count, statistics.median(taken), max(taken), statistics.fmean(nodes))


def _against_c(quick: bool) -> tuple[float, float | None, dict[str, tuple[float, float]]]:
    """Return the nodes per second of both programs, and the cost of the variants.

    The cost is relative to the normal search: nodes and time. For each position the fastest of several runs counts,
    because other programs may run at the same time.
    """
    bits = 18
    rounds = 3 if quick else 7
    chosen = random_positions("7x7", 6, 6 if quick else 40) + random_positions("7x7", 10, 10 if quick else 100)
    lines = "\n".join(" ".join(map(str, _words(position))) for position in chosen)
    native = [_native(chosen, bits) for _ in range(rounds)]
    nodes = sum(run.nodes for run in native[0])
    rate = nodes / _fastest(native)
    trials: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        program = build("solver.c", Path(folder))
        if program is None:
            return rate, None, trials
        same = [_run_c(program, lines, bits, "") for _ in range(rounds)]
        if [(run.won, run.nodes) for run in same[0]] != [(run.won, run.nodes) for run in native[0]]:
            raise RuntimeError("the C program does not search the same nodes as the solver")
        usual = _fastest(same)
        for name, option in TRIALS.items():
            # Slow variants need not be repeated.
            runs = [_run_c(program, lines, bits, option)]
            if _fastest(runs) < 4 * usual:
                runs += [_run_c(program, lines, bits, option) for _ in range(rounds - 1)]
            if [run.won for run in runs[0]] != [run.won for run in native[0]]:
                raise RuntimeError(f"{option}: another verdict")
            trials[name] = (sum(run.nodes for run in runs[0]) / nodes, _fastest(runs) / usual)
    return rate, nodes / usual, trials


@dataclass(frozen=True)
class _Run:
    won: bool
    nodes: int
    seconds: float


def _fastest(rounds: list[list[_Run]]) -> float:
    return math.fsum(min(runs, key=lambda run: run.seconds).seconds for runs in zip(*rounds, strict=True))


def _words(position: Position) -> tuple[int, int, int]:
    state = State.of(position)
    return state.low, state.mover, state.other


def _native(chosen: list[Position], bits: int) -> list[_Run]:
    """Run the compiled search with tables of the same size as in the C program. Only the search itself is timed."""
    found = []
    for position in chosen:
        block = SolverBlock(position.geometry)
        region = Region(32 << bits)
        block[Field.FACTS], block[Field.FACT_BITS] = region.address, bits
        state = State.of(position)
        region.touch()
        began = time.perf_counter()
        won = bool(solve(block.address, state) == WON)
        found.append(_Run(won, block[Field.NODES], time.perf_counter() - began))
    return found


def _run_c(program: Path, lines: str, bits: int, option: str) -> list[_Run]:
    command = [str(program), "7", "7", str(bits), *([option] if option else [])]
    done = subprocess.run(command, input=lines, check=True, capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return [_Run(row[0] == "1", int(row[1]), float(row[2])) for row in rows]


def _threads(count: int) -> float:
    """Return how much faster two threads with one table are than one thread."""
    one = two = 0.0
    for position in random_positions("7x7", 2, count, seed=2):
        for threads in (1, 2):
            began = time.perf_counter()
            Solver(position.geometry, threads=threads).solve(position)
            if threads == 1:
                one += time.perf_counter() - began
            else:
                two += time.perf_counter() - began
    return one / two


def table(result: SolverResult) -> str:
    """Return the results as Markdown tables."""
    rows = [
        "| question, cold table, one core | ply | positions | median | most | mean nodes |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for times in result.times:
        rows.append(
            f"| {times.board} {times.question} | {times.ply} | {times.positions} | {times.median:,.2f} ms | "
            f"{times.most:,.1f} ms | {times.nodes:,.0f} |"
        )
    to_c = "no compiler" if result.c is None else f"{result.native / result.c:.2f}×"
    rows += [
        "",
        f"The empty 7x7 board: {result.empty_seconds:.1f} s, {result.empty_nodes:,} nodes. "
        f"Nodes/s to the same search in C (gcc {' '.join(FLAGS)}, the same nodes): {to_c} "
        f"({result.native / 1e6:.1f} M/s). Two threads to one, all moves at ply 2: {result.threads:.2f}×.",
        "",
        trials_table(result),
        "",
        "| test positions | | count | mean nodes | mean time |",
        "|---|---|---:|---:|---:|",
    ]
    for board, sets in result.sets.items():
        rows += [
            f"| {board} {stage} | {difficulty} | {count} | {nodes:,.0f} | {ms:,.2f} ms |"
            for stage, difficulty, count, nodes, ms in sets
        ]
    return "\n".join(rows)


def trials_table(result: SolverResult) -> str:
    """Return the variants as a Markdown table."""
    rows = ["| tried (7x7, plies 6 and 10) | nodes | time |", "|---|---:|---:|"]
    rows += [f"| {name} | {nodes:.2f}× | {seconds:.2f}× |" for name, (nodes, seconds) in result.trials.items()]
    return "\n".join(rows)
