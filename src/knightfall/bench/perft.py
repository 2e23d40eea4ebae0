"""Perft in leaves per second: compiled, in plain Python over rules/, and in C."""

from __future__ import annotations

import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from knightfall.bench.c_program import FLAGS, build
from knightfall.native.board_tables import bit_width
from knightfall.native.perft import count_leaves
from knightfall.native.state import State
from knightfall.rules import Position

JOUST = "8/8/8/4n3/3N4/8/8/8 w"
ON_11X9 = "11/11/11/5n5/11/5N5/11/11/11 w"


@dataclass(frozen=True)
class PerftResult:
    """Speeds on one position, in leaves per second; ``c`` is None without a C compiler."""

    fen: str
    depth: int
    leaves: int
    python_depth: int
    native: float
    python: float
    c: float | None

    @property
    def to_python(self) -> float:
        return self.native / self.python

    @property
    def to_c(self) -> float | None:
        return None if self.c is None else self.native / self.c

    def to_object(self) -> dict[str, Any]:
        return {**asdict(self), "ratio_to_python": self.to_python, "ratio_to_c": self.to_c}


def perft_in_python(position: Position, depth: int) -> int:
    """Return the same count over rules/, also with the last ply counted in bulk.

    >>> perft_in_python(Position.from_fen(JOUST), 5)
    8094
    """
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(perft_in_python(position.play(square), depth - 1) for square in moves)


def measure(quick: bool = False) -> list[PerftResult]:
    """Measure the speeds on 8×8 (64 bits) and 11×9 (128 bits)."""
    less = 2 if quick else 0
    rounds = 3 if quick else 9
    return [
        _measure_one(JOUST, 12 - less, 8 - less, rounds),
        _measure_one(ON_11X9, 11 - less, 7 - less, rounds),
    ]


def _measure_one(fen: str, depth: int, python_depth: int, rounds: int) -> PerftResult:
    position = Position.from_fen(fen)
    state = State.of(position)
    count_leaves(state, 3)  # compile
    with tempfile.TemporaryDirectory() as folder:
        defines = ("WIDE",) if bit_width(position.geometry) == 128 else ()
        program = build("perft.c", Path(folder), *defines)
        native, c = [], []
        leaves = 0
        for _ in range(rounds):
            began = time.perf_counter()
            leaves = count_leaves(state, depth)
            native.append(leaves / (time.perf_counter() - began))
            if program is not None:
                c.append(_run_c(program, position, depth, leaves))
    began = time.perf_counter()
    python_leaves = perft_in_python(position, python_depth)
    python = python_leaves / (time.perf_counter() - began)
    return PerftResult(fen, depth, leaves, python_depth, max(native), python, max(c) if c else None)


def _run_c(program: Path, position: Position, depth: int, expected: int) -> float:
    geometry = position.geometry
    arguments = (geometry.width, geometry.height, *position.locations, depth)
    done = subprocess.run([str(program), *map(str, arguments)], check=True, capture_output=True, text=True)
    leaves, seconds = done.stdout.split()
    if int(leaves) != expected:
        raise RuntimeError(f"the C program counts {leaves} leaves, the engine {expected}")
    return expected / float(seconds)


def table(results: list[PerftResult]) -> str:
    """Return the results as a Markdown table, which is also readable in a terminal."""
    head = (
        "| board | bits | depth | leaves | leaves/s | to plain Python | to C |",
        "|---|---:|---:|---:|---:|---:|---:|",
    )
    rows = []
    for result in results:
        geometry = Position.from_fen(result.fen).geometry
        to_c = "no compiler" if result.to_c is None else f"{result.to_c:.2f}×"
        rows.append(
            f"| {geometry} | {bit_width(geometry)} | {result.depth} | {result.leaves:,} | {result.native / 1e6:,.0f} M "
            f"| {result.to_python:,.0f}× (at depth {result.python_depth}) | {to_c} |"
        )
    notes = f"C: gcc {' '.join(FLAGS)}, the same recursion. Best of alternating runs."
    return "\n".join((*head, *rows, "", notes))
