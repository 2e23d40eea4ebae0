"""Run every benchmark and write RESULTS.md beside this file: `make bench`."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path

import llvmlite
import numba
import play_games

from knightfall import __version__
from knightfall.arena.fingerprint import processor
from knightfall.bench import arena, heuristics, perft, search, signature, solver, startup

HEAD = """\
# Benchmark results

Made by `make bench` (which runs `benchmarks/run.py`); `knightfall bench` prints the same tables. Machines are noisy and
differ: the **ratios** are what counts, each taken between the best of alternating runs in one process.

{machine}
"""


def main() -> None:
    """Run all benchmarks and write the file."""
    machine = (
        f"{datetime.date.today().isoformat()}, knightfall {__version__}, {platform.system()} on {processor()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, Numba {numba.__version__}, "
        f"llvmlite {llvmlite.__version__}."
    )
    parts = [
        HEAD.format(machine=machine),
        "## Perft\n\nLeaves of the game tree per second, the last ply counted in bulk; aims: 1,000× plain Python "
        "(`rules/`), 0.7× C.\n\n" + perft.table(perft.measure()) + "\n",
        "## Heuristics\n\nPer call, over 64 positions of random play on 7×7, compiled and by the interpreted twin. The "
        "tree-counting ones are stopped at 10,000 ticks. First compilation in a process that has compiled one before. "
        "Aims: median ratio 300×, `improved` 1.3× the time of C, 2 s to compile.\n\n"
        + heuristics.table(heuristics.measure())
        + "\n",
        "## Search\n\nAims: 500× plain Python, 0.8× C (at the least 0.7×), Monte Carlo 300× plain Python, two threads "
        "1.8×, at most 2 ms beyond the budget in 999 of 1,000 moves.\n\n" + search.table(search.measure()) + "\n",
        "## Signature\n\nThe nodes of fixed agents on fixed positions, the same on every machine.\n\n"
        + signature.table(signature.nodes_by_agent())
        + "\n",
        "## Solver\n\nAims: win/loss at ply 2 in 300 ms and at ply 10 in 5 ms (median), the empty 7×7 board in 20 s, "
        "8×8 at ply 10 in 2 s, 0.8× C.\n\n" + solver.table(solver.measure()) + "\n",
        "## Arena\n\nAims: two workers 0.9 of twice one, the ledger under 3 % of the time, 300× plain Python.\n\n"
        + arena.table(arena.measure())
        + "\n",
        "## Single games\n\nAgents given as strings, in processor time (`benchmarks/play_games.py`). Aim: `kf.play` "
        "1,000 games/s.\n\n" + play_games.table(play_games.measure()) + "\n",
        "## Start\n\nAim: at most 2.5×.\n\n" + startup.table(startup.measure()) + "\n",
    ]
    text = "\n".join(parts)
    (Path(__file__).parent / "RESULTS.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
