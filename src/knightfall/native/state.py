"""A position as compiled code sees it, and its conversion from and to ``Position``.

The state is written from the mover's side: ``mover`` and ``other`` are the locations of the player to move and of the
opponent. So a move is the same few instructions for either player. A knight that is not placed yet is at the location
``width``, where the jump table contains the whole board, so legal moves need no special case.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import (
    NativeValue,
    box,
    intrinsic,
    make_attribute_wrapper,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from knightfall.native.bits import BitsType, join_words, single
from knightfall.native.board_tables import TablesType, jumps_from, tables_at, tables_of
from knightfall.native.jit import compiled, part
from knightfall.rules import Position

_WORD = (1 << 64) - 1


class State:
    """A position in the form that compiled code takes and returns.

    >>> position = Position.from_fen("8/8/8/4n3/3N4/8/8/8 w")
    >>> State.of(position).position() == position
    True
    """

    __slots__ = ("address", "high", "low", "mover", "other", "to_move", "width")

    def __init__(self, width: int, address: int, low: int, high: int, mover: int, other: int, to_move: int) -> None:
        self.width = width
        self.address = address
        self.low = low
        self.high = high
        self.mover = mover
        self.other = other
        self.to_move = to_move

    @classmethod
    def of(cls, position: Position) -> State:
        """Return the native state of a position."""
        tables = tables_of(position.geometry)
        empty = ((1 << position.geometry.size) - 1) & ~position.used_bits
        first, second = (tables.width if square is None else square for square in position.locations)
        mover, other = (first, second) if position.to_move == 1 else (second, first)
        return cls(tables.width, tables.address, empty & _WORD, empty >> 64, mover, other, position.to_move)

    def position(self) -> Position:
        """Return the position of this native state."""
        geometry = tables_at(self.address).geometry
        used = ((1 << geometry.size) - 1) & ~(self.high << 64 | self.low)
        mover, other = (None if at == self.width else at for at in (self.mover, self.other))
        locations = (mover, other) if self.to_move == 1 else (other, mover)
        return Position(geometry, locations, used, self.to_move)


class StateType(types.Type):
    """The Numba type of a state over sets of ``width`` bits."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(f"State{width}")

    def fields(self) -> list[tuple[str, Any]]:
        """Return the names and types of a state's fields, in order."""
        return [
            ("tables", TablesType(self.width)),
            ("empty", BitsType(self.width)),
            ("mover", types.int64),
            ("other", types.int64),
            ("to_move", types.int64),
        ]


@register_model(StateType)
class _StateModel(models.StructModel):
    def __init__(self, manager: Any, state: StateType) -> None:
        super().__init__(manager, state, state.fields())


for _field, _ in StateType(64).fields():
    make_attribute_wrapper(StateType, _field, _field)


@typeof_impl.register(State)
def _typeof_state(value: State, context: Any) -> StateType:
    return StateType(value.width)


def unbox_words(c: Any, value: Any, names: tuple[str, ...]) -> list[Any]:
    """Return attributes of a Python object as 64-bit words, followed by whether an attribute was not an integer."""
    words = []
    for name in names:
        attribute = c.pyapi.object_getattr_string(value, name)
        words.append(c.pyapi.long_as_ulonglong(attribute))
        c.pyapi.decref(attribute)
    return [*words, cgutils.is_not_null(c.builder, c.pyapi.err_occurred())]


@unbox(StateType)
def _unbox_state(kind: StateType, value: Any, c: Any) -> Any:
    state = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    names = ("address", "low", "high", "mover", "other", "to_move")
    address, low, high, state.mover, state.other, state.to_move, failed = unbox_words(c, value, names)
    state.tables = c.builder.inttoptr(address, ir.IntType(8).as_pointer())
    state.empty = join_words(c.builder, kind.width, low, high)
    return NativeValue(state._getvalue(), is_error=failed)


@box(StateType)
def _box_state(kind: StateType, value: Any, c: Any) -> Any:
    word = ir.IntType(64)
    state = cgutils.create_struct_proxy(kind)(c.context, c.builder, value=value)
    if kind.width == word.width:
        low, high = state.empty, ir.Constant(word, 0)
    else:
        shifted = c.builder.lshr(state.empty, ir.Constant(state.empty.type, word.width))
        low, high = c.builder.trunc(state.empty, word), c.builder.trunc(shifted, word)
    numbers = [
        ir.Constant(word, kind.width),
        c.builder.ptrtoint(state.tables, word),
        low,
        high,
        state.mover,
        state.other,
        state.to_move,
    ]
    maker = c.pyapi.unserialize(c.pyapi.serialize_object(State))
    boxed = [c.pyapi.long_from_ulonglong(number) for number in numbers]
    result = c.pyapi.call_function_objargs(maker, boxed)
    for made in (maker, *boxed):
        c.pyapi.decref(made)
    return result


@intrinsic
def make_state(context: Any, tables: Any, empty: Any, mover: Any, other: Any, to_move: Any) -> Any:
    """Return a state made of its parts."""
    if not isinstance(tables, TablesType):
        return None
    kind = StateType(tables.width)

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        state = cgutils.create_struct_proxy(sig.return_type)(c, b)
        for (name, _), value in zip(kind.fields(), args, strict=True):
            setattr(state, name, value)
        return state._getvalue()

    return kind(*(field for _, field in kind.fields())), codegen


@part
def moves_from(state: Any) -> Any:
    """Do the same as :func:`legal_moves`, for compiled code."""
    return jumps_from(state.tables, state.mover) & state.empty


@part
def state_after(state: Any, square: Any) -> Any:
    """Do the same as :func:`play`, for compiled code."""
    left = state.empty - single(state.empty, square)
    return make_state(state.tables, left, state.other, square, 3 - state.to_move)


@compiled
def legal_moves(state: Any) -> Any:
    """Return the squares that the player to move can move to."""
    return moves_from(state)


@compiled
def play(state: Any, square: Any) -> Any:
    """Return the state after a legal move."""
    return state_after(state, square)


@compiled
def is_over(state: Any) -> Any:
    """Return whether the player to move is stuck."""
    return not moves_from(state)
