"""Replacements for NumPy functions that also accept lists and tuples; Numba's versions accept only arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types

from knightfall.native.extending import overload
from knightfall.native.location import LocationType
from knightfall.native.location import pair_of as pair_of_location
from knightfall.native.squares import SquaresType

SHORT = (
    "sum",
    "max",
    "min",
    "amax",
    "amin",
    "prod",
    "abs",
    "absolute",
    "sqrt",
    "square",
    "subtract",
    "add",
    "multiply",
)
"""NumPy functions whose arguments are converted to arrays first."""


def np_array(items: Any) -> Any:
    """Implement `numpy.array(items)`."""
    return np.array(items)


@overload(np_array)
def _np_array(items: Any) -> Any:
    if isinstance(items, LocationType):
        return lambda items: np.array(pair_of_location(items))
    if isinstance(items, SquaresType) or (isinstance(items, types.List) and isinstance(items.dtype, types.UniTuple)):

        def of_squares(items: Any) -> Any:
            made = np.empty((len(items), 2), np.int64)
            for at, item in enumerate(items):
                made[at, 0] = item[0]
                made[at, 1] = item[1]
            return made

        width = 2 if isinstance(items, SquaresType) else items.dtype.count
        return of_squares if width == 2 else None
    if isinstance(items, types.Array | types.Number):
        return lambda items: items
    if isinstance(items, types.List | types.BaseTuple):
        return lambda items: np.array(items)
    return None


def np_norm(items: Any) -> Any:
    """Implement `numpy.linalg.norm(items)` for a vector."""
    return np.linalg.norm(items)


@overload(np_norm)
def _np_norm(items: Any) -> Any:
    def implementation(items: Any) -> Any:
        result = 0.0
        for item in np_array(items):
            result += float(item) * float(item)
        return np.sqrt(result)

    return implementation


def np_mean(items: Any) -> Any:
    """Implement `numpy.mean(items)`."""
    return np.mean(items)


@overload(np_mean)
def _np_mean(items: Any) -> Any:
    return lambda items: np.mean(np_array(items))


WORDS = (np_array, np_norm, np_mean)
