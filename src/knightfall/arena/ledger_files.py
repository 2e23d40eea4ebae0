"""The files of a ledger: reading them without write permission, and rescuing them if they are moved or deleted."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from knightfall.arena.ledger_rows import LedgerError

_LOGS = ("-wal", "-journal")
_COPIES = 5  # attempts to copy a ledger while another process writes
_RESCUES = 1_000  # maximum number of rescued ledgers per folder


def can_be_written(path: Path) -> bool:
    """Return whether this process may write a ledger and the files that SQLite creates beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


class ReadOnly:
    """A read-only ledger: its connection and, if necessary, a private copy.

    The latest transactions may be in SQLite's log beside the file, and SQLite can read a log only if it may write. So
    without write permission, both files are copied to a private folder and read there.
    """

    def __init__(self, path: Path) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self.connection = self._open(path)

    def _open(self, path: Path) -> sqlite3.Connection:
        connection = _connect(path, "mode=ro")
        try:
            # If the log's index exists, which a running writer maintains, SQLite can read the log in place.
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            connection.close()
        else:
            return connection
        if not any(_size(path, log) for log in _LOGS):
            return _connect(path, "mode=ro&immutable=1")
        self._folder = tempfile.TemporaryDirectory(prefix="knightfall-ledger-")
        try:
            connection = _connect(_copy(path, Path(self._folder.name)), "mode=rw")
        except BaseException as error:
            self._folder.cleanup()
            if isinstance(error, OSError):
                cause = f"{error.filename}: {error.strerror}"
                raise LedgerError(f"{path}: to be read it must be copied with its log: {cause}") from None
            raise
        # Changes to the copy would be lost.
        connection.execute("PRAGMA query_only = ON")
        return connection

    def close(self) -> None:
        """Close and remove the copy, if there is one."""
        if self._folder is not None:
            self._folder.cleanup()


def _connect(path: Path, settings: str) -> sqlite3.Connection:
    address = f"{path.resolve().as_uri()}?{settings}"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)


def _size(path: Path, log: str) -> int:
    try:
        return Path(f"{path}{log}").stat().st_size
    except FileNotFoundError:
        return 0


def _copy(path: Path, folder: Path) -> Path:
    """Copy a ledger and its log in a consistent state."""
    target = folder / "ledger.db"
    for _ in range(_COPIES):
        before = _state(path)
        for suffix in ("", *_LOGS):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{suffix}", f"{target}{suffix}")
        if _state(path) == before:
            return target
    raise LedgerError(f"{path}: it is being written, and may not be written here: read a copy of it")


def _state(path: Path) -> list[object]:
    """Return values that change when pages are moved from the log to the file, or when the log is restarted."""
    found: list[object] = []
    for suffix in ("", *_LOGS):
        try:
            with Path(f"{path}{suffix}").open("rb") as file:
                status = os.fstat(file.fileno())
                # Between restarts, a log only grows, and its checksums show which part of it is complete.
                found.append(file.read(32) if suffix == "-wal" else (status.st_size, status.st_mtime_ns))
        except FileNotFoundError:
            found.append(None)
    return found


def identity(path: Path) -> tuple[int, int] | None:
    """Return an identifier of a file that does not depend on its name; None if the file does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def rescue(connection: sqlite3.Connection, path: Path) -> Path:
    """Write the content of an open ledger to a new file and return its path, in the original folder if possible.

    SQLite can still read a file that was deleted or moved, but other processes no longer find it.
    """
    why: Exception | None = None
    for folder in (path.absolute().parent, Path.cwd(), Path(tempfile.gettempdir())):
        try:
            target = _new_file(folder, path.stem, path.suffix)
        except OSError as error:
            why = error
            continue
        try:
            with contextlib.closing(sqlite3.connect(target)) as copy:
                connection.backup(copy)
        except sqlite3.Error as error:
            why = error
            target.unlink(missing_ok=True)
            continue
        return target
    raise LedgerError(f"{path}: it was deleted, moved or replaced, and its content cannot be saved elsewhere: {why}")


def _new_file(folder: Path, stem: str, suffix: str) -> Path:
    """Create an empty file with an unused name."""
    for name in _rescue_names(stem, suffix):
        path = folder / name
        if any(Path(f"{path}{log}").exists() for log in _LOGS):
            continue  # remains of another ledger with this name
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            return path
    raise FileExistsError(f"{folder}: there are {_RESCUES:,} rescued ledgers")


def _rescue_names(stem: str, suffix: str) -> Iterator[str]:
    yield f"{stem}.rescued{suffix}"
    for number in range(2, _RESCUES + 1):
        yield f"{stem}.rescued-{number}{suffix}"
