"""Output files: checked before the work begins, and written completely or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from knightfall.rules.files import write_whole


def check_outputs(*paths: Path | None) -> None:
    """Raise an error unless all these files can be written. None stands for a file that is not requested."""
    for path in paths:
        if path is not None:
            _check(path)


def _check(path: Path) -> None:
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
    """Write a file completely or not at all."""
    try:
        write_whole(path, content)
    except OSError as error:
        # The name of the temporary file would be confusing.
        raise OSError(error.errno, error.strerror, str(path)) from None


def write_file(path: Path, text: str) -> None:
    """Write a file completely or not at all."""
    write_bytes(path, text.encode())
