"""The width of text."""

from __future__ import annotations

import shutil
import sys

MOST = 100
"""Columns in a pipe, and the maximum on a terminal, because longer lines are hard to read."""


def text_width() -> int:
    """Return the columns that a line on standard output may take."""
    return min(MOST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else MOST
