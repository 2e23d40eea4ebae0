"""Sets of squares as heuristics see them: they behave like AIND's lists of (row, column) and allocate nothing.

``get_legal_moves`` and ``get_blank_spaces`` return such a set. It is stored in one machine word, with a flag for the
order that a list would have: row by row, or column by column (blank squares, and the moves of a knight that is not
placed yet). It supports the operations that functions use on such lists: ``len``, truth, ``for r, c in …``, ``in``,
indexing, comparison, ``+``. It also supports those that they use after ``set(…)``.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import RefType, iternext_impl
from numba.core.types.common import SimpleIteratorType
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import (
    intrinsic,
    lower_builtin,
    make_attribute_wrapper,
    models,
    register_jitable,
    register_model,
)

from knightfall.native.bits import BitsType, lowest, single
from knightfall.native.board_tables import (
    TablesType,
    board_height,
    board_width,
    column_of,
    row_of,
    squares_in_column,
)
from knightfall.native.extending import overload, overload_method
from knightfall.native.location import PAIR, LocationType


class SquaresType(types.IterableType):
    """The Numba type of such a set over ``width`` bits."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(f"Squares{width}")

    @property
    def iterator_type(self) -> Any:
        return SquaresIteratorType(self.width)

    def fields(self) -> list[tuple[str, Any]]:
        """Return the names and types of the fields, in order."""
        return [
            ("bits", BitsType(self.width)),
            ("tables", TablesType(self.width)),
            ("by_columns", types.boolean),
        ]


class SquaresIteratorType(SimpleIteratorType):
    """Iterates over the squares as (row, column)."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(f"SquaresIterator{width}", PAIR)


@register_model(SquaresType)
class _SquaresModel(models.StructModel):
    def __init__(self, manager: Any, squares: SquaresType) -> None:
        super().__init__(manager, squares, squares.fields())


@register_model(SquaresIteratorType)
class _SquaresIteratorModel(models.StructModel):
    def __init__(self, manager: Any, iterator: SquaresIteratorType) -> None:
        fields = [
            ("left", types.CPointer(BitsType(iterator.width))),
            ("tables", TablesType(iterator.width)),
            ("by_columns", types.boolean),
        ]
        super().__init__(manager, iterator, fields)


for _name, _ in SquaresType(64).fields():
    make_attribute_wrapper(SquaresType, _name, _name)


@intrinsic
def make_squares(context: Any, bits: Any, tables: Any, by_columns: Any) -> Any:
    """Return a set made of its parts."""
    kind = SquaresType(tables.width)

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        squares = cgutils.create_struct_proxy(kind)(c, b)
        squares.bits, squares.tables, squares.by_columns = args
        return squares._getvalue()

    return kind(*(field for _, field in kind.fields())), codegen


@register_jitable
def first_square(bits: Any, tables: Any, by_columns: Any) -> Any:
    """Return the first square, in the set's order, of a set that is not empty."""
    if not by_columns:
        return lowest(bits)
    column = 0
    while not (bits & squares_in_column(tables, column)):
        column += 1
    return lowest(bits & squares_in_column(tables, column))


@register_jitable
def square_at(tables: Any, place: Any) -> Any:
    """Return the index of a (row, column), or -1 if the board does not have this square."""
    row, column = place
    if 0 <= row < board_height(tables) and 0 <= column < board_width(tables):
        return int(row) * board_width(tables) + int(column)
    return -1


@lower_builtin("getiter", SquaresType)
def _getiter(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    squares = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
    iterator = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    iterator.left = cgutils.alloca_once_value(builder, squares.bits)
    iterator.tables = squares.tables
    iterator.by_columns = squares.by_columns
    return iterator._getvalue()


def _step(left: Any, tables: Any, by_columns: Any) -> Any:
    square = first_square(left, tables, by_columns)
    return left - single(left, square), (row_of(tables, square), column_of(tables, square))


@lower_builtin("iternext", SquaresIteratorType)
@iternext_impl(RefType.UNTRACKED)
def _iternext(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    kind = sig.args[0]
    iterator = cgutils.create_struct_proxy(kind)(context, builder, value=args[0])
    left = builder.load(iterator.left)
    more = builder.icmp_unsigned("!=", left, ir.Constant(left.type, 0))
    result.set_valid(more)
    with builder.if_then(more):
        bits, tables = BitsType(kind.width), TablesType(kind.width)
        stepped = context.compile_internal(
            builder,
            _step,
            types.Tuple((bits, PAIR))(bits, tables, types.boolean),
            [left, iterator.tables, iterator.by_columns],
        )
        rest, place = cgutils.unpack_tuple(builder, stepped)
        builder.store(rest, iterator.left)
        result.yield_(place)


@overload(len)
def _len(squares: Any) -> Any:
    if isinstance(squares, SquaresType):
        return lambda squares: len(squares.bits)
    return None


@overload_method(SquaresType, "__len__")
def _len_method(squares: Any) -> Any:
    return lambda squares: len(squares.bits)


@infer_global(bool)
class _Truth(AbstractTemplate):
    def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        if len(args) == 1 and isinstance(args[0], SquaresType):
            return signature(types.boolean, *args)
        return None


@lower_builtin(bool, SquaresType)
def _truth(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    bits = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0]).bits
    return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))


@overload(operator.not_)
def _not(squares: Any) -> Any:
    if isinstance(squares, SquaresType):
        return lambda squares: not squares.bits
    return None


@overload(operator.contains)
def _contains(squares: Any, place: Any) -> Any:
    if not isinstance(squares, SquaresType):
        return None
    if isinstance(place, LocationType):
        return lambda squares, place: (
            place.placed and square_at(squares.tables, (place.row, place.column)) in squares.bits
        )
    if isinstance(place, types.BaseTuple) and len(place) == 2:

        def contains(squares: Any, place: Any) -> Any:
            square = square_at(squares.tables, place)
            return square >= 0 and square in squares.bits

        return contains
    if isinstance(place, types.NoneType | types.BaseTuple):
        return lambda squares, place: False
    return None


@overload(operator.getitem)
def _getitem(squares: Any, index: Any) -> Any:
    if isinstance(squares, SquaresType) and isinstance(index, types.Integer):

        def getitem(squares: Any, index: Any) -> Any:
            size = len(squares.bits)
            if index < 0:
                index += size
            if index < 0 or index >= size:
                raise IndexError("list index out of range")
            left = squares.bits
            for _ in range(index):
                left = left - single(left, first_square(left, squares.tables, squares.by_columns))
            square = first_square(left, squares.tables, squares.by_columns)
            return (row_of(squares.tables, square), column_of(squares.tables, square))

        return getitem
    return None


@register_jitable
def _same_sequence(a: Any, b: Any) -> Any:
    if len(a) != len(b):
        return False
    for at, place in enumerate(a):
        other = b[at]
        if other[0] != place[0] or other[1] != place[1]:
            return False
    return True


@overload(operator.eq)
def _eq(a: Any, b: Any) -> Any:
    if isinstance(a, SquaresType) and isinstance(b, SquaresType):
        return lambda a, b: _same_sequence(a, b) if a.by_columns != b.by_columns else a.bits == b.bits
    if isinstance(a, SquaresType) and isinstance(b, types.List):
        return lambda a, b: _same_sequence(a, b)
    if isinstance(b, SquaresType) and isinstance(a, types.List):
        return lambda a, b: _same_sequence(b, a)
    if isinstance(a, SquaresType) or isinstance(b, SquaresType):
        return lambda a, b: False  # a list never equals a tuple, a number or None
    return None


@overload(operator.ne)
def _ne(a: Any, b: Any) -> Any:
    if isinstance(a, SquaresType) or isinstance(b, SquaresType):
        return lambda a, b: not (a == b)  # noqa: SIM201
    return None


def _both(a: Any, b: Any) -> bool:
    return isinstance(a, SquaresType) and isinstance(b, SquaresType)


@overload(operator.add)
def _add(a: Any, b: Any) -> Any:
    if (isinstance(a, SquaresType) and isinstance(b, SquaresType | types.List)) or (
        isinstance(b, SquaresType) and isinstance(a, types.List)
    ):

        def add(a: Any, b: Any) -> Any:
            joined = []
            for place in a:
                joined.append(place)
            for place in b:
                joined.append(place)
            return joined

        return add
    return None


def _define_set_operation(function: Any, method: str, combine: Any) -> None:
    """Define an operation on two such sets in Numba, as operator and method. The result has the left set's order."""
    jitted = register_jitable(combine)

    def implementation(a: Any, b: Any) -> Any:
        return make_squares(jitted(a.bits, b.bits), a.tables, a.by_columns)

    def with_others(a: Any, b: Any) -> Any:
        return jitted(set(a), set(b))

    @overload(function)
    def _operator(a: Any, b: Any) -> Any:
        if (isinstance(a, SquaresType) and isinstance(b, types.Set)) or (
            isinstance(a, types.Set) and isinstance(b, SquaresType)
        ):
            return with_others
        return implementation if _both(a, b) else None

    @overload_method(SquaresType, method)
    def _method(a: Any, b: Any) -> Any:
        if isinstance(b, types.Set | types.List):
            return with_others
        return implementation if _both(a, b) else None


_define_set_operation(operator.and_, "intersection", lambda a, b: a & b)
_define_set_operation(operator.or_, "union", lambda a, b: a | b)
_define_set_operation(operator.sub, "difference", lambda a, b: a - b)
_define_set_operation(operator.xor, "symmetric_difference", lambda a, b: a ^ b)


@overload_method(SquaresType, "isdisjoint")
def _isdisjoint(a: Any, b: Any) -> Any:
    return (lambda a, b: not (a.bits & b.bits)) if _both(a, b) else None


@overload_method(SquaresType, "issubset")
def _issubset(a: Any, b: Any) -> Any:
    return (lambda a, b: not (a.bits - b.bits)) if _both(a, b) else None


@overload_method(SquaresType, "count")
def _count(squares: Any, place: Any) -> Any:
    return lambda squares, place: 1 if place in squares else 0


@overload_method(SquaresType, "index")
def _index(squares: Any, place: Any) -> Any:
    def index(squares: Any, place: Any) -> Any:
        for at, other in enumerate(squares):
            if place == other:
                return at
        raise ValueError("the square is not in the list")

    return index
