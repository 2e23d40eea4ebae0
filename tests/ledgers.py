"""Reading ledgers with sqlite3 only."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from knightfall.arena.plan import Matchup, Plan, configuration_key
from knightfall.arena.referee import SCORES

CRASH = "reason = 'crash', moves = substr(moves, 1, length(moves) - 6), scores = substr(scores, 1, length(scores) - 34)"
"""The SQL assignments by which a game on a small board ends two moves earlier, with a crash of the same loser."""


def ask(path: Path, question: str, *values: object) -> list[tuple[Any, ...]]:
    """Return the answer of SQLite."""
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        return connection.execute(question, values).fetchall()


def content(path: Path, experiment: int = 1) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return every pair and every game of an experiment, without the times of moves."""
    pairs = ask(path, "SELECT * FROM pair WHERE experiment = ? ORDER BY number", experiment)
    games = []
    columns = "pair, game, first, second, moves, winner, reason, message, scores"
    for row in ask(path, f"SELECT {columns} FROM game WHERE experiment = ? ORDER BY pair, game", experiment):
        scores = np.frombuffer(row[-1], SCORES)
        games.append((*row[:-1], scores["nodes"].tolist(), scores["depth"].tolist(), scores["score"].tobytes()))
    return pairs, games


def is_sound(path: Path) -> bool:
    """Return whether SQLite finds no error in the file."""
    return ask(path, "PRAGMA integrity_check") == [("ok",)]


def rename(path: Path, old: str, new: str) -> None:
    """Rename a player everywhere in a ledger, with matching keys and ids."""
    with closing(sqlite3.connect(path)) as connection:
        for table, column in (("pair", "candidate"), ("pair", "opponent"), ("game", "first"), ("game", "second")):
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", [new, old])
        for number, told in connection.execute("SELECT id, configuration FROM experiment").fetchall():
            changed = told.replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1])
            connection.execute("UPDATE experiment SET configuration = ? WHERE id = ?", [changed, number])
        connection.commit()
    make_keys(path)


def make_keys(path: Path) -> None:
    """Compute the keys of configurations and the ids of pairs again, as somebody does who edits a ledger with care."""
    with closing(sqlite3.connect(path)) as connection:
        for number, told in connection.execute("SELECT id, configuration FROM experiment").fetchall():
            changed = json.loads(told)
            changed["key"] = configuration_key(changed)
            text = json.dumps(changed, ensure_ascii=False)
            connection.execute("UPDATE experiment SET configuration = ? WHERE id = ?", [text, number])
            plan = Plan.from_configuration(changed, ())
            pairs = "SELECT number, candidate, opponent, opening FROM pair WHERE experiment = ?"
            for pair, candidate, opponent, opening in connection.execute(pairs, [number]).fetchall():
                identity = plan.pair_id(Matchup(candidate, opponent), opening)
                connection.execute(
                    "UPDATE pair SET id = ? WHERE experiment = ? AND number = ?", [identity, number, pair]
                )
        connection.commit()
