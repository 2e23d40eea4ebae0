"""What one solver thread knows, in one piece of memory; it begins with the fields of the control block."""

from __future__ import annotations

from enum import IntEnum, auto

import numpy as np

from knightfall.native.board_tables import tables_of
from knightfall.native.control import FIELDS as CONTROL_FIELDS
from knightfall.native.control import TABLES, Control
from knightfall.rules import Geometry

MOST_EMPTY = 129
ROW = 24
"""Words of scratch memory for the moves of one node: eight moves in order, then the keys of their positions."""


class Field(IntEnum):
    """The solver's own fields."""

    SCRATCH = CONTROL_FIELDS
    # The table of facts
    FACTS = auto()
    FACT_BITS = auto()  # of an index
    SQUARES = auto()  # on the board
    # The table of distances
    DISTANCES = auto()
    DISTANCE_MASK = auto()
    # How far it is
    NODES = auto()
    NEXT = auto()
    LIMIT = auto()
    STOPPED = auto()
    STORED = auto()
    # By how much the order of equal moves differs between threads
    TWIST = auto()


FIELDS = CONTROL_FIELDS + len(Field)
UNLIMITED = 2**62


class SolverBlock(Control):
    """The Python side of a block."""

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
