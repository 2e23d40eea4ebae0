"""Access to the first parts of a block in compiled code: the block itself, and the tables of its board.

The blocks of the search and of the solver both begin with the control block. They have nothing else in common.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from knightfall.native.board_tables import TablesType
from knightfall.native.control import TABLES, control_type


@intrinsic
def block_at(context: Any, address: Any) -> Any:
    """Return the block at an address."""
    return control_type(types.int64), lambda c, b, sig, args: b.inttoptr(args[0], ir.IntType(64).as_pointer())


@intrinsic
def tables_in(context: Any, block: Any, like: Any) -> Any:
    """Return the geometry's tables, for sets of the width of ``like``."""
    kind = TablesType(like.width)

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        return b.inttoptr(b.load(b.gep(args[0], [ir.Constant(ir.IntType(64), TABLES)])), ir.IntType(8).as_pointer())

    return kind(control_type, like), codegen
