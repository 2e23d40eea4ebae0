"""A geometry as data for compiled code: one block of memory, passed as a pointer.

The board's size is never a constant in machine code, so one compilation serves every board of a width. The layout, for
sets of ``width`` bits (64 or 128):

- ``jumps``: ``width + 1`` sets. Entry *s* holds the squares a knight's jump away from square *s*. Entry ``width``, the
  location of a knight that is not placed yet, holds all squares, because the knight may go anywhere;
- ``colour``: the set of all squares of colour 1;
- ``columns``: ``width`` sets, the squares of each column;
- ``around``: ``width`` sets, the up to eight squares that touch each square;
- ``aside``: four sets, the squares from which a jump of one column right, one left, two right or two left stays between
  the left and right edges. A set is empty if the board has too few rows for such a jump;
- the row and the column of each square: ``width`` bytes each;
- board width, height and number of squares: three bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, register_model

from knightfall.native.bits import BitsType
from knightfall.rules import Geometry

_ALIGNMENT = 64


def bit_width(geometry: Geometry) -> int:
    """Return the number of bits of a set of this board's squares: 64 or 128."""
    return 64 if geometry.size <= 64 else 128


class Tables:
    """The block of one geometry. :func:`tables_of` keeps it for the lifetime of the process."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.width = bit_width(geometry)
        content = self._content()
        # Align manually: NumPy guarantees 16 bytes at most, but a cache line has 64.
        self._memory = np.zeros(len(content) + _ALIGNMENT, np.uint8)
        offset = -self._memory.ctypes.data % _ALIGNMENT
        self._memory[offset : offset + len(content)] = np.frombuffer(content, np.uint8)
        self.address: int = self._memory.ctypes.data + offset

    def _content(self) -> bytes:
        geometry, width = self.geometry, self.width
        sets = [0] * (3 * width + 6)
        for square, jumps in enumerate(geometry.jumps):
            sets[square] = sum(1 << target for target in jumps)
        sets[width] = (1 << geometry.size) - 1
        sets[width + 1] = sum(1 << square for square in range(geometry.size) if geometry.colour(square))
        rows, columns = bytearray(width), bytearray(width)
        for square in range(geometry.size):
            row, column = rows[square], columns[square] = geometry.coordinates(square)
            sets[width + 2 + column] |= 1 << square
            for r in range(max(row - 1, 0), min(row + 2, geometry.height)):
                for c in range(max(column - 1, 0), min(column + 2, geometry.width)):
                    sets[2 * width + 2 + square] |= 1 << geometry.square(r, c)
            sets[2 * width + 2 + square] &= ~(1 << square)
            for index, (columns_on, rows_on) in enumerate(((1, 2), (-1, 2), (2, 1), (-2, 1))):
                if 0 <= column + columns_on < geometry.width and rows_on < geometry.height:
                    sets[3 * width + 2 + index] |= 1 << square
        packed = b"".join(squares.to_bytes(width // 8, "little") for squares in sets)
        return packed + bytes(rows) + bytes(columns) + bytes((geometry.width, geometry.height, geometry.size))


@cache
def tables_of(geometry: Geometry) -> Tables:
    """Return the block of a geometry, which is created at the first call."""
    made = Tables(geometry)
    _by_address[made.address] = made
    return made


def tables_at(address: int) -> Tables:
    """Return the block at an address."""
    return _by_address[address]


_by_address: dict[int, Tables] = {}


class TablesType(types.Type):
    """The Numba type of a pointer to such a block."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(f"Tables{width}")


@register_model(TablesType)
class _TablesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, tables: TablesType) -> None:
        super().__init__(manager, tables, ir.IntType(8).as_pointer())


def _load(builder: Any, block: Any, offset: int, index: Any, kind: ir.IntType) -> Any:
    """Return entry ``index`` of the array that begins at byte ``offset`` of the block."""
    array = builder.bitcast(builder.gep(block, [ir.Constant(ir.IntType(64), offset)]), kind.as_pointer())
    value = builder.load(builder.gep(array, [index]))
    # The block never changes, so LLVM may keep a value that it has read.
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _byte_offset(width: int, part: str) -> int:
    sets = (3 * width + 6) * width // 8
    return {"rows": sets, "columns": sets + width, "size": sets + 2 * width}[part]


def _set_of(first: Callable[[int], int]) -> Any:
    """Return an intrinsic that reads an entry of the array of sets that begins at entry ``first(width)``."""

    def typer(context: Any, tables: Any, index: Any) -> Any:
        if isinstance(tables, TablesType) and isinstance(index, types.Integer):

            def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
                width = sig.args[0].width
                return _load(b, args[0], first(width) * width // 8, args[1], ir.IntType(width))

            return BitsType(tables.width)(tables, types.int64), codegen
        return None

    return intrinsic(typer)


def _constant_set(entry: int) -> Any:
    """Return an intrinsic that reads the set ``width + entry``."""

    def typer(context: Any, tables: Any) -> Any:
        if isinstance(tables, TablesType):

            def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
                width = sig.args[0].width
                index = ir.Constant(ir.IntType(64), width + entry)
                return _load(b, args[0], 0, index, ir.IntType(width))

            return BitsType(tables.width)(tables), codegen
        return None

    return intrinsic(typer)


def _byte_of_square(part: str) -> Any:
    """Return an intrinsic that reads a square's byte in one of the byte tables."""

    def typer(context: Any, tables: Any, square: Any) -> Any:
        if isinstance(tables, TablesType) and isinstance(square, types.Integer):

            def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
                offset = _byte_offset(sig.args[0].width, part)
                return b.zext(_load(b, args[0], offset, args[1], ir.IntType(8)), ir.IntType(64))

            return types.int64(tables, types.int64), codegen
        return None

    return intrinsic(typer)


def _size_byte(index: int) -> Any:
    """Return an intrinsic that reads the board's width, height or number of squares."""

    def typer(context: Any, tables: Any) -> Any:
        if isinstance(tables, TablesType):

            def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
                offset = _byte_offset(sig.args[0].width, "size")
                at = ir.Constant(ir.IntType(64), index)
                return b.zext(_load(b, args[0], offset, at, ir.IntType(8)), ir.IntType(64))

            return types.int64(tables), codegen
        return None

    return intrinsic(typer)


# The squares that a knight at a location could jump to on an empty board; all squares if the knight is not placed.
jumps_from = _set_of(lambda width: 0)
# The squares of a column, the squares that touch a square, and the squares from which a jump stays between the edges.
squares_in_column = _set_of(lambda width: width + 2)
squares_around = _set_of(lambda width: 2 * width + 2)
jumps_aside = _set_of(lambda width: 3 * width + 2)
all_squares = _constant_set(0)
colour_one = _constant_set(1)
row_of = _byte_of_square("rows")
column_of = _byte_of_square("columns")
board_width = _size_byte(0)
board_height = _size_byte(1)
board_size = _size_byte(2)
