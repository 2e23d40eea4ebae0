"""How long a new user waits: each command with an empty cache of machine code, and again.

    python benchmarks/first_contact.py [--runs N] [COMMAND...]

Prints a Markdown table. "wall" is what a stopwatch shows and depends on what else the machine does; "CPU" is the
processor time of all processes of a command. With --runs, the median of several runs is taken. Byte code is written as
an installed package has it; only Knightfall's own cache is emptied.
"""

from __future__ import annotations

import argparse
import os
import pty
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

KNIGHTFALL = [sys.executable, "-m", "knightfall"]
POSITION = "7/2*1*2/1*1N3/7/3n*2/2*4/7 w"
TOURNAMENT = "tournament open --panel Random --pairs 5 --nodes 100 --baseline none --db t.db"
OWN = "def custom_score(game, player):\n    return float(len(game.get_legal_moves(player)))\n"


@dataclass(frozen=True)
class Case:
    """A command and its typed input."""

    arguments: list[str]
    typed: str = ""


CASES = {
    "play, one move and quit": Case(["play"], "d4\nquit\n"),
    "analyze": Case(["analyze", POSITION]),
    "tournament, 5 pairs": Case(TOURNAMENT.split()),
    "tournament, own file": Case(TOURNAMENT.replace("open", "my.py", 1).split()),
    "heuristics": Case(["heuristics"]),
    "solve --board 5x5": Case(["solve", "--board", "5x5"]),
    "perft 3": Case(["perft", "3"]),
}


@dataclass(frozen=True)
class Times:
    """Seconds of one run."""

    wall: float
    cpu: float


def measure(case: Case, folder: Path, cache: Path) -> Times:
    """Run a command once, in a folder without a ledger."""
    (folder / "t.db").unlink(missing_ok=True)
    (folder / "my.py").write_text(OWN)
    env = {**os.environ, "KNIGHTFALL_CACHE_DIR": str(cache)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [*KNIGHTFALL, *case.arguments],
        input=case.typed,
        text=True,
        capture_output=True,
        check=True,
        env=env,
        cwd=folder,
    )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Times(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def at_terminal(cache: Path) -> tuple[float, float]:
    """Return the seconds until `knightfall play` asks for a move at a terminal, and from the move to its answer."""
    env = {**os.environ, "KNIGHTFALL_CACHE_DIR": str(cache), "TERM": "xterm"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    ours, theirs = pty.openpty()
    began = time.perf_counter()
    with subprocess.Popen([*KNIGHTFALL, "play"], stdin=theirs, stdout=theirs, stderr=theirs, env=env) as process:
        os.close(theirs)
        moments = []
        shown = b""
        for awaited, answer in ((b"to move>", b"d4\n"), (b"second plays", b"")):
            while awaited not in shown:
                shown += os.read(ours, 4096)
            moments.append(time.perf_counter())
            os.write(ours, answer)
        process.kill()
    os.close(ours)
    return moments[0] - began, moments[1] - moments[0]


def answers(runs: int) -> list[float]:
    """Return the median times at a terminal: board and answer with an empty cache, then both with a filled cache."""
    found = []
    for _ in range(runs):
        # The killed process may still write files, which must not prevent the removal of the folder.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            cold = at_terminal(Path(folder))
            measure(CASES["play, one move and quit"], Path(folder), Path(folder))
            found.append((*cold, *at_terminal(Path(folder))))
    return [statistics.median(column) for column in zip(*found, strict=True)]


def measured(case: Case, runs: int) -> tuple[Times, Times]:
    """Return the median times with an empty cache, and with a filled cache."""
    cold, warm = [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
            cold.append(measure(case, Path(folder), Path(cache)))
            warm.append(measure(case, Path(folder), Path(cache)))
    return _median(cold), _median(warm)


def _median(times: list[Times]) -> Times:
    return Times(statistics.median(t.wall for t in times), statistics.median(t.cpu for t in times))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help="Beginnings of the names in the table")
    parser.add_argument("--runs", type=int, default=1)
    given = parser.parse_args()
    subprocess.run([*KNIGHTFALL, "--version"], check=True, capture_output=True)
    load = os.getloadavg()[0]
    print(f"{len(os.sched_getaffinity(0))} cores, load {load:.1f} before the first command\n")
    print("| command | cold, wall | cold, CPU | warm, wall | warm, CPU |")
    print("|---|---:|---:|---:|---:|")
    for name, case in CASES.items():
        if not given.commands or any(name.startswith(command) for command in given.commands):
            cold, warm = measured(case, given.runs)
            row = " | ".join(f"{seconds:.1f} s" for seconds in (cold.wall, cold.cpu, warm.wall, warm.cpu))
            print(f"| `{name}` | {row} |", flush=True)
    if not given.commands or "play" in given.commands:
        print("\n| `play` at a terminal | cold | warm |\n|---|---:|---:|")
        board, answer, board_again, answer_again = answers(given.runs)
        print(f"| the board is shown after | {board:.1f} s | {board_again:.1f} s |")
        print(f"| the first answer comes, after the move | {answer:.1f} s | {answer_again:.1f} s |")


if __name__ == "__main__":
    main()
