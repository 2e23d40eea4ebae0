"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from knightfall.rules.errors import KnightfallError


def file_path(given: Path | str) -> Path:
    """Return the path; raise :class:`KnightfallError` if no file can have such a name."""
    if "\0" in str(given):
        raise KnightfallError(f"{str(given)!r}: a file name cannot contain a null character")
    return Path(given)


def write_whole(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file atomically: readers find either the old content or the new content, even after a crash.

    Only its owner can read and write a ``private`` file.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        if not private:
            temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
