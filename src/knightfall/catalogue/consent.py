"""Decide which users' files may run: those that the user named, and those that the user allowed.

A heuristic from a file runs with the rights of the user who runs it. A file that is named on the command line or in a
script is wanted. This is not certain for a file named by a ledger, a saved game or a list of opponents: anyone who can
edit such a data file can name any function in it, and can write its hash as well. So a function that a data file names
runs only if both conditions hold:

- its hash is the one that the data file records, if that file records hashes
- the user named the same function before and it has not changed since, or the user allows it now

The functions that the user named are recorded in a folder of the cache that only the user can write.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from knightfall.catalogue.heuristic import Code
from knightfall.compiler.errors import HeuristicError, shown_path
from knightfall.native.cache import PACKAGE
from knightfall.native.store import read_sealed, real_root, write_sealed

FOLDER = "named-files"
"""The folder of the cache with one record per function that the user named."""


class ConsentError(HeuristicError):
    """A file that a data file names was not run; the message is one line."""


class FileNotAllowed(ConsentError):
    """The user has not allowed this file to run."""


class FileWarning(UserWarning):
    """A file was not run, and the work continues without it."""


class FileChanged(ConsentError):
    """The hash of a function is not among those that the data file records."""

    def __init__(self, message: str, name: str, digest: str) -> None:
        super().__init__(message)
        self.name = name
        """The function as data files name it, without parameters."""
        self.digest = digest


@dataclass(frozen=True)
class NamedFile:
    """A function in a file that a data file names; ``origin`` describes the data file."""

    origin: str
    path: Path
    function: str


Asker = Callable[[NamedFile], bool]
"""Asks the user whether a file may run; returns the answer."""


@dataclass(frozen=True)
class _Origin:
    text: str
    hashes: Mapping[str, str] | None


_origin: ContextVar[_Origin | None] = ContextVar("knightfall_origin", default=None)
_asker: ContextVar[Asker | None] = ContextVar("knightfall_asker", default=None)
_noted: set[str] = set()


@contextmanager
def named_by(origin: str, hashes: Mapping[str, str] | None = None) -> Iterator[None]:
    """Treat heuristics that are loaded in this context as named by a data file, not by the user.

    ``origin`` describes the data file. ``hashes`` maps the names of users' functions to the hashes that the file
    records.
    """
    token = _origin.set(_Origin(origin, hashes))
    try:
        yield
    finally:
        _origin.reset(token)


@contextmanager
def asking(asker: Asker | None) -> Iterator[None]:
    """Use this function to ask about files that data files name; with None, they are not run."""
    token = _asker.set(asker)
    try:
        yield
    finally:
        _asker.reset(token)


def check_consent(code: Code, name: str) -> None:
    """Raise ConsentError if a data file names this function and it may not run.

    No code of the function has run before. ``name`` is the heuristic's string without parameters.
    """
    if code.path is None or code.path.is_relative_to(PACKAGE):
        return
    assert code.program is not None
    digest = code.program.digest()
    words = f"{code.path}\0{code.name}\0{digest}".encode(errors="surrogateescape")
    key = hashlib.blake2b(words, digest_size=12).hexdigest()
    origin = _origin.get()
    if origin is None:
        _note(key)
        return
    if origin.hashes is not None and digest not in origin.hashes.values():
        raise FileChanged(f"{code.shown}: the function is not the one that {origin.text} records", name, digest)
    if _is_noted(key):
        return
    asker = _asker.get()
    if asker is None or not asker(NamedFile(origin.text, code.path, code.name)):
        where = f"{shown_path(code.path)} ({code.name})"
        raise FileNotAllowed(f"{where} was not run: {origin.text} names it, not you; --run-files allows it")


def _file(name: str) -> Path:
    return real_root() / FOLDER / f"{name}.named"


def _is_noted(name: str) -> bool:
    return name in _noted or read_sealed(_file(name)) == b""


def _note(name: str) -> None:
    if name in _noted:
        return
    _noted.add(name)
    with suppress(OSError):  # if nothing can be stored, the user is asked again next time
        if read_sealed(_file(name)) is None:
            write_sealed(_file(name), b"")
