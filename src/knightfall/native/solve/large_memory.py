"""Memory for large tables, and how much of it there is."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

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
    """How many bytes can still be had; half of all memory where the system does not tell."""
    information = Path("/proc/meminfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def default_memory() -> int:
    """The largest table that is made where no one says how large: 1 GiB, or what is free if that is less."""
    return min(GIBIBYTE, free_memory())
