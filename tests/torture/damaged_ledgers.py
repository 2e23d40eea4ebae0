"""Ledgers are damaged at random: bytes of the file, its length, and the data in its rows."""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import sqlite3
import traceback
import warnings
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from ledger_damages import DAMAGES, damage
from tournaments import hold

from knightfall.arena.ledger import Ledger
from knightfall.cli import main

TITLE = "damaged ledgers"
PROMISE = "no traceback; every changed game, score, opening, seed is found by `experiments verify`; no wrong result"
FULL = 300
REDUCED = 30

_COMMANDS = (
    ["experiments"],
    ["experiments", "1", "--json"],
    ["experiments", "verify"],
    ["games", "--experiment", "all", "--json"],
    ["games", "2/1/1"],
    ["report", "--markdown"],
    ["tournament", "--experiment", "1", "--json"],
    ["tournament", "--resume", "--workers", "0", "--json"],
)
_CHECKED = {
    "experiment": "id, seed",
    "pair": "experiment, number, id, opening_number, candidate, opponent, opening, state, score",
    "game": "experiment, pair, game, first, second, moves, winner, reason",
}
_LISTED = ("id", "candidate", "opponent", "opening", "first", "second", "winner", "reason")


def torture(tries: int, chance: random.Random, folder: Path) -> list[str]:
    """Damage copies of one ledger, and read them with every command that reads ledgers."""
    good = folder / "good.db"
    for seed in (1, 2):
        hold("open", panel=["Random", "greedy(open)"], pairs=10, nodes=40, baseline=None, db=good, seed=seed)
    complete = [json.loads(_run(["tournament", "--experiment", str(number), "--json"], good)[1]) for number in (1, 2)]
    _unfinish(good)
    with closing(sqlite3.connect(good)) as connection:  # move everything into one file
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    expected = _Expected(good, {result["run"]["experiment"]: result["matches"] for result in complete})
    path = folder / "damaged.db"
    shutil.copy(good, path)
    broken = [f"undamaged: {problem}" for problem in expected.problems(path, None)]
    for number in range(tries):
        shutil.copy(good, path)
        name = _damage(path, chance)
        problems = expected.problems(path, name)
        if problems:
            broken.append(f"try {number}, {name}: {'; '.join(problems)}")
        for file in folder.glob("damaged*"):
            file.unlink()
    return broken


def _unfinish(path: Path) -> None:
    """Reset the second experiment to the state in which half of it was played."""
    with Ledger(path) as ledger, ledger._transaction() as connection:
        connection.execute("UPDATE experiment SET ended = NULL WHERE id = 2")
        connection.execute("DELETE FROM game WHERE experiment = 2 AND pair >= 10")
        connection.execute("UPDATE pair SET state = 'planned', score = NULL WHERE experiment = 2 AND number >= 10")


def _damage(path: Path, chance: random.Random) -> str:
    """Damage a ledger, and return the name of the damage.

    Damages whose name begins with "row" change the data, and must be found.
    """
    if chance.random() < 0.5:
        name = chance.choice(list(DAMAGES))
        damage(path, DAMAGES[name], chance)
        return f"row: {name}"
    content = bytearray(path.read_bytes())
    at = chance.randrange(len(content))
    kind = chance.choice(["flips", "flips", "flips", "zeros", "cut", "page"])
    if kind == "flips":
        for _ in range(chance.choice([1, 2, 8, 64])):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    elif kind == "zeros":
        length = chance.randrange(1, 5_000)
        content[at : at + length] = bytes(min(length, len(content) - at))
    elif kind == "page":
        other = chance.randrange(len(content) // 4096) * 4096
        content[at // 4096 * 4096 :][:4096] = content[other : other + 4096]
    else:
        del content[at:]
    path.write_bytes(content)
    return f"file: {kind}"


class _Expected:
    """The output that commands may print."""

    def __init__(self, good: Path, matches: dict[int, Any]) -> None:
        self.matches = matches
        self.rows = _rows(good)
        told = json.loads(_run(["games", "--experiment", "all", "--json"], good)[1])
        self.games = {game["id"]: [game[name] for name in _LISTED] for game in told["games"]}

    def problems(self, path: Path, name: str | None) -> list[str]:
        """Run every command on a ledger, and return a line for each broken promise."""
        rows = _rows(path)
        found = []
        for command in _COMMANDS:
            code, out, errors = _run(command, path)
            words = " ".join(command)
            if "Traceback" in errors:
                found.append(f"{words}: {errors[-300:]!r}")
            elif code not in (0, 2) and not (code == 1 and "verify" in command):
                found.append(f"{words}: exit code {code}")
            elif code == 2 and not errors.splitlines()[-1].startswith(("knightfall: ", '{"format"')):
                found.append(f"{words}: {errors!r}")
            elif code == 0:
                untrue = self._untrue(command, out, rows, name)
                # A list of games may contain doubtful ones after a warning.
                found += (f"{words}: {line}" for line in untrue if "games" not in command or "warning: " not in errors)
        return found

    def _untrue(self, command: list[str], out: str, rows: Any, name: str | None) -> list[str]:
        """Check the output of a command that reported no error."""
        if "verify" in command:
            if name is not None and name.startswith("row"):
                return ["the damage was not found"]
            return [] if rows == self.rows else ["a difference was not found"]
        if command[0] == "games" and "--json" in command:
            listed = {game["id"]: [game[name] for name in _LISTED] for game in json.loads(out)["games"]}
            return [f"{game} is {told}" for game, told in listed.items() if self.games.get(game) != told][:1]
        if command[0] == "tournament":
            result = json.loads(out)
            number = result["run"]["experiment"]
            if result["matches"] != self.matches.get(number):
                return [f"wrong result of experiment {number}"]
        return []


def _rows(path: Path) -> Any:
    """Return everything that `experiments verify` checks, as SQLite reads it, or None if it cannot."""
    found = []
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
            for table, columns in _CHECKED.items():
                found.append(connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2, 3").fetchall())
            configurations = connection.execute("SELECT configuration FROM experiment ORDER BY id").fetchall()
            return [*found, [json.loads(told) for [told] in configurations]]
    except (sqlite3.Error, ValueError, RecursionError, TypeError):
        return None


def _run(command: list[str], path: Path) -> tuple[int, str, str]:
    """Run a command in this process, and return its exit code and output."""
    out, errors = io.StringIO(), io.StringIO()
    code = -1
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors), warnings.catch_warnings():
        warnings.simplefilter("default")
        try:
            code = main([*command, "--db", str(path)])
        except BaseException:
            errors.write(traceback.format_exc())
    return code, out.getvalue(), errors.getvalue()
