"""Sets of squares in one machine integer of 64 or 128 bits, with the same operations for both widths.

``Bits64`` and ``Bits128`` are separate Numba types instead of plain integers. Engine code is written once with them,
and Numba specialises it by width. Because they are not integers, Numba's mixed-sign promotion cannot silently convert
a set to a float.

In compiled code, a set supports ``& | ^ - ~ == !=``, truth, ``len``, ``square in bits`` and ``for square in bits``
(lowest square first). There are also the functions :func:`lowest`, :func:`without_lowest`, :func:`single` and the
shifts. None of them allocates memory.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import RefType, iternext_impl
from numba.core.types.common import SimpleIteratorType
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

WIDTHS = (64, 128)
_I64 = ir.IntType(64)
_TRUE = ir.Constant(ir.IntType(1), 1)


class BitsType(types.IterableType):
    """The Numba type of a set of squares; ``width`` is 64 or 128."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(f"Bits{width}")

    @property
    def iterator_type(self) -> Any:
        return BitsIteratorType(self.width)


class BitsIteratorType(SimpleIteratorType):
    """Iterates over the squares of a set, lowest first."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(f"BitsIterator{width}", types.int64)


def int_type(bits: BitsType | BitsIteratorType) -> ir.IntType:
    """Return the LLVM integer type that holds such a set."""
    return ir.IntType(bits.width)


def join_words(builder: Any, width: int, low: Any, high: Any) -> Any:
    """Return a set of ``width`` bits from its lower and upper 64 bits. With 64 bits, the upper word is ignored."""
    if width == _I64.width:
        return low
    wide = ir.IntType(width)
    return builder.or_(builder.shl(builder.zext(high, wide), ir.Constant(wide, _I64.width)), builder.zext(low, wide))


@register_model(BitsType)
class _BitsModel(models.PrimitiveModel):
    def __init__(self, manager: Any, bits: BitsType) -> None:
        super().__init__(manager, bits, int_type(bits))


@register_model(BitsIteratorType)
class _BitsIteratorModel(models.PrimitiveModel):
    # The iterator is a pointer to a stack slot that holds the remaining squares. LLVM promotes the slot to a register.
    def __init__(self, manager: Any, iterator: BitsIteratorType) -> None:
        super().__init__(manager, iterator, int_type(iterator).as_pointer())


def _define(function: Any, operands: int, result: Any, emit: Any) -> None:
    """Define ``function`` for ``operands`` sets of one width in Numba. If ``result`` is None, the result is a set."""

    class OnBits(AbstractTemplate):
        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            if len(args) == operands and isinstance(args[0], BitsType) and len(set(args)) == 1:
                return signature(result or args[0], *args)
            return None

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, *args)

    infer_global(function)(OnBits)
    lower_builtin(function, *[BitsType] * operands)(lower)


def _popcount(builder: Any, value: Any) -> Any:
    count = builder.ctpop(value)
    return count if value.type == _I64 else builder.trunc(count, _I64)


def _lowest(builder: Any, value: Any) -> Any:
    index = builder.cttz(value, _TRUE)
    return index if value.type == _I64 else builder.trunc(index, _I64)


def _without_lowest(builder: Any, value: Any) -> Any:
    return builder.and_(value, builder.sub(value, ir.Constant(value.type, 1)))


def _single(builder: Any, width: ir.IntType, square: Any) -> Any:
    shift = square if width == _I64 else builder.zext(square, width)
    return builder.shl(ir.Constant(width, 1), shift)


for _functions, _emit in (
    ((operator.and_, operator.iand), lambda b, x, y: b.and_(x, y)),
    ((operator.or_, operator.ior), lambda b, x, y: b.or_(x, y)),
    ((operator.xor, operator.ixor), lambda b, x, y: b.xor(x, y)),
    ((operator.sub, operator.isub), lambda b, x, y: b.and_(x, b.not_(y))),
):
    for _function in _functions:
        _define(_function, 2, None, _emit)
_define(operator.eq, 2, types.boolean, lambda b, x, y: b.icmp_unsigned("==", x, y))
_define(operator.ne, 2, types.boolean, lambda b, x, y: b.icmp_unsigned("!=", x, y))
_define(operator.invert, 1, None, lambda b, x: b.not_(x))
_define(len, 1, types.int64, _popcount)
_define(operator.not_, 1, types.boolean, lambda b, x: b.icmp_unsigned("==", x, ir.Constant(x.type, 0)))
_define(bool, 1, types.boolean, lambda b, x: b.icmp_unsigned("!=", x, ir.Constant(x.type, 0)))


@infer_global(operator.contains)
class _ContainsSquare(AbstractTemplate):
    def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        if len(args) == 2 and isinstance(args[0], BitsType) and isinstance(args[1], types.Integer):
            return signature(types.boolean, args[0], types.int64)
        return None


@lower_builtin(operator.contains, BitsType, types.Integer)
def _contains(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    bits, square = args
    hit = builder.and_(bits, _single(builder, bits.type, square))
    return builder.icmp_unsigned("!=", hit, ir.Constant(bits.type, 0))


@lower_builtin("getiter", BitsType)
def _getiter(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return cgutils.alloca_once_value(builder, args[0])


@lower_builtin("iternext", BitsIteratorType)
@iternext_impl(RefType.UNTRACKED)
def _iternext(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    slot = args[0]
    bits = builder.load(slot)
    more = builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))
    result.set_valid(more)
    with builder.if_then(more):
        builder.store(_without_lowest(builder, bits), slot)
        result.yield_(_lowest(builder, bits))


@intrinsic
def lowest(context: Any, bits: Any) -> Any:
    """Return the lowest square of a set that is not empty."""
    if isinstance(bits, BitsType):
        return types.int64(bits), lambda c, b, sig, args: _lowest(b, args[0])
    return None


@intrinsic
def without_lowest(context: Any, bits: Any) -> Any:
    """Return the set without its lowest square."""
    if isinstance(bits, BitsType):
        return bits(bits), lambda c, b, sig, args: _without_lowest(b, args[0])
    return None


@intrinsic
def single(context: Any, like: Any, square: Any) -> Any:
    """Return the set that contains one square. It has the width of the set ``like``."""
    if isinstance(like, BitsType) and isinstance(square, types.Integer):

        def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
            return _single(b, int_type(sig.return_type), args[1])

        return like(like, types.int64), codegen
    return None


def _shift(how: str, most: int) -> Any:
    """Return an intrinsic that moves each square up or down in number, by less than ``most`` squares."""

    def typer(context: Any, bits: Any, by: Any) -> Any:
        if not isinstance(bits, BitsType) or not isinstance(by, types.Integer):
            return None

        def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
            width = int_type(sig.return_type)
            # The mask is needed because the result is undefined if the count is too large. It also helps LLVM: if the
            # count is known to be less than 64, a shift of 128 bits takes two instructions instead of seven.
            count = b.and_(args[1], ir.Constant(_I64, min(most, width.width) - 1))
            return getattr(b, how)(args[0], count if width == _I64 else b.zext(count, width))

        return bits(bits, types.int64), codegen

    return intrinsic(typer)


shifted_up = _shift("shl", 128)
shifted_down = _shift("lshr", 128)
shifted_up_little = _shift("shl", 64)
shifted_down_little = _shift("lshr", 64)


@intrinsic
def none_of(context: Any, like: Any) -> Any:
    """Return the empty set. It has the width of the set ``like``."""
    if isinstance(like, BitsType):
        return like(like), lambda c, b, sig, args: ir.Constant(int_type(sig.return_type), 0)
    return None


@intrinsic
def width_of(context: Any, bits: Any) -> Any:
    """Return the number of bits of a set, which is also the location of a knight that is not placed yet."""
    if isinstance(bits, BitsType):
        return types.int64(bits), lambda c, b, sig, args: ir.Constant(_I64, sig.args[0].width)
    return None
