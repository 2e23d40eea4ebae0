"""The limits of one move."""

from __future__ import annotations

from dataclasses import dataclass, fields

DEFAULT_NODES = 5_000
"""The default budget. It is roughly what the 150 ms of the published tournaments allowed."""


@dataclass(frozen=True)
class Budget:
    """The limits of one move. None means no limit."""

    depth: int | None = None
    nodes: int | None = None
    ms: float | None = None
    playouts: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is no limit."""
        return self.depth is None and self.nodes is None and self.ms is None and self.playouts is None

    @property
    def is_repeatable(self) -> bool:
        """Whether it has the same effect on every machine."""
        return self.ms is None

    def settings(self) -> list[str]:
        """Return the limits as they are written in an agent's text."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return [f"{name}={number_text(value)}" for name, value in given.items() if value is not None]


def number_text(value: float) -> str:
    """Return the shortest text of a number that can be read back.

    >>> number_text(5000), number_text(0.1), number_text(2.0), number_text(1.23456789)
    ('5000', '0.1', '2', '1.23456789')
    """
    short = f"{value:.12g}"
    return short if not isinstance(value, int) and float(short) == value and "e" not in short else repr(value)
