"""The files of the cache. They are sealed, so that damage is detected, and used only in folders that are safe.

A file begins with a magic word and a checksum of its name, its folder's name and its content. A file that is damaged or
was moved is treated as missing. A folder that is not safe (:mod:`knightfall.native.trust`) is neither read nor written,
and one warning says so.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import time
import warnings
from pathlib import Path

from platformdirs import user_cache_path

from knightfall.native.trust import entry_problem, folder_problem
from knightfall.rules.files import write_whole

MAGIC = b"knightfall machine code 1\n"
MARKER = "made-by-knightfall"
"""The file that marks a folder as created by Knightfall."""

_MARK = b"knightfall cache folder: it can be deleted at any time\n"
_DIGEST = 32
_DAYS_KEPT = 30
_OUR_FOLDER = re.compile(r"[0-9a-f]{24}")
_OUR_FILE = re.compile(r".+-[0-9a-f]{24}\.machine|form\d+\.note")
_TEMPORARY = re.compile(r"\.(?P<name>.+)-[0-9a-z_]{8}")
_is_warned = False


class CacheWarning(UserWarning):
    """The cache is not used, because it is not safe."""


def cache_root() -> Path:
    """Return the folder that contains all compiled code. KNIGHTFALL_CACHE_DIR overrides the default."""
    chosen = os.environ.get("KNIGHTFALL_CACHE_DIR")
    return Path(chosen) if chosen else user_cache_path("knightfall", appauthor=False)


def real_root() -> Path:
    """Return the same folder without links, so that nobody can redirect us by changing a link after the check."""
    return Path(os.path.realpath(cache_root()))


def is_safe(folder: Path) -> bool:
    """Return whether a folder of the cache may be used. Warn about the first folder that may not."""
    problem = folder_problem(folder.parent)
    if problem is None:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            problem = entry_problem(folder, folder.lstat())
    return _tell(folder.parent, problem)


def is_kept() -> bool:
    """Return whether code that is compiled now is kept in the cache."""
    with contextlib.suppress(OSError):
        return _tell(cache_root(), folder_problem(cache_root()))
    return False


def _tell(root: Path, problem: str | None) -> bool:
    global _is_warned
    if problem is not None and not _is_warned:
        _is_warned = True
        warnings.warn(f"the cache {root} is not used, it is not safe: {problem}", CacheWarning, stacklevel=2)
    return problem is None


def read_sealed(file: Path) -> bytes | None:
    """Return the content of a file of the cache; None if the file is missing, damaged or not safe."""
    try:
        if not is_safe(file.parent):
            return None
        content = _read(file)
    except OSError:
        return None
    if content is None or not content.startswith(MAGIC):
        return None
    start = len(MAGIC) + _DIGEST
    payload = memoryview(content)[start:]
    if content[len(MAGIC) : start] != _seal(file, payload):
        return None
    return bytes(payload)


def _read(file: Path) -> bytes | None:
    # Check the open file, not its name, so that nobody can replace the file between check and use. O_NONBLOCK is for
    # a pipe in place of the file, which must not block.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(file, flags)
    except OSError:
        if file.is_symlink():
            _tell(file.parent.parent, entry_problem(file, file.lstat()))
        raise
    with os.fdopen(handle, "rb") as opened:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or not _tell(file.parent.parent, entry_problem(file, found)):
            return None
        return opened.read()


def _seal(file: Path, payload: bytes | memoryview) -> bytes:
    digest = hashlib.blake2b(f"{file.parent.name}/{file.name}\0".encode(), digest_size=_DIGEST)
    digest.update(payload)
    return digest.digest()


def write_sealed(file: Path, payload: bytes) -> bool:
    """Write content to the cache; return False if the folder or an existing file is not safe."""
    if not is_safe(file.parent) or not _is_replaceable(file):
        return False
    _prepare(file.parent)
    # Another process may have created the folder in the meantime.
    if not is_safe(file.parent):
        return False
    write_whole(file, MAGIC + _seal(file, payload) + payload, private=True)
    return True


def _is_replaceable(file: Path) -> bool:
    try:
        return _tell(file.parent.parent, entry_problem(file, file.lstat()))
    except (FileNotFoundError, NotADirectoryError):
        return True


def _prepare(folder: Path) -> None:
    """Create the folder. If it is new, remove the folders that have not been used for a month."""
    is_new = not folder.is_dir()
    for place in (*reversed(folder.parents), folder):
        if not place.is_dir():
            with contextlib.suppress(FileExistsError):
                place.mkdir(mode=0o700)
    if not os.path.lexists(folder / MARKER):
        write_whole(folder / MARKER, _MARK, private=True)
    if is_new:
        _remove_unused(folder)


def _remove_unused(current: Path) -> None:
    oldest = time.time() - _DAYS_KEPT * 86400
    for folder in current.parent.iterdir():
        with contextlib.suppress(OSError):
            if folder != current and _is_ours(folder) and folder.lstat().st_mtime < oldest:
                # Remove the marker last: if the removal fails, the folder is still recognised as ours.
                for file in sorted(folder.iterdir(), key=lambda file: file.name == MARKER):
                    file.unlink()
                folder.rmdir()


def _is_ours(folder: Path) -> bool:
    """Return whether this program created a folder and all files in it. Links are never followed."""
    if not _OUR_FOLDER.fullmatch(folder.name) or not stat.S_ISDIR(folder.lstat().st_mode):
        return False
    files = list(folder.iterdir())
    return any(file.name == MARKER for file in files) and all(_is_our_file(file) for file in files)


def _is_our_file(file: Path) -> bool:
    if not stat.S_ISREG(file.lstat().st_mode):
        return False
    temporary = _TEMPORARY.fullmatch(file.name)
    name = temporary["name"] if temporary else file.name
    if name != MARKER and not _OUR_FILE.fullmatch(name):
        return False
    begin = _MARK if name == MARKER else MAGIC
    with file.open("rb") as opened:
        head = opened.read(len(begin) + 1 if name == MARKER else len(begin))
    # A temporary file of a process that was killed may have any length.
    return begin.startswith(head) if temporary else head == begin
