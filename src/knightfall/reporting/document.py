"""What a report is made of: sections of paragraphs, tables, charts and games, whatever they are told in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """One cell of a table. ``note`` is smaller and stands below; ``share`` (0 to 1) colours it, lost to won."""

    text: str
    note: str = ""
    share: float | None = None
    badge: str = ""
    """What kind of verdict it is: ``good``, ``bad`` or ``open``."""
    more: tuple[str, ...] = ()
    """Lines that are folded away on a page."""
    more_title: str = ""


@dataclass(frozen=True)
class Table:
    """A table; the first cell of a row is its head. ``numeric`` are the columns of figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell | str, ...], ...]
    numeric: frozenset[int] = frozenset()
    wide: bool = False
    """Whether its cells are texts, which want room."""

    def cells(self) -> Iterator[list[Cell]]:
        """The rows, every cell as one."""
        for row in self.rows:
            yield [Cell(cell) if isinstance(cell, str) else cell for cell in row]


@dataclass(frozen=True)
class Text:
    """A paragraph, with a few words before it that stand out."""

    text: str
    lead: str = ""


@dataclass(frozen=True)
class Points:
    """A list."""

    items: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Alert:
    """What must not be overlooked."""

    text: str


@dataclass(frozen=True)
class Figures:
    """A few figures, large, each with its name."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Commands:
    """Lines for a shell."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Chart:
    """A picture, what it shows in words, and the numbers behind it. ``draw`` makes the SVG when it is wanted."""

    title: str
    description: str
    draw: Callable[[], str] = field(repr=False)
    table: Table
    is_open: bool = False
    """Whether the numbers are shown from the beginning."""


@dataclass(frozen=True)
class Board:
    """A game to be gone through move by move; ``draw`` makes the SVG of its end, given a prefix for ids."""

    title: str
    reason: str
    players: tuple[str, str]
    opening: str
    moves: tuple[str, ...]
    told: tuple[str, ...]
    """What is known of each move."""
    first_mover: int
    outcome: str
    command: str
    draw: Callable[[str], str] = field(repr=False)
    places: tuple[tuple[int, int] | None, ...]
    """Where each knight stands in the picture: the first's and the second's before the first move, then the mover's."""


@dataclass(frozen=True)
class Fold:
    """What is there for those who want it."""

    title: str
    blocks: tuple[Block, ...]


Block = Text | Points | Alert | Figures | Commands | Table | Chart | Board | Fold


@dataclass(frozen=True)
class Section:
    """Blocks under a heading, and the sections below it."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    foot: str
