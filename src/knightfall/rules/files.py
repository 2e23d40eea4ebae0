"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from knightfall.rules.errors import KnightfallError


def file_path(given: Path | str) -> Path:
    """Return the path; an error if no file can have such a name."""
    if "\0" in str(given):
        raise KnightfallError(f"{str(given)!r}: a file name cannot contain a null character")
    return Path(given)


def write_whole(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file so that whoever reads it, even after a crash, finds the old content or the new.

    A private one can be read and written by its owner only.
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
