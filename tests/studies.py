"""Shared data for tests of tuning: a small truth set, a user's heuristics, a short study in games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from knightfall.lab.truth.sets import shipped_truth, to_text
from knightfall.lab.tuning.study import Study
from knightfall.lab.tuning.tune import tune

CENTRAL = "central_mobility(peak=?, opponent=?)"

MINE = """
import knightfall as kf


@kf.heuristic(ranges={"weight": (-2.0, 2.0)})
def weighted(game, player, weight=1.0, free=1.0):
    return weight * len(game.get_legal_moves(player))


def idle(game, player, nothing=0.5):
    return float(len(game.get_legal_moves(player))) + 0.0 * nothing


def lottery(game, player, ticket=0):
    row, column = game.get_player_location(player)
    return float((row * 31 + column * 17 + ticket * ticket * 7 + ticket * row * column) % 101)


def brittle(game, player, divisor=2):
    return len(game.get_legal_moves(player)) / divisor
"""


def write_folder(path: Path) -> Path:
    """Write a small truth set of late positions, and a file of heuristics."""
    late = [entry for entry in shipped_truth("7x7") if entry.position.ply >= 24 and entry.is_critical]
    (path / "truth.txt").write_text(to_text(late[::8], "7x7"))
    (path / "mine.py").write_text(MINE)
    return path


def games(text: str = CENTRAL, start: str = "", **options: Any) -> Study:
    """Run a study in games that is as small as possible."""
    wanted: dict[str, Any] = {"against": "Random; MM_Open", "pairs": 4, "confirm": 10, "nodes": 40, "workers": 0}
    return tune(text, "tournament", start=start, **{**wanted, "trials": 6, **options})
