"""Looking into ledgers with nothing but sqlite3."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from knightfall.arena.referee import SCORES


def ask(path: Path, question: str, *values: object) -> list[tuple[Any, ...]]:
    """What SQLite answers."""
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        return connection.execute(question, values).fetchall()


def content(path: Path, experiment: int = 1) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Every pair and every game of an experiment, but for how long the moves took."""
    pairs = ask(path, "SELECT * FROM pair WHERE experiment = ? ORDER BY number", experiment)
    games = []
    columns = "pair, game, first, second, moves, winner, reason, message, scores"
    for row in ask(path, f"SELECT {columns} FROM game WHERE experiment = ? ORDER BY pair, game", experiment):
        scores = np.frombuffer(row[-1], SCORES)
        games.append((*row[:-1], scores["nodes"].tolist(), scores["depth"].tolist(), scores["score"].tobytes()))
    return pairs, games


def is_sound(path: Path) -> bool:
    """Whether SQLite finds nothing wrong with the file."""
    return ask(path, "PRAGMA integrity_check") == [("ok",)]
