"""Constant dictionaries in compiled code: lookups, iteration, and use as arguments.

The type of such a dictionary includes its content. So a value takes no memory, and every operation is compiled for this
content. Keys that are pairs of small numbers, such as squares, are found by an index; other keys by a linear search.
"""

from __future__ import annotations

import hashlib
import operator
from typing import Any

import numpy as np
from numba.core import types
from numba.core.datamodel import models
from numba.extending import lower_builtin, register_jitable, register_model, typeof_impl

from knightfall.native.extending import overload, overload_method
from knightfall.native.location import LocationType

_LARGEST = 1_000  # maximum number of rows or columns of an index


class ConstantDictionary:
    """An immutable dictionary; ``keys`` and ``values`` are in the form that compiled code uses."""

    def __init__(self, keys: tuple[Any, ...], values: tuple[Any, ...]) -> None:
        self.keys = keys
        self.values = values
        self.digest = hashlib.blake2b(repr((keys, values)).encode(), digest_size=8).hexdigest()


class ConstantDictionaryType(types.Type):
    """The Numba type of one constant dictionary."""

    def __init__(self, dictionary: ConstantDictionary) -> None:
        self.dictionary = dictionary
        super().__init__(f"ConstantDictionary{dictionary.digest}")

    @property
    def key(self) -> str:
        return self.dictionary.digest


@register_model(ConstantDictionaryType)
class _Model(models.OpaqueModel):
    pass


@typeof_impl.register(ConstantDictionary)
def _typeof(value: ConstantDictionary, context: Any) -> ConstantDictionaryType:
    return ConstantDictionaryType(value)


def _lower_constant(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


def _register_constant() -> None:
    from numba.core.imputils import lower_constant

    lower_constant(ConstantDictionaryType)(_lower_constant)


_register_constant()


def _are_pairs(keys: tuple[Any, ...]) -> bool:
    return all(
        isinstance(key, tuple) and len(key) == 2 and all(type(part) is int and 0 <= part < _LARGEST for part in key)
        for key in keys
    )


def _finder(keys: tuple[Any, ...], asked: Any) -> Any:
    """Return a function that maps a key of type ``asked`` to its index among the keys, or to -1."""
    if _are_pairs(keys):
        index = np.full((max(k[0] for k in keys) + 1, max(k[1] for k in keys) + 1), -1, np.int64)
        for at, (row, column) in enumerate(keys):
            index[row, column] = at
        rows, columns = index.shape
        if isinstance(asked, LocationType):

            def find_location(key: Any) -> Any:
                inside = key.placed and key.row < rows and key.column < columns
                return index[key.row, key.column] if inside else -1

            return register_jitable(find_location)
        if isinstance(asked, types.BaseTuple) and len(asked) == 2:

            def find_pair(key: Any) -> Any:
                row, column = key
                if row != int(row) or column != int(column) or not (0 <= row < rows and 0 <= column < columns):
                    return -1
                return index[int(row), int(column)]

            return register_jitable(find_pair)
        return register_jitable(lambda key: -1)
    if all(type(key) in (int, bool, float) for key in keys):
        numbers = np.array(keys, np.float64)
        if not isinstance(asked, types.Number | types.Boolean):
            return register_jitable(lambda key: -1)

        def find_number(key: Any) -> Any:
            for at in range(len(numbers)):
                if numbers[at] == key:
                    return at
            return -1

        return register_jitable(find_number)

    def find(key: Any) -> Any:
        for at, known in enumerate(keys):
            if known == key:
                return at
        return -1

    return register_jitable(find)


def _picker(values: tuple[Any, ...]) -> Any:
    """Return a function that maps an index to the value at that index."""
    if all(type(value) in (int, bool, float) for value in values):
        kind = np.float64 if any(type(value) is float for value in values) else np.int64
        numbers = np.array(values, kind)
        return register_jitable(lambda at: numbers[at])
    if all(isinstance(value, list) for value in values):
        items = tuple(item for value in values for item in value)
        ends = np.cumsum([0, *map(len, values)])
        pick = _picker(items)

        def pick_list(at: Any) -> Any:
            return [pick(place) for place in range(ends[at], ends[at + 1])]

        return register_jitable(pick_list)
    return register_jitable(lambda at: values[at])


def _is_dictionary(kind: Any) -> bool:
    return isinstance(kind, ConstantDictionaryType)


@overload(len)
def _len(dictionary: Any) -> Any:
    if not _is_dictionary(dictionary):
        return None
    size = len(dictionary.dictionary.keys)
    return lambda dictionary: size


@overload(operator.contains)
def _contains(dictionary: Any, key: Any) -> Any:
    if not _is_dictionary(dictionary):
        return None
    find = _finder(dictionary.dictionary.keys, key)
    return lambda dictionary, key: find(key) >= 0


@overload(operator.getitem)
def _getitem(dictionary: Any, key: Any) -> Any:
    if not _is_dictionary(dictionary):
        return None
    find, pick = _finder(dictionary.dictionary.keys, key), _picker(dictionary.dictionary.values)

    def getitem(dictionary: Any, key: Any) -> Any:
        at = find(key)
        if at < 0:
            raise KeyError("no such key")
        return pick(at)

    return getitem


@overload_method(ConstantDictionaryType, "get")
def _get(dictionary: Any, key: Any, default: Any = None) -> Any:
    find, pick = _finder(dictionary.dictionary.keys, key), _picker(dictionary.dictionary.values)

    def get(dictionary: Any, key: Any, default: Any = None) -> Any:
        at = find(key)
        if at < 0:
            return default
        return pick(at)

    return get


@overload_method(ConstantDictionaryType, "keys")
def _keys(dictionary: Any) -> Any:
    size, key_at = len(dictionary.dictionary.keys), _picker(dictionary.dictionary.keys)
    return lambda dictionary: [key_at(at) for at in range(size)]


@overload_method(ConstantDictionaryType, "values")
def _values(dictionary: Any) -> Any:
    size, pick = len(dictionary.dictionary.keys), _picker(dictionary.dictionary.values)
    return lambda dictionary: [pick(at) for at in range(size)]


@overload_method(ConstantDictionaryType, "items")
def _items(dictionary: Any) -> Any:
    size = len(dictionary.dictionary.keys)
    key_at, pick = _picker(dictionary.dictionary.keys), _picker(dictionary.dictionary.values)
    return lambda dictionary: [(key_at(at), pick(at)) for at in range(size)]


@overload_method(ConstantDictionaryType, "copy")
def _copy(dictionary: Any) -> Any:
    return lambda dictionary: dictionary


@lower_builtin(bool, ConstantDictionaryType)
def _truth(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.get_constant(types.boolean, bool(sig.args[0].dictionary.keys))
