"""Run the torture suite and print its table: `python tests/torture/run.py --help`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from torture.suite import Outcome, load, names, try_one


def main() -> int:
    """Return 0 if every promise was kept, 1 if not."""
    parser = argparse.ArgumentParser(description="Provoke faults at random and count what survives.")
    parser.add_argument("kinds", nargs="*", choices=[*names(), []], help="kinds of faults (default: all)")
    parser.add_argument("--tries", type=int, help="tries of each kind (default: as in docs/reliability.md)")
    parser.add_argument("--seed", type=int, default=1, help="another seed provokes other faults (default: 1)")
    arguments = parser.parse_args()
    outcomes = []
    print("| fault | tries | survived | promise |\n|---|---:|---:|---|", flush=True)
    for name in arguments.kinds or names():
        tries = load(name).FULL if arguments.tries is None else arguments.tries
        with tempfile.TemporaryDirectory(prefix="knightfall-torture-") as folder:
            outcome = try_one(name, tries, arguments.seed, Path(folder))
        print(row(outcome), flush=True)
        print(f"{name}: {outcome.seconds:.0f} s", file=sys.stderr)
        outcomes.append(outcome)
    broken = [f"{outcome.name}: {line}" for outcome in outcomes for line in outcome.broken]
    for line in broken:
        print(line, file=sys.stderr)
    return 1 if broken else 0


def row(outcome: Outcome) -> str:
    """Return the row of the table for one kind of fault."""
    return f"| {outcome.title} | {outcome.tries} | {outcome.survived} | {outcome.promise} |"


if __name__ == "__main__":
    sys.exit(main())
