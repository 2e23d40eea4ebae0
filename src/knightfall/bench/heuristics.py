"""The cost of the heuristics, compiled and interpreted, and of one of them in C."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from knightfall.bench.c_program import build
from knightfall.catalogue.registry import heuristics
from knightfall.catalogue.timing import compiled_nanoseconds, interpreted_nanoseconds, typical_positions
from knightfall.native.batch import evaluate_many
from knightfall.native.control import Control
from knightfall.native.view import View
from knightfall.rules import Position

# Compile each heuristic in a process with an empty cache. `null` comes first, so that the engine is not timed.
_COMPILE = """
import sys, time
import knightfall as kf
kf.heuristics["null"].code.dispatcher(64)
for name in sys.argv[1:]:
    began = time.perf_counter()
    assert kf.heuristics[name].code.dispatcher(64) is not None
    print(name, time.perf_counter() - began)
"""


@dataclass(frozen=True)
class Cost:
    """Nanoseconds per call of one heuristic, and the seconds of its first compilation."""

    name: str
    compiled: float
    interpreted: float
    compilation: float

    @property
    def ratio(self) -> float:
        return self.interpreted / self.compiled


@dataclass(frozen=True)
class HeuristicsResult:
    """All costs, and those of `improved` compiled and in C. The latter is None without a C compiler."""

    costs: list[Cost]
    improved: float
    improved_in_c: float | None

    @property
    def median_ratio(self) -> float:
        return statistics.median(cost.ratio for cost in self.costs)

    def to_object(self) -> dict[str, Any]:
        return {
            "costs": [{**asdict(cost), "ratio": cost.ratio} for cost in self.costs],
            "median_ratio": self.median_ratio,
            "improved_ns": self.improved,
            "improved_in_c_ns": self.improved_in_c,
        }


def measure(quick: bool = False) -> HeuristicsResult:
    """Measure every heuristic of the catalogue, or a few of them with ``quick``."""
    names = ["open", "improved", "lookahead_both", "contested_reach"] if quick else list(heuristics)
    positions = typical_positions()
    compilation = _compilation(names)
    costs = []
    for name in names:
        fast = compiled_nanoseconds(heuristics[name], positions)
        assert fast is not None
        slow = interpreted_nanoseconds(heuristics[name], positions, seconds=0.05 if quick else 0.3)
        costs.append(Cost(name, fast, slow, compilation[name]))
    native, c = _improved_against_c(positions, 3 if quick else 9)
    return HeuristicsResult(costs, native, c)


def _compilation(names: list[str]) -> dict[str, float]:
    import os

    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "KNIGHTFALL_CACHE_DIR": folder}
        done = subprocess.run(
            [sys.executable, "-c", _COMPILE, *names], env=env, check=True, capture_output=True, text=True
        )
    return {name: float(seconds) for name, seconds in (line.split() for line in done.stdout.splitlines())}


def _improved_against_c(positions: list[Position], runs: int, rounds: int = 20_000) -> tuple[float, float | None]:
    """Return nanoseconds per call, compiled and in C, measured alternately on the same positions."""
    made = heuristics["improved"]
    dispatcher = made.code.dispatcher(64)
    control = Control()
    views = [View(position, control) for position in positions]
    players = [1 + index % 2 for index in range(len(positions))]
    params = made.code.pack(made.parameters)
    lines = "".join(
        f"{view.low} {view.first} {view.second} {view.active} {player}\n"
        for view, player in zip(views, players, strict=True)
    )
    native, c = [], []
    with tempfile.TemporaryDirectory() as folder:
        program = build("improved.c", Path(folder))
        for _ in range(runs):
            began = time.perf_counter()
            values = evaluate_many(dispatcher, params, views, players, control, rounds=rounds)
            native.append((time.perf_counter() - began) / (rounds * len(views)) * 1e9)
            if program is not None:
                command = [str(program), str(rounds)]
                done = subprocess.run(command, input=lines, check=True, capture_output=True, text=True)
                total, seconds = map(float, done.stdout.split())
                if total != values.sum():
                    raise RuntimeError(f"the C program adds up to {total}, the engine to {values.sum()}")
                c.append(seconds * 1e9)
    return min(native), min(c) if c else None


def table(result: HeuristicsResult) -> str:
    """Return the result as a Markdown table."""
    lines = [
        "| heuristic | ns compiled | ns interpreted | ratio | s to compile |",
        "|---|---:|---:|---:|---:|",
    ]
    for cost in result.costs:
        lines.append(
            f"| {cost.name} | {cost.compiled:,.1f} | {cost.interpreted:,.0f} | {cost.ratio:,.0f}× "
            f"| {cost.compilation:.2f} |"
        )
    slowest = max(result.costs, key=lambda cost: cost.compilation)
    lines += [
        "",
        f"Median ratio {result.median_ratio:,.0f}×. Slowest to compile: {slowest.name}, {slowest.compilation:.2f} s.",
    ]
    if result.improved_in_c is not None:
        lines.append(
            f"`improved`, both behind a function pointer: {result.improved:.2f} ns compiled, "
            f"{result.improved_in_c:.2f} ns in C: {result.improved / result.improved_in_c:.2f}× the time of C."
        )
    return "\n".join(lines)
