"""Run every benchmark and write RESULTS.md beside this file: `make bench`."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path

import llvmlite
import numba

from knightfall import __version__
from knightfall.bench import heuristics, perft, startup

HEAD = """\
# Benchmark results

Made by `make bench` (which runs `benchmarks/run.py`); `knightfall bench` prints the same tables. Machines are noisy and
differ: the **ratios** are what counts, each taken between the best of alternating runs in one process.

{machine}
"""


def processor() -> str:
    """The processor's name, where the system tells it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def main() -> None:
    """Measure all and write the file."""
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
        "## Start\n\nAim: at most 2.5×.\n\n" + startup.table(startup.measure()) + "\n",
    ]
    text = "\n".join(parts)
    (Path(__file__).parent / "RESULTS.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
