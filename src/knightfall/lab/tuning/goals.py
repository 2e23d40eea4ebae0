"""What a setting is worth: a goal measures settings in one place, and compares two of them in another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from knightfall.arena.statistics.pairs import Interval
from knightfall.catalogue.heuristic import Heuristic

Say = Callable[[str], None]
"""Told how far a measurement is."""


@dataclass(frozen=True)
class Measured:
    """What a setting reached; ``faults`` are games that it lost by something else than being stuck."""

    value: Interval
    faults: int = 0


@dataclass(frozen=True)
class Compared:
    """Two settings where tuning never looked: what each reached, and the paired difference."""

    challenger: Interval
    start: Interval
    difference: Interval
    faults: int = 0


class Goal(ABC):
    """What is made as large as possible."""

    kind: str
    unit: str
    """What the value is the share of, as in "wins kept"."""

    seen: str
    """What it is measured on, as in "5,900 critical positions"."""

    unseen: str
    """What the confirmation is made on."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """All that decides what is measured, for the head of the study."""

    @abstractmethod
    def code(self) -> dict[str, Any]:
        """The versions and sources that the values depend on."""

    @abstractmethod
    def measure(self, heuristic: Heuristic, say: Say) -> Measured:
        """The value of one setting."""

    @abstractmethod
    def compare(self, challenger: Heuristic, start: Heuristic, say: Say) -> Compared:
        """Two settings compared on what tuning never saw."""

    @abstractmethod
    def stop(self) -> None:
        """End soon; called when a signal comes."""

    def close(self) -> None:  # noqa: B027 (not every goal has something to let go of)
        """Let go of what was needed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
