"""Measure what each heuristic costs in interpreted Python, relative to `improved`: `python benchmarks/costs.py`.

The output is the constant COSTS of `knightfall/lab/replication/costs.py`. The positions are from random games on 7×7.
Each function is timed alternately with `improved`, several times, and the result is the median of the ratios.
"""

from __future__ import annotations

import statistics

import knightfall as kf
from knightfall.catalogue.timing import interpreted_nanoseconds, typical_positions
from knightfall.lab.replication.costs import COSTS

ROUNDS = 7


def main() -> None:
    """Print the entries of the constant."""
    positions = typical_positions(256)
    baseline = kf.heuristics["improved"]
    for text in COSTS:
        made = kf.heuristics[text]
        ratios = []
        for _ in range(ROUNDS):
            theirs = interpreted_nanoseconds(baseline, positions, 0.15)
            ratios.append(interpreted_nanoseconds(made, positions, 0.3) / theirs)
        print(f'    "{text}": {statistics.median(ratios):.3g},', flush=True)


if __name__ == "__main__":
    main()
