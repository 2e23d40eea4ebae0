"""How far the solver gets on a large board: every first square up to symmetry, in parallel.

    python benchmarks/large_board.py 9x7 --workers 16 --memory 6 --minutes 9 [--out FILE]

For each first square one second placement that wins is looked for, other colours first. A process takes one pair of
placements at a time; what is found is written to FILE as it is found. Without an answer in time, what was proved is
told.
"""

from __future__ import annotations

import argparse
import json
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from knightfall.native.solve.root_moves import in_order, orbits_of
from knightfall.native.solve.solver import Solver
from knightfall.rules import Geometry, Position

_solver: Solver | None = None


def _solve(task: tuple[str, int, int, int, float]) -> dict[str, Any]:
    global _solver
    board, first, second, memory, deadline = task
    geometry = Geometry.parse(board)
    if _solver is None:
        _solver = Solver(geometry, memory=memory)
    position = Position.start(geometry).play(first).play(second)
    left = deadline - time.time()
    began = time.time()
    won = _solver.verdict(position, ms=max(left, 0.001) * 1e3)
    return {
        "first": geometry.label(first),
        "second": geometry.label(second),
        "mover_wins": won,
        "nodes": _solver.spent,
        "seconds": round(time.time() - began, 1),
        "fill": round(_solver.state().fill, 3),
    }


def main() -> None:
    """Solve the first squares, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("board")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", type=float, default=1.0, help="gigabytes for each process")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--replies", type=int, default=1, help="second placements to try for each first square")
    parser.add_argument("--first", help="only this first square")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    geometry = Geometry.parse(given.board)
    start = Position.start(geometry)
    deadline = time.time() + given.minutes * 60
    tasks = []
    for orbit in orbits_of(start):
        if given.first and geometry.parse_label(given.first) not in orbit:
            continue
        after = start.play(orbit[0])
        for reply in in_order(after, theory=False)[: given.replies]:
            tasks.append((given.board, orbit[0], reply[0], int(given.memory * 2**30), deadline))
    found = []
    with get_context("spawn").Pool(given.workers) as pool:
        for result in pool.imap_unordered(_solve, tasks, chunksize=1):
            found.append(result)
            print(json.dumps(result), flush=True)
            if given.out is not None:
                given.out.write_text("\n".join(json.dumps(line) for line in found) + "\n")
            if given.first and result["mover_wins"] is False:
                pool.terminate()  # one winning reply is enough
                break
    proved = {line["first"] for line in found if line["mover_wins"] is False}
    firsts = {geometry.label(task[1]) for task in tasks}
    print(f"{geometry}: {len(proved)} of {len(firsts)} first squares proved to lose; open: {sorted(firsts - proved)}")


if __name__ == "__main__":
    main()
