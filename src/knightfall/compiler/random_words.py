"""Functions that replace those of `random` and `numpy.random` in rewritten heuristics.

The numbers come from a generator that is seeded by the position. Compiled and interpreted code draw the same numbers.
"""

from __future__ import annotations

import math
from typing import Any

from numba.core import types

from knightfall.native import control
from knightfall.native.extending import overload
from knightfall.native.view import GameType


def random_number(game: Any) -> float:
    """Implement `random.random()`."""
    if game is None:
        raise TypeError("random numbers need the game: call the function by its name")
    return game.control.random_word() / 9007199254740992.0


@overload(random_number)
def _random_number(game: Any) -> Any:
    if not isinstance(game, GameType):
        return None
    return lambda game: control.random_word(game._control) / 9007199254740992.0


def random_between(game: Any, low: Any, high: Any) -> Any:
    """Implement `random.uniform(low, high)`."""
    return low + (high - low) * random_number(game)


@overload(random_between)
def _random_between(game: Any, low: Any, high: Any) -> Any:
    return lambda game, low, high: low + (high - low) * random_number(game)


def random_uniform(game: Any, low: Any = 0.0, high: Any = 1.0) -> Any:
    """Implement `numpy.random.uniform(low, high)`."""
    return low + (high - low) * random_number(game)


@overload(random_uniform)
def _random_uniform(game: Any, low: Any = 0.0, high: Any = 1.0) -> Any:
    return lambda game, low=0.0, high=1.0: low + (high - low) * random_number(game)


def random_whole(game: Any, low: Any, high: Any) -> Any:
    """Implement `random.randint(low, high)`."""
    return low + int(random_number(game) * (high - low + 1))


@overload(random_whole)
def _random_whole(game: Any, low: Any, high: Any) -> Any:
    return lambda game, low, high: low + int(random_number(game) * (high - low + 1))


def random_below(game: Any, low: Any, high: Any = None) -> Any:
    """Implement `random.randrange(low, high)` and `numpy.random.randint(low, high)`."""
    return int(random_number(game) * low) if high is None else low + int(random_number(game) * (high - low))


@overload(random_below)
def _random_below(game: Any, low: Any, high: Any = None) -> Any:
    if high is None or isinstance(high, types.NoneType | types.Omitted):
        return lambda game, low, high=None: int(random_number(game) * low)
    return lambda game, low, high=None: low + int(random_number(game) * (high - low))


def random_normal(game: Any, mean: Any, deviation: Any) -> Any:
    """Implement `random.gauss(mean, deviation)` with the Box-Muller transform."""
    radius = math.sqrt(-2.0 * math.log(1.0 - random_number(game)))
    return mean + deviation * radius * math.cos(2.0 * math.pi * random_number(game))


@overload(random_normal)
def _random_normal(game: Any, mean: Any, deviation: Any) -> Any:
    def implementation(game: Any, mean: Any, deviation: Any) -> Any:
        radius = math.sqrt(-2.0 * math.log(1.0 - random_number(game)))
        return mean + deviation * radius * math.cos(2.0 * math.pi * random_number(game))

    return implementation


def random_gauss(game: Any, mean: Any = 0.0, deviation: Any = 1.0) -> Any:
    """Implement `numpy.random.normal(mean, deviation)`."""
    return random_normal(game, mean, deviation)


@overload(random_gauss)
def _random_gauss(game: Any, mean: Any = 0.0, deviation: Any = 1.0) -> Any:
    return lambda game, mean=0.0, deviation=1.0: random_normal(game, mean, deviation)


def random_seed(game: Any, *seed: Any) -> None:
    """Do nothing, in place of `random.seed(…)`: the position is the seed."""


@overload(random_seed)
def _random_seed(game: Any, *seed: Any) -> Any:
    return lambda game, *seed: None


def random_choice(game: Any, items: Any) -> Any:
    """Implement `random.choice(items)`."""
    return items[int(random_number(game) * len(items))]


@overload(random_choice)
def _random_choice(game: Any, items: Any) -> Any:
    def implementation(game: Any, items: Any) -> Any:
        if len(items) == 0:
            raise IndexError("list index out of range")
        return items[int(random_number(game) * len(items))]

    return implementation


def random_shuffle(game: Any, items: Any) -> None:
    """Implement `random.shuffle(items)`."""
    for last in range(len(items) - 1, 0, -1):
        other = int(random_number(game) * (last + 1))
        items[last], items[other] = items[other], items[last]


@overload(random_shuffle)
def _random_shuffle(game: Any, items: Any) -> Any:
    def implementation(game: Any, items: Any) -> None:
        for last in range(len(items) - 1, 0, -1):
            other = int(random_number(game) * (last + 1))
            kept = items[last]
            items[last] = items[other]
            items[other] = kept

    return implementation


def random_sample(game: Any, items: Any, size: Any) -> Any:
    """Implement `random.sample(items, size)`."""
    left = list(items)
    if not 0 <= size <= len(left):
        raise ValueError("Sample larger than population or is negative")
    random_shuffle(game, left)
    return left[:size]


@overload(random_sample)
def _random_sample(game: Any, items: Any, size: Any) -> Any:
    def implementation(game: Any, items: Any, size: Any) -> Any:
        left = list(items)
        if size < 0 or size > len(left):
            raise ValueError("Sample larger than population or is negative")
        random_shuffle(game, left)
        return left[:size]

    return implementation


WORDS = (
    random_number,
    random_between,
    random_uniform,
    random_whole,
    random_below,
    random_normal,
    random_gauss,
    random_seed,
    random_choice,
    random_shuffle,
    random_sample,
)
