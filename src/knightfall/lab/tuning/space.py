"""The search space: parameters and ranges, from a string such as ``central_mobility(peak=?, opponent=?0.5..2)``.

The heuristic declares the default ranges, in the catalogue or in a user's file. The string can narrow them.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.loader import load
from knightfall.catalogue.registry import parse_parameters
from knightfall.compiler.errors import HeuristicError
from knightfall.lab.tuning.errors import BadParameter, TuningError

NUMBER, WHOLE, CHOICE = "number", "whole number", "choice"

_DIGITS = 3  # digits of a number relative to the size of its range; differences beyond these cannot be measured

Value = float | int | bool | str
Setting = dict[str, Value]
"""A value for each tuned parameter."""


@dataclass(frozen=True)
class Parameter:
    """One parameter: a number or a whole number from ``low`` to ``high``, or one of several ``choices``."""

    name: str
    kind: str
    low: float = 0.0
    high: float = 0.0
    choices: tuple[Value, ...] = ()

    @property
    def count(self) -> int | None:
        """The number of possible values, or None for numbers that are not whole."""
        if self.kind == CHOICE:
            return len(self.choices)
        return int(self.high) - int(self.low) + 1 if self.kind == WHOLE else None

    def at(self, share: float) -> Value:
        """Return the value at this share (0 to 1) of the range.

        >>> Parameter("peak", "number", 0, 12).at(1 / 3), Parameter("k", "whole number", 1, 8).at(0.99)
        (4.0, 8)
        """
        if self.count is not None:
            step = min(int(share * self.count), self.count - 1)
            return self.choices[step] if self.kind == CHOICE else int(self.low) + step
        return self.rounded(self.low + share * (self.high - self.low))

    def rounded(self, value: float) -> float:
        """Return a number rounded to the digits that matter in its range, and clamped to the range."""
        digits = max(_DIGITS - math.floor(math.log10(self.high - self.low)), 0)
        return min(max(round(float(value), digits), self.low), self.high)

    def place(self, value: Value) -> float:
        """Return the place of a value in the range, from 0 to 1. Choices have equal distances."""
        if self.kind == CHOICE:
            return self.choices.index(value) / max(len(self.choices) - 1, 1)
        return (float(value) - self.low) / (self.high - self.low)

    def holds(self, value: Value) -> bool:
        """Return whether a value lies in the range."""
        return value in self.choices if self.kind == CHOICE else self.low <= float(value) <= self.high

    def levels(self, count: int) -> list[Value]:
        """Return ``count`` values at equal distances from end to end.

        Choices, and whole numbers with at most ``count`` values, give all their values.

        >>> Parameter("peak", "number", 0, 12).levels(5), Parameter("k", "whole number", 1, 4).levels(9)
        ([0.0, 3.0, 6.0, 9.0, 12.0], [1, 2, 3, 4])
        """
        if self.count is not None and (self.kind == CHOICE or self.count <= count):
            return [self.at(step / self.count + 1e-9) for step in range(self.count)]
        places = [self.low + step / (count - 1) * (self.high - self.low) for step in range(count)]
        if self.kind == WHOLE:
            return list(dict.fromkeys(round(place) for place in places))
        return [self.rounded(place) for place in places]

    def facts(self) -> dict[str, Any]:
        """Return the parameter as a dictionary for JSON."""
        if self.kind == CHOICE:
            return {"name": self.name, "kind": self.kind, "choices": list(self.choices)}
        return {"name": self.name, "kind": self.kind, "low": self.low, "high": self.high}

    @classmethod
    def from_facts(cls, told: Mapping[str, Any]) -> Parameter:
        """Read a parameter from the result of :meth:`facts`."""
        low, high = float(told.get("low", 0)), float(told.get("high", 0))
        return cls(str(told["name"]), str(told["kind"]), low, high, tuple(told.get("choices", ())))


@dataclass(frozen=True)
class Space:
    """A heuristic with its fixed parameters, the tuned parameters, and the start setting to improve on."""

    heuristic: Heuristic
    parameters: tuple[Parameter, ...]
    start: Setting = field(hash=False)

    def make(self, setting: Setting) -> Heuristic:
        """Return the heuristic with this setting."""
        made: Heuristic = self.heuristic(**setting)
        return made

    def holds(self, setting: Setting) -> bool:
        """Return whether a setting lies in the ranges. The start may lie outside."""
        return all(parameter.holds(setting[parameter.name]) for parameter in self.parameters)

    @cached_property
    def count(self) -> int | None:
        """The number of settings, or None if a parameter is a number that is not whole."""
        counts = [parameter.count for parameter in self.parameters]
        return None if None in counts else math.prod(count or 0 for count in counts)

    def every(self) -> list[Setting]:
        """Return all settings. Call only if ``count`` is not None."""
        values = [parameter.levels(parameter.count or 0) for parameter in self.parameters]
        names = [parameter.name for parameter in self.parameters]
        return [dict(zip(names, chosen, strict=True)) for chosen in product(*values)]


def read_space(text: str, start: str = "") -> Space:
    """Parse a string that says what to tune.

    The start setting has the heuristic's defaults, changed by ``start``, as in ``peak=0, opponent=4``. A bare name
    means every parameter for which the heuristic declares a range or choices.

    >>> space = read_space("central_mobility(peak=?, opponent=?0.5..2)", "peak=0")
    >>> [(parameter.name, parameter.low, parameter.high) for parameter in space.parameters], space.start
    ([('peak', 0.0, 12.0), ('opponent', 0.5, 2.0)], {'peak': 0.0, 'opponent': 1.5})
    """
    name, told = parse_parameters(text)
    base = load(name)
    asked = {key: value[1:] for key, value in told.items() if isinstance(value, str) and value.startswith("?")}
    if "(" not in text:
        asked = {key: "" for key in base.code.defaults if _is_declared(base, key)}
    for key in asked:
        if key not in base.code.defaults:
            base(**{key: 0})  # raises an error that lists the parameters
    if not asked:
        raise TuningError(_nothing_asked(text, base))
    fixed = {key: value for key, value in told.items() if key not in asked}
    heuristic: Heuristic = base(**fixed) if fixed else base
    parameters = tuple(_parameter(heuristic, key, words) for key, words in asked.items())
    return Space(heuristic, parameters, _start(heuristic, parameters, start))


def _nothing_asked(text: str, heuristic: Heuristic) -> str:
    known = list(heuristic.code.defaults)
    if not known:
        return f"{heuristic.name} has no parameters: there is nothing to tune"
    if "(" not in text:
        example = f"{heuristic.text}({known[0]}=?LOW..HIGH)"
        return f"{heuristic.name} declares no ranges: say from where to where, as in '{example}'"
    return f"{text!r}: nothing is to be tuned: write ? for a value, as in {known[0]}=?"


def _is_declared(heuristic: Heuristic, name: str) -> bool:
    is_choice = name in heuristic.metadata.choices or isinstance(heuristic.code.defaults[name], bool)
    return is_choice or name in declared_ranges(heuristic)


def declared_ranges(heuristic: Heuristic) -> Mapping[str, Any]:
    """Return the ranges declared by ``@heuristic(ranges=…)``. A user's file is parsed for them, not run."""
    if heuristic.metadata.ranges:
        return heuristic.metadata.ranges
    program = heuristic.code.program
    for decorator in program.node.decorator_list if program is not None else ():
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg == "ranges":
                try:
                    found = ast.literal_eval(keyword.value)
                except ValueError:
                    return {}
                return found if isinstance(found, dict) else {}
    return {}


def _parameter(heuristic: Heuristic, name: str, words: str) -> Parameter:
    """Return one parameter; ``words`` is the text after the question mark."""
    default = heuristic.code.defaults[name]
    shown = f"{heuristic.name}: {name}"
    choices: tuple[Value, ...] = heuristic.metadata.choices.get(name, ())
    if choices or isinstance(default, bool):
        known: tuple[Value, ...] = choices or (False, True)
        if not words:
            return Parameter(name, CHOICE, choices=known)
        kept = tuple(choice for choice in known if str(choice) in words.split("|"))
        if len(kept) < 2 or len(kept) < len(words.split("|")):
            every = "|".join(str(choice) for choice in known)
            raise TuningError(f"{shown} is chosen from {every}: two or more of them are expected, not {words!r}")
        return Parameter(name, CHOICE, choices=kept)
    if isinstance(default, str):
        raise TuningError(f"{shown} is a text without declared choices, and cannot be tuned")
    kind = WHOLE if isinstance(default, int) else NUMBER
    if not words:
        ends = declared_ranges(heuristic).get(name)
        if ends is None:
            raise TuningError(f"{shown} has no declared range: say from where to where, as in {name}=?LOW..HIGH")
        return _ranged(shown, name, kind, tuple(ends), f"the declared range {ends}")
    low, dots, high = words.partition("..")
    try:
        found = (float(low), float(high)) if dots else ()
    except ValueError:
        found = ()
    return _ranged(shown, name, kind, found, repr(words))


def _ranged(shown: str, name: str, kind: str, ends: tuple[Any, ...], told: str) -> Parameter:
    is_good = len(ends) == 2 and all(isinstance(end, int | float) and math.isfinite(end) for end in ends)
    if not is_good or not ends[0] < ends[1] or (kind == WHOLE and any(end != int(end) for end in ends)):
        expected = "two whole numbers" if kind == WHOLE else "two numbers"
        raise TuningError(f"{shown}: {expected} LOW..HIGH are expected, the first one smaller, not {told}")
    return Parameter(name, kind, float(ends[0]), float(ends[1]))


def _start(heuristic: Heuristic, parameters: tuple[Parameter, ...], text: str) -> Setting:
    names = [parameter.name for parameter in parameters]
    try:
        _, given = parse_parameters(f"start({text.strip()})")
        for name in given:
            if name in heuristic.code.defaults and name not in names:
                raise TuningError(f"{name} is not tuned: what is fixed stands in the brackets of {heuristic.name}")
        values = heuristic(**given).parameters
    except (HeuristicError, TuningError) as error:
        raise BadParameter("{start}: {error}", error=error) from None
    return {name: values[name] for name in names}


def setting_words(setting: Setting) -> str:
    """Return a setting as text.

    >>> setting_words({"peak": 6.0, "metric": "d1"})
    'peak=6, metric=d1'
    """
    return ", ".join(f"{name}={value_words(value)}" for name, value in setting.items())


def value_words(value: Value) -> str:
    """Return a value as short text, numbers with at most 10 significant digits."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)
