"""A player or None, for example ``game.attacker`` before both knights are placed.

Numba's own optional integer raises if it is None and is compared with a number. This type compares as Python does.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, lower_builtin, models, register_model

from knightfall.native.extending import overload


class MaybePlayerType(types.Type):
    """The Numba type of a player or None. None is stored as 0."""

    def __init__(self) -> None:
        super().__init__("MaybePlayer")


maybe_player_type = MaybePlayerType()


@register_model(MaybePlayerType)
class _MaybePlayerModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: MaybePlayerType) -> None:
        super().__init__(manager, kind, ir.IntType(64))


@intrinsic
def maybe_player(context: Any, player: Any) -> Any:
    """Return the player with that number; 0 is None."""
    return maybe_player_type(types.int64), lambda c, b, sig, args: args[0]


@intrinsic
def number_of(context: Any, player: Any) -> Any:
    """Return the number of a player; None is 0."""
    return types.int64(maybe_player_type), lambda c, b, sig, args: args[0]


@overload(operator.eq)
def _eq(a: Any, b: Any) -> Any:
    if isinstance(a, MaybePlayerType):
        if isinstance(b, types.Integer):
            return lambda a, b: number_of(a) == b
        if isinstance(b, types.NoneType):
            return lambda a, b: number_of(a) == 0
        if isinstance(b, MaybePlayerType):
            return lambda a, b: number_of(a) == number_of(b)
    elif isinstance(b, MaybePlayerType) and isinstance(a, types.Integer | types.NoneType):
        return lambda a, b: b == a
    return None


@overload(operator.ne)
def _ne(a: Any, b: Any) -> Any:
    if isinstance(a, MaybePlayerType) or isinstance(b, MaybePlayerType):
        return lambda a, b: not (a == b)  # noqa: SIM201
    return None


@overload(bool)
def _truth(player: Any) -> Any:
    if isinstance(player, MaybePlayerType):
        return lambda player: number_of(player) != 0
    return None


@overload(operator.not_)
def _not(player: Any) -> Any:
    if isinstance(player, MaybePlayerType):
        return lambda player: number_of(player) == 0
    return None


@lower_builtin(operator.is_, MaybePlayerType, types.NoneType)
def _is_none(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.icmp_signed("==", args[0], args[0].type(0))


@lower_builtin(operator.is_not, MaybePlayerType, types.NoneType)
def _is_not_none(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.icmp_signed("!=", args[0], args[0].type(0))
