"""A player's location as heuristics see it: a (row, column) pair, or None before placement.

Both have the same type. So a function may unpack a location, index it, and compare it with None by ``is``, ``==`` and
truth, although Numba does not know during compilation which of the two it is.
"""

from __future__ import annotations

import operator
from typing import Any

from numba.core import cgutils, types
from numba.core.imputils import RefType, iternext_impl, lower_cast
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

from knightfall.native.extending import overload

PAIR = types.UniTuple(types.int64, 2)


class LocationType(types.IterableType):
    """The Numba type of a location."""

    def __init__(self) -> None:
        super().__init__("Location")

    @property
    def iterator_type(self) -> Any:
        return LocationIteratorType()

    def unify(self, context: Any, other: Any) -> Any:
        """Return the plain pair type as the common type of a location and a pair."""
        return PAIR if isinstance(other, types.BaseTuple) and len(other) == 2 else None

    def can_convert_to(self, context: Any, other: Any) -> Any:
        from numba.core.typeconv import Conversion

        return Conversion.safe if other == PAIR else None


class LocationIteratorType(SimpleIteratorType):
    """Iterates over the row and the column."""

    def __init__(self) -> None:
        super().__init__("LocationIterator", types.int64)


location_type = LocationType()
_FIELDS = [("placed", types.boolean), ("row", types.int64), ("column", types.int64)]


@register_model(LocationType)
class _LocationModel(models.StructModel):
    def __init__(self, manager: Any, location: LocationType) -> None:
        super().__init__(manager, location, _FIELDS)


for _name, _ in _FIELDS:
    make_attribute_wrapper(LocationType, _name, _name)


@register_model(LocationIteratorType)
class _LocationIteratorModel(models.StructModel):
    def __init__(self, manager: Any, iterator: LocationIteratorType) -> None:
        super().__init__(manager, iterator, [("pair", PAIR), ("at", types.CPointer(types.int64))])


@intrinsic
def make_location(context: Any, placed: Any, row: Any, column: Any) -> Any:
    """Return a location made of its parts."""

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        location = cgutils.create_struct_proxy(location_type)(c, b)
        location.placed, location.row, location.column = args
        return location._getvalue()

    return location_type(types.boolean, types.int64, types.int64), codegen


@register_jitable
def pair_of(location: Any) -> Any:
    """Return the plain (row, column); raise TypeError before placement, as unpacking None does in Python."""
    if not location.placed:
        raise TypeError("the player is not placed yet: its location is None")
    return (location.row, location.column)


@lower_cast(LocationType, types.UniTuple)
def _cast(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    # `location or (0, 0)` casts before it chooses, so the cast must accept a location that is None. It is not chosen.
    return context.compile_internal(builder, lambda place: (place.row, place.column), PAIR(source), [value])


@lower_builtin("getiter", LocationType)
def _getiter(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    iterator = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    iterator.pair = context.compile_internal(builder, lambda location: pair_of(location), PAIR(sig.args[0]), [args[0]])
    iterator.at = cgutils.alloca_once_value(builder, context.get_constant(types.int64, 0))
    return iterator._getvalue()


@lower_builtin("iternext", LocationIteratorType)
@iternext_impl(RefType.UNTRACKED)
def _iternext(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    iterator = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
    at = builder.load(iterator.at)
    result.set_valid(builder.icmp_signed("<", at, at.type(2)))
    first = builder.icmp_signed("==", at, at.type(0))
    row, column = cgutils.unpack_tuple(builder, iterator.pair)
    result.yield_(builder.select(first, row, column))
    builder.store(builder.add(at, at.type(1)), iterator.at)


@overload(operator.getitem)
def _getitem(location: Any, index: Any) -> Any:
    if isinstance(location, LocationType) and isinstance(index, types.Integer):
        return lambda location, index: pair_of(location)[index]
    return None


@overload(len)
def _len(location: Any) -> Any:
    if isinstance(location, LocationType):
        return lambda location: len(pair_of(location))
    return None


def _is_pair(kind: Any) -> bool:
    return isinstance(kind, types.BaseTuple) and len(kind) == 2


@overload(operator.eq)
def _eq(a: Any, b: Any) -> Any:
    if isinstance(a, LocationType):
        if isinstance(b, types.NoneType):
            return lambda a, b: not a.placed
        if isinstance(b, LocationType):
            return lambda a, b: a.placed == b.placed and (not a.placed or (a.row == b.row and a.column == b.column))
        if _is_pair(b):
            return lambda a, b: a.placed and a.row == b[0] and a.column == b[1]
    elif isinstance(b, LocationType) and (isinstance(a, types.NoneType) or _is_pair(a)):
        return lambda a, b: b == a
    return None


@overload(operator.ne)
def _ne(a: Any, b: Any) -> Any:
    if isinstance(a, LocationType) or isinstance(b, LocationType):
        return lambda a, b: not (a == b)  # noqa: SIM201
    return None


@overload(hash)
def _hash(location: Any) -> Any:
    if isinstance(location, LocationType):
        return lambda location: hash((location.row, location.column)) if location.placed else 0
    return None


@infer_global(bool)
class _Truth(AbstractTemplate):
    def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        if len(args) == 1 and isinstance(args[0], LocationType):
            return signature(types.boolean, *args)
        return None


@lower_builtin(bool, LocationType)
def _truth(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0]).placed


@overload(operator.not_)
def _not(location: Any) -> Any:
    if isinstance(location, LocationType):
        return lambda location: not location.placed
    return None


@lower_builtin(operator.is_, LocationType, types.NoneType)
def _is_none(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.not_(_truth(context, builder, sig, args))


@lower_builtin(operator.is_not, LocationType, types.NoneType)
def _is_not_none(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _truth(context, builder, sig, args)
