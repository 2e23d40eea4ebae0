"""Memory for large tables, and how much of it there is."""

from __future__ import annotations

import mmap

import numpy as np
import numpy.typing as npt
import psutil

GIBIBYTE = 2**30
_HUGE_PAGE = 2**21
_WORTH_IT = 2**28  # finding large pages takes the system a while


class Region:
    """A piece of zeroed memory that takes space only where it is written to.

    Large ones are made of large pages where the system has them: looking something up in a table of a gigabyte is twice
    as fast then.
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
        """Write to every page, so that none has to be found when it is first used."""
        self._bytes[:] = 0


def free_memory() -> int:
    """Return the memory that programs can still use, in bytes."""
    return int(psutil.virtual_memory().available)


def default_memory() -> int:
    """Return the default limit of tables: 1 GiB, or the available memory if that is less."""
    return min(GIBIBYTE, free_memory())
