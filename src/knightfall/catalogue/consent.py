"""Which users' files may be run: those that the user named, and those that the user was asked about.

A heuristic from a file runs with the rights of whoever runs it. A file that is named on the command line or in a script
is wanted. One that a ledger, a saved game or a list of opponents names is not, as far as anyone can know: whoever can
edit such a file can name any function in it, and write down its hash as well. So what a data file names is run only if

- its hash is the one that the data file records, where it records hashes, and
- the same function was named by this user before and has not changed since, or the user allows it now.

The functions that the user named are noted in a folder of the cache that only the user can write.
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
"""The folder of the cache with a note for each function of a file that the user named."""


class ConsentError(HeuristicError):
    """A file that a data file names and that is not run; described in one line."""


class FileNotAllowed(ConsentError):
    """A file that the user has not allowed to run."""


class FileWarning(UserWarning):
    """A file that was not run, where work goes on without it."""


class FileChanged(ConsentError):
    """A function whose hash is none of those that the data file records."""

    def __init__(self, message: str, name: str, digest: str) -> None:
        super().__init__(message)
        self.name = name
        """The function as data files name it, without parameters."""
        self.digest = digest


@dataclass(frozen=True)
class NamedFile:
    """A function in a file that a data file names; ``origin`` says which data file, in words."""

    origin: str
    path: Path
    function: str


Asker = Callable[[NamedFile], bool]
"""Asks the user whether a file may be run."""


@dataclass(frozen=True)
class _Origin:
    text: str
    hashes: Mapping[str, str] | None


_origin: ContextVar[_Origin | None] = ContextVar("knightfall_origin", default=None)
_asker: ContextVar[Asker | None] = ContextVar("knightfall_asker", default=None)
_noted: set[str] = set()


@contextmanager
def named_by(origin: str, hashes: Mapping[str, str] | None = None) -> Iterator[None]:
    """Heuristics that are loaded meanwhile are named by a data file, not by the user.

    ``hashes`` are the ones that it records of users' functions, in whatever words it names them.
    """
    token = _origin.set(_Origin(origin, hashes))
    try:
        yield
    finally:
        _origin.reset(token)


@contextmanager
def asking(asker: Asker | None) -> Iterator[None]:
    """Ask in this way about the files that data files name meanwhile; with None they are not run."""
    token = _asker.set(asker)
    try:
        yield
    finally:
        _asker.reset(token)


def check_consent(code: Code, name: str) -> None:
    """Raise an error if a function may not be run, because a data file names it; nothing of it has run yet.

    ``name`` is its text without parameters.
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
    with suppress(OSError):  # where nothing can be kept, the user is asked once more
        if read_sealed(_file(name)) is None:
            write_sealed(_file(name), b"")
