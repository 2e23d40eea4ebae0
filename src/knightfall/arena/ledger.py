"""The ledger: one SQLite file with planned pairs and finished games, safe against crashes and power cuts.

Every pair is planned before it is played, and both its games are written in one transaction. With WAL and
synchronous=FULL, committed data survives a power cut; everything else is played again.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import sqlite3
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from knightfall.arena.ledger_checks import game_problems, one_line, pair_problems, plan_of
from knightfall.arena.ledger_files import ReadOnly, can_be_written, identity, rescue
from knightfall.arena.ledger_rows import (
    EXPERIMENT_COLUMNS,
    GAME_COLUMNS,
    PAIR_COLUMNS,
    STATES,
    RowError,
    read_experiment,
    read_game,
    read_pair,
    shown,
)
from knightfall.arena.ledger_rows import Experiment as Experiment
from knightfall.arena.ledger_rows import LedgerError as LedgerError
from knightfall.arena.ledger_rows import PairRow as PairRow
from knightfall.arena.plan import Plan, PlannedPair
from knightfall.arena.play import GameRow, PairResult
from knightfall.rules.errors import WorkFailed
from knightfall.rules.files import file_path
from knightfall.rules.printable import printable

VERSION = 1
APPLICATION = 0x4B6E4661  # "KnFa"
MEMORY = Path(":memory:")
BUSY_SECONDS = 10.0
_DIGITS = 10  # maximum number of digits of a process id

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


class LedgerMoved(LedgerError, WorkFailed):
    """A ledger was deleted, moved or replaced while in use; its content was saved to another file."""


class LedgerWarning(UserWarning):
    """A damaged experiment of a ledger was skipped."""


class Ledger:
    """An open ledger. Use it in a ``with`` statement, or close it."""

    def __init__(self, path: Path | None = None, *, create: bool = True) -> None:
        if path == MEMORY:
            raise LedgerError("a ledger is a file: in :memory: everything would be lost")
        self.path = MEMORY if path is None else file_path(path)
        self.moved_from: Path | None = None
        """The original path of a ledger that was moved and rescued; None if that did not happen."""
        self._read_only: ReadOnly | None = None
        self._connection = self._open(create)
        self._identity = None if self.path == MEMORY else identity(self.path)

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
        with self._plainly():
            if not create and not can_be_written(self.path):
                self._read_only = ReadOnly(self.path)
                connection = self._read_only.connection
            else:
                connection = sqlite3.connect(
                    self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
                )
            try:
                # Bytes that are not UTF-8 are decoded as in file names, and each such row is rejected later.
                connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
                self._prepare(connection, create)
            except BaseException:
                connection.close()
                if self._read_only is not None:
                    self._read_only.close()
                raise
        return connection

    def _has_tables(self, connection: sqlite3.Connection) -> bool:
        """Return whether the database has tables; raise LedgerError if it is not a valid ledger.

        Call this in a transaction, because another process may be creating the ledger.
        """
        [application], [version] = (
            connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
        )
        [tables] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application != APPLICATION and (tables or application):
            raise LedgerError(f"{self.path}: it is an SQLite database, but not a ledger")
        if version > VERSION:
            raise LedgerError(
                f"{self.path}: it was written by a newer Knightfall (format {version}; this one knows {VERSION})"
            )
        if tables and version < VERSION:
            raise LedgerError(f"{self.path}: it is damaged: format {version} does not exist; {VERSION} expected")
        return bool(tables)

    def _prepare(self, connection: sqlite3.Connection, create: bool) -> None:
        connection.execute("BEGIN")
        has_tables = self._has_tables(connection)
        connection.execute("COMMIT")
        if not create and not has_tables:
            raise LedgerError(f"{self.path}: it is empty, not a ledger")
        if self._read_only is not None:
            return
        connection.execute("PRAGMA foreign_keys = ON")
        self._use_log(connection)
        connection.execute("PRAGMA synchronous = FULL")
        # Committed data is safe in the log. Moving it to the file can wait, and is cheaper in large portions.
        connection.execute("PRAGMA wal_autocheckpoint = 8000")
        if not has_tables:
            self._make_tables(connection)

    def _use_log(self, connection: sqlite3.Connection) -> None:
        """Switch to a write-ahead log. SQLite does not wait for other processes here, so this retries."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return

    def _make_tables(self, connection: sqlite3.Connection) -> None:
        """Create the tables, unless another process has created them in the meantime."""
        connection.execute("BEGIN IMMEDIATE")
        if not self._has_tables(connection):
            for statement in _SCHEMA.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; uncommitted data is discarded."""
        # A full disk may prevent SQLite's cleanup; it is done when the ledger is next opened.
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()
        if self._read_only is not None:
            self._read_only.close()

    def stay_in_place(self) -> None:
        """Detect that the file was deleted, moved or replaced; continue in a new file with the complete content."""
        if self.path == MEMORY or identity(self.path) == self._identity:
            return
        with self._plainly():
            target = rescue(self._connection, self.path)
        other = Ledger(target)
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()
        self._connection, self._identity = other._connection, other._identity
        self.moved_from = self.moved_from or self.path
        self.path = target

    def check_place(self) -> None:
        """Raise LedgerMoved if the ledger is no longer at its original path.

        The error names the file that has its content.
        """
        self.stay_in_place()
        if self.moved_from is not None:
            raise LedgerMoved(
                f"{self.moved_from}: it was deleted, moved or replaced while it was in use;"
                f" everything that was played is in {self.path}, to be named with --db"
            )

    @contextlib.contextmanager
    def _plainly(self) -> Iterator[None]:
        """Convert SQLite errors to LedgerError with a plain message in one line."""
        try:
            yield
        except sqlite3.Error as error:
            told = _WORDS.get(_code(error), f"it is damaged: {error}")
            raise LedgerError(f"{self.path}: {told}") from None
        except UnicodeDecodeError:  # SQLite's own message contains the damaged bytes
            raise LedgerError(f"{self.path}: {_WORDS[sqlite3.SQLITE_CORRUPT]}") from None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self.stay_in_place()
        with self._plainly():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # After a full disk, it may already be rolled back.
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise
        self.stay_in_place()

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Make all reads in this context see the same state, whatever other processes write meanwhile."""
        with self._plainly():
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def _all(self, question: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._plainly():
            return self._connection.execute(question, values).fetchall()

    def rows(self, question: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query."""
        with self._plainly():
            # Not "yield from": if a reader stops early, it would close the cursor, perhaps after the ledger.
            for row in self._connection.execute(question, values):  # noqa: UP028
                yield row

    # --- experiments

    def begin(
        self, plan: Plan, code: Mapping[str, Any], machine: Mapping[str, Any], name: str = "", command: str = ""
    ) -> int:
        """Store a new experiment with all its pairs; return its number."""
        with self._transaction() as connection:
            row = (
                name,
                _now(),
                str(plan.seed),
                _json(plan.configuration()),
                _json(code),
                _json(machine),
                printable(command),  # it may contain bytes that are not UTF-8
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
        """Return all experiments, oldest first; damaged ones are skipped with a :class:`LedgerWarning`."""
        found = []
        for row in self._all(f"SELECT {EXPERIMENT_COLUMNS} FROM experiment ORDER BY id"):
            try:
                found.append(read_experiment(row))
            except LedgerError as error:
                warnings.warn(f"{self.path}: {error}; skipped", LedgerWarning, stacklevel=2)
        return found

    def experiment(self, number: int) -> Experiment:
        """Return an experiment; raise LedgerError if it does not exist."""
        for row in self._all(f"SELECT {EXPERIMENT_COLUMNS} FROM experiment WHERE id = ?", [number]):
            return self._checked(row)
        numbers = self._all("SELECT id FROM experiment ORDER BY id DESC LIMIT 10")
        known = ", ".join(str(known) for [known] in reversed(numbers)) or "none"
        raise LedgerError(f"{self.path}: there is no experiment {number}; there is {known}")

    def last(self) -> Experiment | None:
        """Return the latest experiment; None if the ledger is empty."""
        for row in self._all(f"SELECT {EXPERIMENT_COLUMNS} FROM experiment ORDER BY id DESC LIMIT 1"):
            return self._checked(row)
        return None

    def last_unfinished(self) -> Experiment | None:
        """Return the latest experiment that is not finished; None if all are."""
        question = f"SELECT {EXPERIMENT_COLUMNS} FROM experiment WHERE ended IS NULL ORDER BY id DESC LIMIT 1"
        for row in self._all(question):
            return self._checked(row)
        return None

    def _checked(self, row: Sequence[Any]) -> Experiment:
        try:
            return read_experiment(row)
        except LedgerError as error:
            raise LedgerError(f"{self.path}: {error}") from None

    def plan(self, experiment: Experiment) -> Plan:
        """Return the plan of an experiment; raise LedgerError if its pairs contradict the plan."""
        return self.plan_and_pairs(experiment)[0]

    def plan_and_pairs(self, experiment: Experiment) -> tuple[Plan, list[PairRow]]:
        """Return the plan and all pairs of an experiment; raise LedgerError if they contradict each other."""
        pairs = self.pairs(experiment.id)
        plan = plan_of(experiment, pairs)
        self._refuse(pair_problems(experiment, plan, pairs), experiment)
        return plan, pairs

    def finished_games(self, experiment: Experiment, pairs: Sequence[PairRow]) -> list[tuple[int, GameRow]]:
        """Return all finished games; raise LedgerError if they contradict the pairs, the rules or themselves."""
        games = list(self.games(experiment.id))
        self._refuse(game_problems(experiment, pairs, games), experiment)
        return games

    def _refuse(self, problems: Iterable[str], experiment: Experiment) -> None:
        if self.path == MEMORY:
            return  # nobody else can have changed it, and tuning gives its pairs ids of another kind
        line = one_line(problems, experiment.id)
        if line is not None:
            raise LedgerError(f"{self.path}: {line}")

    def claim(self, experiment: Experiment) -> None:
        """Record that this process plays the experiment; raise LedgerError if another process does."""
        with self._transaction() as connection:
            # Read again: another process may have claimed it since the experiment was read.
            [[player]] = connection.execute("SELECT player FROM experiment WHERE id = ?", [experiment.id]).fetchall()
            if is_alive(player) and player != this_process():
                process = player.split()[0]
                raise LedgerError(f"{self.path}: experiment {experiment.id} is being played by process {process}")
            connection.execute("UPDATE experiment SET player = ? WHERE id = ?", [this_process(), experiment.id])

    def leave(self, experiment: int) -> None:
        """Record that no process plays the experiment."""
        with self._transaction() as connection:
            connection.execute("UPDATE experiment SET player = '' WHERE id = ?", [experiment])

    def end(self, experiment: int, not_needed: Iterable[int] = ()) -> None:
        """Record that an experiment is finished, and that a sequential test does not need certain pairs.

        Other workers may already have played some of these pairs. Their games are deleted, so that the content does not
        depend on the number of workers.
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
        """Write finished pairs in one transaction."""
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
        """Record that pairs cannot be played, and why."""
        with self._transaction() as connection:
            connection.executemany(
                "UPDATE pair SET state = 'left out', note = ? WHERE experiment = ? AND number = ?",
                [(note, experiment, number) for number in numbers],
            )

    def retry(self, experiment: int) -> None:
        """Plan pairs again: those left out, and those that a sequential test did not need in the same matches."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE pair SET state = 'planned', score = NULL, note = ''"
                " WHERE experiment = ? AND state IN ('left out', 'not needed') AND (candidate, opponent) IN"
                " (SELECT candidate, opponent FROM pair WHERE experiment = ? AND state = 'left out')",
                [experiment, experiment],
            )
            connection.execute("UPDATE experiment SET ended = NULL WHERE id = ?", [experiment])

    def last_with_pairs_left_out(self) -> Experiment | None:
        """Return the latest experiment with pairs that could not be played; None if there is none."""
        rows = self._all("SELECT max(experiment) FROM pair WHERE state = 'left out'")
        return None if rows[0][0] is None else self.experiment(int(rows[0][0]))

    def pairs(self, experiment: int) -> list[PairRow]:
        """Return all pairs in the order of the schedule."""
        rows = self._all(f"SELECT {PAIR_COLUMNS} FROM pair WHERE experiment = ? ORDER BY number", [experiment])
        with self._named():
            return [read_pair(row, experiment) for row in rows]

    def planned(self, experiment: int) -> list[PlannedPair]:
        """Return the pairs that are not played yet."""
        return [
            PlannedPair(pair.number, pair.id, pair.opening_number, pair.matchup, pair.opening)
            for pair in self.pairs(experiment)
            if pair.state == "planned"
        ]

    def games(self, experiment: int) -> Iterator[tuple[int, GameRow]]:
        """Yield all finished games with the numbers of their pairs, in the order of the schedule."""
        question = f"SELECT {GAME_COLUMNS} FROM game WHERE experiment = ? ORDER BY pair, game"
        with self._plainly(), self._named():
            for row in self._connection.execute(question, [experiment]):
                yield read_game(row, experiment)

    def counts(self, experiment: int) -> dict[str, int]:
        """Return the number of pairs per state."""
        rows = self._all("SELECT state, count(*) FROM pair WHERE experiment = ? GROUP BY state", [experiment])
        for state, count in rows:
            if state not in STATES:
                pairs = f"{count:,} pairs" if count > 1 else "a pair"
                raise LedgerError(f"{self.path}: experiment {experiment}: {pairs} in the unknown state {shown(state)}")
        return {str(state): int(count) for state, count in rows}

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Add the name of the file to errors about rows."""
        try:
            yield
        except RowError as error:
            raise LedgerError(f"{self.path}: {error}") from None


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _is_busy(error: sqlite3.Error) -> bool:
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def this_process() -> str:
    """Return an identifier of this process that no later process has: its number and start time."""
    return f"{os.getpid()} {_began(os.getpid())}"


def is_alive(process: str) -> bool:
    """Return whether the process with this identifier runs on this machine."""
    number, _, began = process.partition(" ")
    is_number = number.isascii() and number.isdecimal() and len(number) < _DIGITS
    return is_number and began != "" and _began(int(number)) == began


def _began(process: int) -> str:
    """Return the start time of a process in the system's units; an empty string if it is not available."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()[:8]
    # The name, in brackets, may contain spaces. After it, the first word is the state and the twentieth the start time.
    words = stat.rpartition(")")[2].split()
    return "" if words[0] == "Z" else f"{boot}-{words[19]}"
