"""What one move may cost."""

from __future__ import annotations

from dataclasses import dataclass, fields

DEFAULT_NODES = 5_000
"""The budget of an agent that is given none: about what the 150 ms of the published tournaments bought."""


@dataclass(frozen=True)
class Budget:
    """Limits of one move; what is None is not limited."""

    depth: int | None = None
    nodes: int | None = None
    ms: float | None = None
    playouts: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is limited."""
        return self.depth is None and self.nodes is None and self.ms is None and self.playouts is None

    @property
    def is_repeatable(self) -> bool:
        """Whether it means the same on every machine."""
        return self.ms is None

    def settings(self) -> list[str]:
        """As it stands in an agent's text."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return [f"{name}={number_text(value)}" for name, value in given.items() if value is not None]


def number_text(value: float) -> str:
    """A number as short as it can be read back.

    >>> number_text(5000), number_text(0.1), number_text(2.0), number_text(1.23456789)
    ('5000', '0.1', '2', '1.23456789')
    """
    short = f"{value:.12g}"
    return short if not isinstance(value, int) and float(short) == value and "e" not in short else repr(value)
