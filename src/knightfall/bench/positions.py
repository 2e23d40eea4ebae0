"""Test positions for solvers, as there are for other games: begin, middle, end; easy, medium, hard.

The positions are from random games. The number of empty squares decides the stage. The number of nodes that the
solver needs from an empty table to find the winner decides the difficulty. Each line of the file contains the stage,
the difficulty, the winner (1 or 2), the number of plies until the end, the nodes and the position. `python -m
knightfall.bench.positions 7x7` builds the file again.
"""

from __future__ import annotations

import gzip
import random
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path

from knightfall.native.solve.solver import Solver
from knightfall.rules import Geometry, Position

DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True)
class Stage:
    """Positions with ``empty`` empty squares; ``limits`` are the node counts where medium and hard begin."""

    name: str
    empty: range
    limits: tuple[int, int]
    wanted: int


STAGES = {
    "7x7": (
        Stage("begin", range(38, 42), (15_000, 40_000), 150),
        Stage("middle", range(32, 38), (1_000, 5_000), 1_000),
        Stage("end", range(22, 32), (50, 400), 1_000),
    ),
    "8x8": (
        Stage("begin", range(42, 46), (12_000, 60_000), 150),
        Stage("middle", range(34, 42), (1_000, 5_000), 1_000),
        Stage("end", range(24, 34), (20, 300), 1_000),
    ),
}


@dataclass(frozen=True)
class TestPosition:
    """A position with its exact value."""

    __test__ = False  # tells pytest that this is not a test

    stage: str
    difficulty: str
    position: Position
    winner: int
    distance: int
    nodes: int

    def line(self) -> str:
        """Return the position as a line of the file."""
        return f"{self.stage} {self.difficulty} {self.winner} {self.distance} {self.nodes} {self.position.fen()}"


def read_line(line: str) -> TestPosition:
    """Parse a line of the file."""
    stage, difficulty, winner, distance, nodes, fen = line.split(maxsplit=5)
    return TestPosition(stage, difficulty, Position.from_fen(fen), int(winner), int(distance), int(nodes))


@cache
def positions_of(geometry: Geometry) -> tuple[TestPosition, ...]:
    """Return the shipped test positions of a board.

    >>> found = positions_of(Geometry(7, 7))
    >>> len({(test.stage, test.difficulty) for test in found})
    9
    """
    file = files("knightfall.data").joinpath(f"positions_{geometry}.txt.gz")
    if not file.is_file():
        return ()
    return tuple(read_line(line) for line in gzip.decompress(file.read_bytes()).decode().splitlines())


def _sample(geometry: Geometry, stage: Stage, seed: int) -> Iterator[Position]:
    """Yield positions of one stage from random games, without end and without repetition."""
    generator = random.Random(f"{geometry} {stage.name} {seed}")
    seen = set()
    while True:
        position = Position.start(geometry)
        plies = geometry.size - generator.choice(stage.empty)
        while position.ply < plies and not position.is_over:
            position = position.play(generator.choice(position.legal_moves()))
        if not position.is_over:
            canonical = position.canonical()
            if canonical not in seen:
                seen.add(canonical)
                yield canonical


def nodes_to_solve(position: Position) -> tuple[bool, int]:
    """Return whether the player to move wins, and the nodes needed from an empty table."""
    solver = Solver(position.geometry)
    won = solver.verdict(position)
    assert won is not None
    return won, solver.spent


def _solved(task: tuple[str, str, str]) -> str:
    stage, difficulty, fen = task
    position = Position.from_fen(fen)
    won, nodes = nodes_to_solve(position)
    solver = Solver(position.geometry)
    distance = solver.distance(position)
    assert distance is not None
    winner = position.to_move if won else 3 - position.to_move
    return TestPosition(stage, difficulty, position, winner, distance, nodes).line()


def build(geometry: Geometry, workers: int) -> list[str]:
    """Return all sets of a board, as lines."""
    tasks = []
    for stage in STAGES[str(geometry)]:
        missing = dict.fromkeys(DIFFICULTIES, stage.wanted)
        for position in _sample(geometry, stage, seed=1):
            if not any(missing.values()):
                break
            _, nodes = nodes_to_solve(position)
            difficulty = DIFFICULTIES[sum(nodes >= limit for limit in stage.limits)]
            if missing[difficulty]:
                missing[difficulty] -= 1
                tasks.append((stage.name, difficulty, position.fen()))
        print(f"{geometry} {stage.name}: sampled", file=sys.stderr, flush=True)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return sorted(pool.map(_solved, tasks, chunksize=20))


def measure(geometry: Geometry, share: int = 1) -> list[tuple[str, str, int, float, float]]:
    """Return for each set the number of positions, mean nodes and mean milliseconds to find the winner.

    Each position is solved with an empty table.
    """
    found = []
    tests = positions_of(geometry)
    for stage in STAGES[str(geometry)]:
        for difficulty in DIFFICULTIES:
            chosen = [t for t in tests if (t.stage, t.difficulty) == (stage.name, difficulty)][::share]
            nodes, seconds = [], []
            for test in chosen:
                began = time.perf_counter()
                won, spent = nodes_to_solve(test.position)
                seconds.append(time.perf_counter() - began)
                nodes.append(spent)
                if (test.position.to_move == test.winner) != won:
                    raise RuntimeError(f"{test.position.fen()}: the winner is {test.winner}")
            row = (stage.name, difficulty, len(chosen), statistics.fmean(nodes), statistics.fmean(seconds) * 1e3)
            found.append(row)
    return found


def main() -> None:
    """Build the files of the boards in the arguments."""
    for name in sys.argv[1:]:
        lines = build(Geometry.parse(name), workers=2)
        target = Path(__file__).parent.parent / "data" / f"positions_{name}.txt.gz"
        target.write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", mtime=0))
        print(f"{target.name}: {len(lines)} positions")


if __name__ == "__main__":
    main()
