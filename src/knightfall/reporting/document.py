"""The parts of a report in any format: sections of paragraphs, tables, charts and games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """One cell of a table. ``note`` is small text below. ``share`` (0 to 1) sets the colour, from lost to won."""

    text: str
    note: str = ""
    share: float | None = None
    badge: str = ""
    """The kind of verdict: ``good``, ``bad`` or ``open``."""
    more: tuple[str, ...] = ()
    """Lines that are collapsed on a page."""
    more_title: str = ""


@dataclass(frozen=True)
class Table:
    """A table. The first cell of a row is its header. ``numeric`` contains the indexes of columns with numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell | str, ...], ...]
    numeric: frozenset[int] = frozenset()
    wide: bool = False
    """Whether the cells contain long text, which needs space."""

    def cells(self) -> Iterator[list[Cell]]:
        """Yield the rows, with strings converted to cells."""
        for row in self.rows:
            yield [Cell(cell) if isinstance(cell, str) else cell for cell in row]


@dataclass(frozen=True)
class Text:
    """A paragraph, with an optional emphasised lead."""

    text: str
    lead: str = ""


@dataclass(frozen=True)
class Points:
    """A list."""

    items: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Alert:
    """A warning that readers must not overlook."""

    text: str


@dataclass(frozen=True)
class Figures:
    """A few key figures in large type, each with a name."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Commands:
    """Commands for a shell."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Chart:
    """A picture, its description in words, and the numbers behind it. ``draw`` returns the SVG."""

    title: str
    description: str
    draw: Callable[[], str] = field(repr=False)
    table: Table
    is_open: bool = False
    """Whether the numbers are expanded at first."""


@dataclass(frozen=True)
class Board:
    """A game to step through; ``draw`` returns the SVG of its final position, given a prefix for ids."""

    title: str
    reason: str
    players: tuple[str, str]
    opening: str
    moves: tuple[str, ...]
    told: tuple[str, ...]
    """A note on each move, for example depth and nodes."""
    first_mover: int
    outcome: str
    command: str
    draw: Callable[[str], str] = field(repr=False)
    places: tuple[tuple[int, int] | None, ...]
    """Places of the knights in the picture.

    The first two are those of the first and the second player before the first move. The others are the place of the
    mover after each move.
    """


@dataclass(frozen=True)
class Fold:
    """Collapsed blocks with details."""

    title: str
    blocks: tuple[Block, ...]


Block = Text | Points | Alert | Figures | Commands | Table | Chart | Board | Fold


@dataclass(frozen=True)
class Section:
    """Blocks under a heading, and subsections."""

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
