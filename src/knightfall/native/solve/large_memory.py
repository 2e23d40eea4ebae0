"""Memory for large tables, and the amount of available memory."""

from __future__ import annotations

import mmap

import numpy as np
import numpy.typing as npt
import psutil

GIBIBYTE = 2**30
_HUGE_PAGE = 2**21
_WORTH_IT = 2**28  # it takes the system some time to find large pages


class Region:
    """A piece of zeroed memory that takes space only where it is written to.

    Large regions use large pages if the system has them. This makes lookups in a table of a gigabyte twice as fast.
    """

    def __init__(self, size: int) -> None:
        self._map = mmap.mmap(-1, size + _HUGE_PAGE)
        if size >= _WORTH_IT and hasattr(mmap, "MADV_HUGEPAGE"):
            self._map.madvise(mmap.MADV_HUGEPAGE)
        self._bytes: npt.NDArray[np.uint8] = np.frombuffer(self._map, np.uint8)
        begin = self._bytes.ctypes.data
        self.address = begin + -begin % _HUGE_PAGE
        self.size = size

    def touch(self) -> None:
        """Write to every page, so that the system need not find one at the first use."""
        self._bytes[:] = 0


def free_memory() -> int:
    """Return the memory that is available for programs, in bytes."""
    return int(psutil.virtual_memory().available)


def default_memory() -> int:
    """Return the default limit of tables: 1 GiB, or the available memory if that is less."""
    return min(GIBIBYTE, free_memory())
