"""Functions that replace some of Python's built-in functions in rewritten heuristics.

Each is an ordinary function, which the interpreted twin calls, with an overload that Numba compiles. Functions that
count iterations or draw random numbers take the game as an argument. Every function that calls them receives the game
as a hidden parameter.
"""

from __future__ import annotations

import operator
import statistics
from typing import Any

from numba.core import types

from knightfall.compiler import array_words, random_words, square_words
from knightfall.native import control
from knightfall.native.extending import overload
from knightfall.native.squares import SquaresType
from knightfall.native.view import GameType

LOOSE_LOOPS = 1_000_000
"""The maximum number of iterations of a `while` loop in a function without access to the game."""

INFINITY = float("inf")


class ReturnsNone(Exception):
    """A branch of a function returns no value."""


def _is_game(kind: Any) -> bool:
    return isinstance(kind, GameType)


# --- counting


def count_loop(rounds: int, game: Any = None) -> int:
    """Count one iteration of a `while` loop; return the number of iterations so far."""
    if game is not None:
        game.control.tick()
    elif rounds >= LOOSE_LOOPS:
        raise control.OutOfTicks("it does not end: out of ticks")
    return rounds + 1


@overload(count_loop)
def _count_loop(rounds: Any, game: Any = None) -> Any:
    if _is_game(game):

        def with_game(rounds: Any, game: Any = None) -> Any:
            control.tick(game._control)
            return rounds + 1

        return with_game

    def without(rounds: Any, game: Any = None) -> Any:
        if rounds >= LOOSE_LOOPS:
            raise control.OutOfTicks("it does not end: out of ticks")
        return rounds + 1

    return without


def count_call(game: Any = None) -> None:
    """Count one call of a recursive function."""
    if game is not None:
        game.control.tick()


@overload(count_call)
def _count_call(game: Any = None) -> Any:
    if not _is_game(game):
        return None  # the recursion cannot be limited, so such a function runs interpreted

    def with_game(game: Any = None) -> Any:
        control.enter(game._control)

    return with_game


# --- built-in functions that Numba does not support for every kind of list


def largest(items: Any) -> Any:
    """Implement `max(items)`."""
    return max(items)


@overload(largest)
def _largest(items: Any) -> Any:
    def implementation(items: Any) -> Any:
        if len(items) == 0:
            raise ValueError("max() of an empty list")
        best = items[0]
        for item in items:
            if item > best:
                best = item
        return best

    return implementation


def smallest(items: Any) -> Any:
    """Implement `min(items)`."""
    return min(items)


@overload(smallest)
def _smallest(items: Any) -> Any:
    def implementation(items: Any) -> Any:
        if len(items) == 0:
            raise ValueError("min() of an empty list")
        best = items[0]
        for item in items:
            if item < best:
                best = item
        return best

    return implementation


def pick_largest(items: Any, keys: Any) -> Any:
    """Implement `max(items, key=…)` with precomputed keys."""
    return items[max(range(len(keys)), key=keys.__getitem__)]


@overload(pick_largest)
def _pick_largest(items: Any, keys: Any) -> Any:
    def implementation(items: Any, keys: Any) -> Any:
        if len(keys) == 0:
            raise ValueError("max() of an empty list")
        best = 0
        for at in range(1, len(keys)):
            if keys[at] > keys[best]:
                best = at
        return items[best]

    return implementation


def pick_smallest(items: Any, keys: Any) -> Any:
    """Implement `min(items, key=…)` with precomputed keys."""
    return items[min(range(len(keys)), key=keys.__getitem__)]


@overload(pick_smallest)
def _pick_smallest(items: Any, keys: Any) -> Any:
    def implementation(items: Any, keys: Any) -> Any:
        if len(keys) == 0:
            raise ValueError("min() of an empty list")
        best = 0
        for at in range(1, len(keys)):
            if keys[at] < keys[best]:
                best = at
        return items[best]

    return implementation


def in_order(items: Any, keys: Any, reverse: Any) -> Any:
    """Implement `sorted(items, key=…, reverse=…)` with precomputed keys."""
    places = sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)
    return [items[at] for at in places]


@overload(in_order)
def _in_order(items: Any, keys: Any, reverse: Any) -> Any:
    def implementation(items: Any, keys: Any, reverse: Any) -> Any:
        # Insertion sort: stable, as Python's is, and fast enough for short lists.
        ordered = list(items)
        marks = list(keys)
        for at in range(1, len(ordered)):
            item, mark = ordered[at], marks[at]
            back = at
            while back > 0 and (marks[back - 1] < mark if reverse else mark < marks[back - 1]):
                ordered[back], marks[back] = ordered[back - 1], marks[back - 1]
                back -= 1
            ordered[back], marks[back] = item, mark
        return ordered

    return implementation


def total(items: Any) -> Any:
    """Implement `sum(items)`."""
    return sum(items)


@overload(total)
def _total(items: Any) -> Any:
    def implementation(items: Any) -> Any:
        result = 0
        for item in items:
            result += item
        return result

    return implementation


def any_true(items: Any) -> bool:
    """Implement `any(items)`."""
    return any(items)


@overload(any_true)
def _any_true(items: Any) -> Any:
    def implementation(items: Any) -> Any:
        for item in items:  # noqa: SIM110
            if item:
                return True
        return False

    return implementation


def all_true(items: Any) -> bool:
    """Implement `all(items)`."""
    return all(items)


@overload(all_true)
def _all_true(items: Any) -> Any:
    def implementation(items: Any) -> Any:
        for item in items:  # noqa: SIM110
            if not item:
                return False
        return True

    return implementation


def mean(items: Any) -> Any:
    """Implement `statistics.mean(items)` and `np.mean(items)` for a list."""
    return statistics.fmean(items)


@overload(mean)
def _mean(items: Any) -> Any:
    def implementation(items: Any) -> Any:
        if len(items) == 0:
            raise ValueError("the mean of an empty list")
        result = 0.0
        for item in items:
            result += item
        return result / len(items)

    return implementation


def as_set(items: Any) -> Any:
    """Implement `set(items)`; a set of squares is returned unchanged."""
    return set(items)


@overload(as_set)
def _as_set(items: Any) -> Any:
    if isinstance(items, SquaresType | types.Set):
        return lambda items: items
    return lambda items: set(items)


def as_list(items: Any) -> Any:
    """Implement `list(items)`."""
    return list(items)


@overload(as_list)
def _as_list(items: Any) -> Any:
    return lambda items: list(items)


def as_changing_set(items: Any) -> Any:
    """Implement `set(items)` for sets that change later or are combined with other sets than sets of squares."""
    return set(items)


@overload(as_changing_set)
def _as_changing_set(items: Any) -> Any:
    return lambda items: set(items)


def power(base: Any, exponent: Any) -> Any:
    """Implement `base ** exponent`."""
    return base**exponent


@overload(power)
def _power(base: Any, exponent: Any) -> Any:
    # Python's integers grow without limit, and a negative exponent yields a fraction. Floats cover both cases.
    return lambda base, exponent: float(base) ** float(exponent)


def plain(value: Any) -> Any:
    """Return the value; Numba no longer treats it as a constant."""
    return value


@overload(plain)
def _plain(value: Any) -> Any:
    return lambda value: value


def as_number(value: Any) -> Any:
    """Convert a heuristic's result to a float; raise ReturnsNone if it is None."""
    return float(value)


@overload(as_number)
def _as_number(value: Any) -> Any:
    if isinstance(value, types.Optional):

        def unless_none(value: Any) -> Any:
            if value is None:
                raise ReturnsNone("it returns None")
            return value * 1.0

        return unless_none
    return lambda value: to_float(value)


def to_float(value: Any) -> Any:
    """Implement `float(value)`."""
    return float(value)


@overload(to_float)
def _to_float(value: Any) -> Any:
    if isinstance(value, types.Boolean):
        return lambda value: 1.0 if value else 0.0
    return lambda value: float(value)


@overload(operator.eq)
def _list_and_tuple(one: Any, other: Any) -> Any:
    for a, b in ((one, other), (other, one)):
        if isinstance(a, types.List) and isinstance(b, types.BaseTuple):
            return lambda one, other: False  # in Python, a list never equals a tuple
    return None


def largest_or(items: Any, default: Any) -> Any:
    """Implement `max(items, default=default)`."""
    return max(items, default=default)


@overload(largest_or)
def _largest_or(items: Any, default: Any) -> Any:
    return lambda items, default: largest(items) if len(items) > 0 else default


def smallest_or(items: Any, default: Any) -> Any:
    """Implement `min(items, default=default)`."""
    return min(items, default=default)


@overload(smallest_or)
def _smallest_or(items: Any, default: Any) -> Any:
    return lambda items, default: smallest(items) if len(items) > 0 else default


def pick_largest_or(items: Any, keys: Any, default: Any) -> Any:
    """Implement `max(items, key=…, default=default)` with precomputed keys."""
    return pick_largest(items, keys) if len(keys) else default


@overload(pick_largest_or)
def _pick_largest_or(items: Any, keys: Any, default: Any) -> Any:
    return lambda items, keys, default: pick_largest(items, keys) if len(keys) > 0 else default


def pick_smallest_or(items: Any, keys: Any, default: Any) -> Any:
    """Implement `min(items, key=…, default=default)` with precomputed keys."""
    return pick_smallest(items, keys) if len(keys) else default


@overload(pick_smallest_or)
def _pick_smallest_or(items: Any, keys: Any, default: Any) -> Any:
    return lambda items, keys, default: pick_smallest(items, keys) if len(keys) > 0 else default


# --- constant dictionaries, stored as a sequence of keys and a sequence of values


def has_key(keys: Any, key: Any) -> bool:
    """Implement `key in dictionary`."""
    return key in keys


@overload(has_key)
def _has_key(keys: Any, key: Any) -> Any:
    def implementation(keys: Any, key: Any) -> Any:
        for known in keys:  # noqa: SIM110
            if key == known:
                return True
        return False

    return implementation


def look_up(keys: Any, values: Any, key: Any) -> Any:
    """Implement `dictionary[key]`."""
    return values[keys.index(key)]


@overload(look_up)
def _look_up(keys: Any, values: Any, key: Any) -> Any:
    def implementation(keys: Any, values: Any, key: Any) -> Any:
        for at in range(len(keys)):
            if key == keys[at]:
                return values[at]
        raise KeyError("no such key")

    return implementation


def look_up_or(keys: Any, values: Any, key: Any, default: Any) -> Any:
    """Implement `dictionary.get(key, default)`."""
    return values[keys.index(key)] if key in keys else default


@overload(look_up_or)
def _look_up_or(keys: Any, values: Any, key: Any, default: Any) -> Any:
    def implementation(keys: Any, values: Any, key: Any, default: Any) -> Any:
        for at in range(len(keys)):
            if key == keys[at]:
                return values[at]
        return default

    return implementation


WORDS: dict[str, Any] = {
    f"_kf_{function.__name__}": function
    for function in (
        *random_words.WORDS,
        *array_words.WORDS,
        *square_words.WORDS,
        count_loop,
        count_call,
        largest,
        smallest,
        pick_largest,
        pick_smallest,
        in_order,
        total,
        any_true,
        all_true,
        mean,
        as_set,
        as_list,
        as_changing_set,
        as_number,
        to_float,
        plain,
        power,
        largest_or,
        smallest_or,
        pick_largest_or,
        pick_smallest_or,
        has_key,
        look_up,
        look_up_or,
    )
} | {"_kf_infinity": INFINITY}
