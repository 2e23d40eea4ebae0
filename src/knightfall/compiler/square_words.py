"""Functions that replace Python's functions for squares, lists of squares and boards in rewritten heuristics."""

from __future__ import annotations

import copy
from typing import Any

from numba.core import types

from knightfall.native.extending import overload
from knightfall.native.location import LocationType
from knightfall.native.location import pair_of as pair_of_location
from knightfall.native.squares import SquaresType
from knightfall.native.view import GameType, with_active_player


def as_tuple(items: Any) -> Any:
    """Implement `tuple(items)`."""
    return tuple(items)


@overload(as_tuple)
def _as_tuple(items: Any) -> Any:
    if isinstance(items, LocationType):
        return lambda items: pair_of_location(items)
    if isinstance(items, types.BaseTuple):
        return lambda items: items
    if isinstance(items, types.List | types.Set | SquaresType):
        return lambda items: list(items)  # supports the same reading operations: length, index, loop, membership
    return None


def pair_of(location: Any) -> Any:
    """Return a location as a plain pair."""
    return location


@overload(pair_of)
def _pair_of(location: Any) -> Any:
    return lambda location: pair_of_location(location)


def transposed(items: Any) -> Any:
    """Implement `zip(*items)` for pairs."""
    return list(zip(*items, strict=False))


@overload(transposed)
def _transposed(items: Any) -> Any:
    def implementation(items: Any) -> Any:
        if len(items) == 0:
            raise ValueError("not enough values to unpack (expected 2, got 0)")
        return ([item[0] for item in items], [item[1] for item in items])

    return implementation


def flattened(items: Any) -> Any:
    """Implement `list(itertools.chain(*items))`."""
    return [item for part in items for item in part]


@overload(flattened)
def _flattened(items: Any) -> Any:
    def implementation(items: Any) -> Any:
        joined = []
        for part in items:
            for item in part:
                joined.append(item)
        return joined

    return implementation


def with_active(game: Any, player: Any) -> Any:
    """Return the board with this player to move."""
    game._active_player = player
    return game


@overload(with_active)
def _with_active(game: Any, player: Any) -> Any:
    return lambda game, player: with_active_player(game, player)


def with_inactive(game: Any, player: Any) -> Any:
    """Return the board with the other player to move."""
    game._inactive_player = player
    return game


@overload(with_inactive)
def _with_inactive(game: Any, player: Any) -> Any:
    return lambda game, player: with_active_player(game, 3 - player)


def pairs_of(one: Any, other: Any) -> Any:
    """Implement `itertools.product(one, other)`."""
    return [(a, b) for a in one for b in other]


@overload(pairs_of)
def _pairs_of(one: Any, other: Any) -> Any:
    return lambda one, other: [(a, b) for a in one for b in other]


def pairs_among(items: Any) -> Any:
    """Implement `itertools.combinations(items, 2)`."""
    listed = list(items)
    return [(listed[a], listed[b]) for a in range(len(listed)) for b in range(a + 1, len(listed))]


@overload(pairs_among)
def _pairs_among(items: Any) -> Any:
    def implementation(items: Any) -> Any:
        listed = list(items)
        return [(listed[a], listed[b]) for a in range(len(listed)) for b in range(a + 1, len(listed))]

    return implementation


def copied(item: Any) -> Any:
    """Implement `copy.copy(item)` and `copy.deepcopy(item)`."""
    return copy.deepcopy(item)


@overload(copied)
def _copied(item: Any) -> Any:
    if isinstance(item, types.List | types.Set):
        return lambda item: item.copy()
    if isinstance(item, GameType | SquaresType | LocationType | types.Number | types.BaseTuple):
        return lambda item: item
    return None


def no_square_set() -> Any:
    """Return an empty set of squares, in place of `set()`."""
    return set()


@overload(no_square_set)
def _no_square_set() -> Any:
    return lambda: set([(0, 0)][:0])


def no_squares() -> Any:
    """Return an empty list of squares, in place of `[]`."""
    return []


@overload(no_squares)
def _no_squares() -> Any:
    return lambda: [(0, 0)][:0]


WORDS = (
    as_tuple,
    pair_of,
    transposed,
    flattened,
    pairs_of,
    pairs_among,
    copied,
    no_square_set,
    no_squares,
    with_active,
    with_inactive,
)
