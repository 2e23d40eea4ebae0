"""Goals: what tuning maximises. A goal measures settings on some data, and compares two of them on other data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from knightfall.arena.statistics.pairs import Interval
from knightfall.catalogue.heuristic import Heuristic

Say = Callable[[str], None]
"""Called with the progress of a measurement."""


@dataclass(frozen=True)
class Measured:
    """The value of a setting. ``faults`` counts games lost for another reason than being stuck."""

    value: Interval
    faults: int = 0


@dataclass(frozen=True)
class Compared:
    """Two settings on data that tuning never saw: the value of each, and their paired difference."""

    challenger: Interval
    start: Interval
    difference: Interval
    faults: int = 0


class Goal(ABC):
    """A value to maximise."""

    kind: str
    unit: str
    """What the value is a share of, as in "wins kept"."""

    seen: str
    """The data used for tuning, as in "5,900 critical positions"."""

    unseen: str
    """The data used for the confirmation."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Return everything that decides what is measured, for the header of the study."""

    @abstractmethod
    def code(self) -> dict[str, Any]:
        """Return the versions and sources that the values depend on."""

    @abstractmethod
    def measure(self, heuristic: Heuristic, say: Say) -> Measured:
        """Return the value of one setting.

        Raise :class:`SettingFailed` if it cannot be measured.
        """

    @abstractmethod
    def compare(self, challenger: Heuristic, start: Heuristic, say: Say) -> Compared:
        """Compare two settings on data that tuning never saw."""

    @abstractmethod
    def stop(self) -> None:
        """Stop soon. Called when a signal is received."""

    def close(self) -> None:  # noqa: B027 (not every goal has something to let go of)
        """Release resources."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
