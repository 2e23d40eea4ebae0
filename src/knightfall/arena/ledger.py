"""The ledger: one SQLite file that holds planned pairs and finished games, and survives whatever happens.

Every pair is planned before it is played, and both its games are written in one transaction. WAL with synchronous=FULL:
what was committed is there after a power cut; what was not is played again.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knightfall.arena.plan import Matchup, Plan, PlannedPair
from knightfall.arena.play import GameRow, PairResult
from knightfall.rules import KnightfallError

VERSION = 1
APPLICATION = 0x4B6E4661  # "KnFa"
MEMORY = Path(":memory:")
BUSY_SECONDS = 10.0

_SCHEMA = """
CREATE TABLE experiment (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    begun TEXT NOT NULL,
    ended TEXT,
    seed TEXT NOT NULL,
    configuration TEXT NOT NULL,
    code TEXT NOT NULL,
    machine TEXT NOT NULL,
    command TEXT NOT NULL,
    player TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE pair (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    opening_number INTEGER NOT NULL,
    candidate TEXT NOT NULL,
    opponent TEXT NOT NULL,
    opening TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'done', 'left out', 'not needed')),
    score REAL,
    note TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (experiment, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE game (
    experiment INTEGER NOT NULL,
    pair INTEGER NOT NULL,
    game INTEGER NOT NULL CHECK (game IN (1, 2)),
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    moves TEXT NOT NULL,
    winner INTEGER NOT NULL CHECK (winner IN (1, 2)),
    reason TEXT NOT NULL,
    message TEXT NOT NULL,
    seconds REAL NOT NULL,
    scores BLOB NOT NULL,
    PRIMARY KEY (experiment, pair, game),
    FOREIGN KEY (experiment, pair) REFERENCES pair (experiment, number)
) STRICT, WITHOUT ROWID;
"""

_WORDS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_BUSY: "it is locked by another process",
    sqlite3.SQLITE_LOCKED: "it is locked by another process",
    sqlite3.SQLITE_READONLY: "it cannot be written",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_NOTADB: "it is not a ledger: not even an SQLite database",
    sqlite3.SQLITE_CORRUPT: "it is damaged: SQLite finds no sense in it",
    sqlite3.SQLITE_IOERR: "the disk cannot be read or written",
}


class LedgerError(KnightfallError):
    """A ledger that cannot be read or written; described in one line."""


@dataclass(frozen=True)
class Experiment:
    """One experiment of a ledger."""

    id: int
    name: str
    begun: str
    ended: str | None
    configuration: dict[str, Any]
    code: dict[str, Any]
    machine: dict[str, Any]
    command: str
    player: str
    """The process that is playing it, or was when it died."""

    @property
    def seed(self) -> int:
        return int(self.configuration["seed"])


@dataclass(frozen=True)
class PairRow:
    """One pair of a ledger with what came of it."""

    number: int
    id: str
    opening_number: int
    matchup: Matchup
    opening: str
    state: str
    score: float | None
    note: str


class Ledger:
    """An open ledger. Use it in a ``with``, or close it."""

    def __init__(self, path: Path | None = None, *, create: bool = True) -> None:
        if path == MEMORY:
            raise LedgerError("a ledger is a file: in :memory: everything would be lost")
        self.path = MEMORY if path is None else path
        self._connection = self._open(create)

    def _open(self, create: bool) -> sqlite3.Connection:
        in_memory = self.path == MEMORY
        if not in_memory:
            if not create and not self.path.exists():
                raise LedgerError(f"{self.path}: there is no such ledger")
            if not create and self.path.is_file() and self.path.stat().st_size == 0:
                raise LedgerError(f"{self.path}: it is empty, not a ledger")
            if self.path.is_dir():
                raise LedgerError(f"{self.path}: it is a folder, not a ledger")
            if not self.path.parent.is_dir():
                raise LedgerError(f"{self.path}: there is no folder {self.path.parent}")
        if not create and not os.access(self.path.parent, os.W_OK):
            return self._open_for_reading()
        with self._plainly():
            connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    def _open_for_reading(self) -> sqlite3.Connection:
        """A ledger in a folder where nothing can be written, not even SQLite's own files."""
        with self._plainly():
            address = f"{self.path.resolve().as_uri()}?mode=ro&immutable=1"
            connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
            try:
                self._check(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> bool:
        """Whether there is something in it; an error where that is not a ledger of ours."""
        [application], [version] = (
            connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
        )
        [tables] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application != APPLICATION and tables:
            raise LedgerError(f"{self.path}: it is an SQLite database, but not a ledger")
        if version > VERSION:
            raise LedgerError(
                f"{self.path}: it was written by a newer Knightfall (format {version}; this one knows {VERSION})"
            )
        return bool(tables)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        has_tables = self._check(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        # What is committed is safe in the log; moving it into the file itself can wait, and costs less all at once.
        connection.execute("PRAGMA wal_autocheckpoint = 8000")
        if not has_tables:
            connection.executescript(
                f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA application_id = {APPLICATION}; "
                f"PRAGMA user_version = {VERSION}; COMMIT;"
            )

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. What was not committed is not in it."""
        # A full disk may keep SQLite from tidying up; the next to open the ledger does it.
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()

    @contextlib.contextmanager
    def _plainly(self) -> Iterator[None]:
        """SQLite's errors in one plain line."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            told = _WORDS.get(code, str(error))
            raise LedgerError(f"{self.path}: {told}") from None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._plainly():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk may have rolled it back already.
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    def _all(self, question: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._plainly():
            return self._connection.execute(question, values).fetchall()

    def rows(self, question: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """What the database answers to a question, row by row."""
        with self._plainly():
            # Not "yield from": a reader that stops half way would close the cursor, perhaps after the ledger.
            for row in self._connection.execute(question, values):  # noqa: UP028
                yield row

    # --- experiments

    def begin(
        self, plan: Plan, code: Mapping[str, Any], machine: Mapping[str, Any], name: str = "", command: str = ""
    ) -> int:
        """Write down a new experiment and every pair of it; its number."""
        with self._transaction() as connection:
            row = (
                name,
                _now(),
                str(plan.seed),
                _json(plan.configuration()),
                _json(code),
                _json(machine),
                command,
                this_process(),
            )
            cursor = connection.execute(
                "INSERT INTO experiment (name, begun, seed, configuration, code, machine, command, player)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            experiment = cursor.lastrowid
            assert experiment is not None
            connection.executemany(
                "INSERT INTO pair (experiment, number, id, opening_number, candidate, opponent, opening)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (experiment, p.number, p.id, p.opening_number, p.matchup.candidate, p.matchup.opponent, p.opening)
                    for p in plan.pairs()
                ),
            )
        return experiment

    def experiments(self) -> list[Experiment]:
        """All experiments, oldest first."""
        question = (
            "SELECT id, name, begun, ended, configuration, code, machine, command, player FROM experiment ORDER BY id"
        )
        return [
            Experiment(
                row[0],
                row[1],
                row[2],
                row[3],
                json.loads(row[4]),
                json.loads(row[5]),
                json.loads(row[6]),
                row[7],
                row[8],
            )
            for row in self._all(question)
        ]

    def experiment(self, number: int) -> Experiment:
        """One experiment; an error where there is none of that number."""
        found = self.experiments()
        for experiment in found:
            if experiment.id == number:
                return experiment
        known = ", ".join(str(experiment.id) for experiment in found[-10:]) or "none"
        raise LedgerError(f"{self.path}: there is no experiment {number}; there is {known}")

    def last_unfinished(self) -> Experiment | None:
        """The youngest experiment with pairs left to play."""
        unfinished = [experiment for experiment in self.experiments() if experiment.ended is None]
        return unfinished[-1] if unfinished else None

    def plan(self, experiment: Experiment) -> Plan:
        """The plan of an experiment."""
        rows = self._all(
            "SELECT opening FROM pair WHERE experiment = ? GROUP BY opening_number ORDER BY opening_number",
            [experiment.id],
        )
        return Plan.from_configuration(experiment.configuration, tuple(row[0] for row in rows))

    def claim(self, experiment: Experiment) -> None:
        """Say that this process plays the experiment from now on; an error where another one does."""
        if is_alive(experiment.player) and experiment.player != this_process():
            process = experiment.player.split()[0]
            raise LedgerError(f"{self.path}: experiment {experiment.id} is being played by process {process}")
        with self._transaction() as connection:
            connection.execute("UPDATE experiment SET player = ? WHERE id = ?", [this_process(), experiment.id])

    def leave(self, experiment: int) -> None:
        """Say that nobody plays it now."""
        with self._transaction() as connection:
            connection.execute("UPDATE experiment SET player = '' WHERE id = ?", [experiment])

    def end(self, experiment: int, not_needed: Iterable[int] = ()) -> None:
        """Write down that an experiment is finished; the pairs that a sequential test does not need are struck out.

        Some of these may have been played ahead by other workers: what is left must not depend on how many there were.
        """
        with self._transaction() as connection:
            for number in not_needed:
                connection.execute("DELETE FROM game WHERE experiment = ? AND pair = ?", [experiment, number])
                connection.execute(
                    "UPDATE pair SET state = 'not needed', score = NULL, note = '' WHERE experiment = ? AND number = ?",
                    [experiment, number],
                )
            connection.execute("UPDATE experiment SET ended = ?, player = '' WHERE id = ?", [_now(), experiment])

    # --- pairs and games

    def write(self, experiment: int, results: Iterable[PairResult]) -> None:
        """Write finished pairs, all of them or none."""
        pairs = []
        games: list[tuple[object, ...]] = []
        for result in results:
            pairs.append((result.score, experiment, result.number))
            games += [(experiment, result.number, *game) for game in result.games]
        with self._transaction() as connection:
            changed = connection.executemany(
                "UPDATE pair SET state = 'done', score = ? WHERE experiment = ? AND number = ? AND state = 'planned'",
                pairs,
            ).rowcount
            if changed != len(pairs):
                raise LedgerError(f"{self.path}: experiment {experiment} is being played by another process as well")
            connection.executemany("INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", games)

    def leave_out(self, experiment: int, numbers: Iterable[int], note: str) -> None:
        """Write down that pairs cannot be played, and why."""
        with self._transaction() as connection:
            connection.executemany(
                "UPDATE pair SET state = 'left out', note = ? WHERE experiment = ? AND number = ?",
                [(note, experiment, number) for number in numbers],
            )

    def retry(self, experiment: int) -> None:
        """Plan the pairs again that were left out, and those that a sequential test did without in their matches."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE pair SET state = 'planned', note = ''"
                " WHERE experiment = ? AND state IN ('left out', 'not needed') AND (candidate, opponent) IN"
                " (SELECT candidate, opponent FROM pair WHERE experiment = ? AND state = 'left out')",
                [experiment, experiment],
            )
            connection.execute("UPDATE experiment SET ended = NULL WHERE id = ?", [experiment])

    def last_with_pairs_left_out(self) -> Experiment | None:
        """The youngest experiment with pairs that could not be played."""
        rows = self._all("SELECT max(experiment) FROM pair WHERE state = 'left out'")
        return None if rows[0][0] is None else self.experiment(int(rows[0][0]))

    def pairs(self, experiment: int) -> list[PairRow]:
        """Every pair in the order of the schedule."""
        question = (
            "SELECT number, id, opening_number, candidate, opponent, opening, state, score, note FROM pair"
            " WHERE experiment = ? ORDER BY number"
        )
        return [
            PairRow(row[0], row[1], row[2], Matchup(row[3], row[4]), *row[5:])
            for row in self._all(question, [experiment])
        ]

    def planned(self, experiment: int) -> list[PlannedPair]:
        """The pairs that are still to be played."""
        return [
            PlannedPair(pair.number, pair.id, pair.opening_number, pair.matchup, pair.opening)
            for pair in self.pairs(experiment)
            if pair.state == "planned"
        ]

    def games(self, experiment: int) -> Iterator[tuple[int, GameRow]]:
        """Every finished game with the number of its pair, in the order of the schedule."""
        question = (
            "SELECT pair, game, first, second, moves, winner, reason, message, seconds, scores FROM game"
            " WHERE experiment = ? ORDER BY pair, game"
        )
        with self._plainly():
            for row in self._connection.execute(question, [experiment]):
                yield row[0], GameRow(*row[1:])

    def counts(self, experiment: int) -> dict[str, int]:
        """How many pairs are in each state."""
        rows = self._all("SELECT state, count(*) FROM pair WHERE experiment = ? GROUP BY state", [experiment])
        return {str(state): int(count) for state, count in rows}


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def this_process() -> str:
    """This process by a name that no later one has: its number and when it began."""
    return f"{os.getpid()} {_began(os.getpid())}"


def is_alive(process: str) -> bool:
    """Whether a process of that name runs on this machine."""
    number, _, began = process.partition(" ")
    return bool(number) and began != "" and _began(int(number)) == began


def _began(process: int) -> str:
    """When a process began, in the system's own units; nothing where that cannot be told."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()[:8]
    # The name, in brackets, may hold spaces; the state is the first word after it, the beginning the twentieth.
    words = stat.rpartition(")")[2].split()
    return "" if words[0] == "Z" else f"{boot}-{words[19]}"
