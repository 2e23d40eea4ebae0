"""Plain memory for compiled code: words, numbers and bytes at an address.

Passing an array down a recursion costs half the speed, but passing an address costs nothing. The owner of the memory (a
NumPy array on the Python side) must keep it alive and know its length. These functions check nothing.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

_WORD = ir.IntType(64)


def _loader(kind: Any, llvm: Any, wide: bool = False) -> Any:
    def typer(context: Any, address: Any, index: Any) -> Any:
        def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
            value = b.load(b.gep(b.inttoptr(args[0], llvm.as_pointer()), [args[1]]))
            return b.zext(value, _WORD) if wide else value

        return kind(types.int64, types.int64), codegen

    return intrinsic(typer)


def _storer(kind: Any, llvm: Any, narrow: bool = False) -> Any:
    def typer(context: Any, address: Any, index: Any, value: Any) -> Any:
        def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
            value = b.trunc(args[2], llvm) if narrow else args[2]
            b.store(value, b.gep(b.inttoptr(args[0], llvm.as_pointer()), [args[1]]))
            return c.get_dummy_value()

        return types.void(types.int64, types.int64, kind), codegen

    return intrinsic(typer)


load_word = _loader(types.int64, _WORD)
store_word = _storer(types.int64, _WORD)
load_float = _loader(types.float64, ir.DoubleType())
store_float = _storer(types.float64, ir.DoubleType())
load_half = _loader(types.int64, ir.IntType(32), wide=True)
store_half = _storer(types.int64, ir.IntType(32), narrow=True)
load_byte = _loader(types.int64, ir.IntType(8), wide=True)
store_byte = _storer(types.int64, ir.IntType(8), narrow=True)


@intrinsic
def float_bits(context: Any, value: Any) -> Any:
    """Return the bits of a floating-point number as a word."""
    return types.int64(types.float64), lambda c, b, sig, args: b.bitcast(args[0], _WORD)


@intrinsic
def float_from_bits(context: Any, word: Any) -> Any:
    """Return the floating-point number that has these bits."""
    return types.float64(types.int64), lambda c, b, sig, args: b.bitcast(args[0], ir.DoubleType())
