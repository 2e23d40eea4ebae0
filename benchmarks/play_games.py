"""Compare the speed of `kf.play` with that of a tournament: `python benchmarks/play_games.py`.

The agents are given as strings. Both play the same number of games in one process, in alternating rounds, and the
best round of each counts. Times are processor time, so that other programs on the machine do not matter.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import knightfall as kf
from knightfall.arena.openings import draw_openings

FIRST, SECOND = "AB5_Improved", "AB5_Open"
PAIRS = 250
ROUNDS = 5


@dataclass(frozen=True)
class Rates:
    """Games per second of processor time."""

    empty: float
    """`kf.play` from the empty board."""
    opened: float
    """`kf.play` from the tournament's openings."""
    tournament: float


def measure(pairs: int = PAIRS, rounds: int = ROUNDS) -> Rates:
    """Play everything once to warm up, then in alternating rounds, and return the best rates."""
    openings = draw_openings(kf.Geometry(7, 7), pairs, seed=1)
    best = [0.0, 0.0, 0.0]
    for number in range(rounds + 1):
        rates = [_plays([None] * pairs), _plays(openings), _tournament(openings)]
        if number > 0:
            best = [max(pair) for pair in zip(best, rates, strict=True)]
    return Rates(*best)


def _plays(openings: list[kf.Position] | list[None]) -> float:
    began = time.process_time()
    for opening in openings:
        kf.play(FIRST, SECOND, opening)
        kf.play(SECOND, FIRST, opening)
    return 2 * len(openings) / (time.process_time() - began)


def _tournament(openings: list[kf.Position]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        kf.tournament([FIRST], [SECOND], openings=openings, workers=0, baseline=None, db=Path(folder) / "ledger.db")
        return 2 * len(openings) / (time.process_time() - began)


def table(rates: Rates) -> str:
    """Return the rates as Markdown."""
    return "\n".join(
        [
            f"| `{FIRST}` against `{SECOND}`, one process | games/s | to the tournament |",
            "|---|---:|---:|",
            f"| `kf.play`, empty board | {rates.empty:,.0f} | {rates.empty / rates.tournament:.2f} |",
            f"| `kf.play`, the tournament's openings | {rates.opened:,.0f} | {rates.opened / rates.tournament:.2f} |",
            f"| `kf.tournament`, ledger included | {rates.tournament:,.0f} | 1.00 |",
        ]
    )


if __name__ == "__main__":
    print(table(measure()))
