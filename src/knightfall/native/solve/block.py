"""The state of one solver thread, in one piece of memory that begins with the fields of the control block."""

from __future__ import annotations

from enum import IntEnum, auto

import numpy as np

from knightfall.native.board_tables import tables_of
from knightfall.native.control import FIELDS as CONTROL_FIELDS
from knightfall.native.control import TABLES, Control
from knightfall.rules import Geometry

MOST_EMPTY = 129
ROW = 24
"""Words of scratch memory for the moves of one node: eight moves in order, followed by the keys of their positions."""


class Field(IntEnum):
    """The solver's own fields, which follow those of the control block."""

    SCRATCH = CONTROL_FIELDS
    # The table of facts
    FACTS = auto()
    FACT_BITS = auto()  # of an index
    SQUARES = auto()  # on the board
    # The table of distances
    DISTANCES = auto()
    DISTANCE_MASK = auto()
    # Progress of the search
    NODES = auto()
    NEXT = auto()
    LIMIT = auto()
    STOPPED = auto()
    STORED = auto()
    # A number that makes the order of equal moves different in each thread
    TWIST = auto()


FIELDS = CONTROL_FIELDS + len(Field)
UNLIMITED = 2**62


class SolverBlock(Control):
    """A block as Python sees it."""

    def __init__(self, geometry: Geometry) -> None:
        super().__init__(fields=FIELDS)
        self.scratch = np.zeros((MOST_EMPTY + 1) * ROW, np.int64)
        self[TABLES] = tables_of(geometry).address
        self[Field.SQUARES] = geometry.size
        self[Field.SCRATCH] = self.scratch.ctypes.data
        self[Field.LIMIT] = UNLIMITED

    def __getitem__(self, field: int) -> int:
        return int(self.memory[field])

    def __setitem__(self, field: int, value: int) -> None:
        self.memory[field] = value
