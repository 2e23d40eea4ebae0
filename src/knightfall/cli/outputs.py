"""Files that a command will write: checked before the work begins, written whole, and confirmed."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def check_outputs(*paths: Path | None) -> None:
    """Raise an error unless each of these files can be written; None is a file that is not wanted."""
    for path in paths:
        if path is not None:
            _check(path)


def _check(path: Path) -> None:
    import tempfile  # not for `--help`

    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    folder = path.absolute().parent
    if not folder.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path.parent))
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise OSError(error.errno, f"no file can be written there: {error.strerror}", str(path.parent)) from None


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    from knightfall.rules.files import write_whole

    try:
        write_whole(path, content)
    except OSError as error:
        # The temporary file's name would only confuse.
        raise OSError(error.errno, error.strerror, str(path)) from None
