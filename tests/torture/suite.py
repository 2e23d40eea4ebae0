"""The kinds of faults in this package, and the function that tries one kind."""

from __future__ import annotations

import importlib
import pkgutil
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

PARTS = Path(__file__).parent
_FRAME = ("suite", "run")


class Torture(Protocol):
    """One module of this package."""

    TITLE: str
    PROMISE: str
    FULL: int
    REDUCED: int

    def torture(self, tries: int, chance: random.Random, folder: Path) -> Sequence[str]:
        """Make the tries; return a line for each broken promise."""


@dataclass(frozen=True)
class Outcome:
    """The result of one kind of fault."""

    name: str
    title: str
    promise: str
    tries: int
    broken: tuple[str, ...]
    seconds: float

    @property
    def survived(self) -> int:
        """The number of tries that kept the promise."""
        return self.tries - len(self.broken)


def names() -> list[str]:
    """Return the names of the kinds of faults, in alphabetical order."""
    return sorted(module.name for module in pkgutil.iter_modules([str(PARTS)]) if module.name not in _FRAME)


def load(name: str) -> Torture:
    """Return the module for one kind of fault."""
    return cast("Torture", importlib.import_module(f"torture.{name}"))


def try_one(name: str, tries: int, seed: int, folder: Path) -> Outcome:
    """Provoke one kind of fault ``tries`` times; the same seed gives the same faults."""
    module = load(name)
    began = time.monotonic()
    broken = tuple(module.torture(tries, random.Random(f"{seed} {name}"), folder))
    return Outcome(name, module.TITLE, module.PROMISE, tries, broken, time.monotonic() - began)
