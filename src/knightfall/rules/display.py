"""Small tables that are displayed as text in a shell and as HTML in a notebook.

A result builds one or more :class:`Table` objects in ``_tables``. :class:`Displayed` makes ``repr`` and
``_repr_html_`` from them. All text in the HTML is escaped, because users choose the names of heuristics and players.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH = 100  # characters of a text table if the output is not a terminal
_GAP = "  "
_NARROWEST = 12  # minimum width of a wrapped column in characters, however narrow the terminal is


@dataclass(frozen=True)
class Table:
    """A title, named columns, rows of text, and a note below.

    Columns in ``numbers`` are aligned to the right. Cells of columns in ``wrapped`` continue on further lines if the
    table would be wider than the terminal.

    >>> table = Table("two moves", ("move", "nodes"), [("d4", "1,200"), ("a<b", "7")], numbers=("nodes",))
    >>> print(table.text())
    two moves
    move  nodes
    d4    1,200
    a<b       7
    >>> '<td style="text-align: left">a&lt;b</td>' in table.html()
    True
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    numbers: tuple[str, ...] = ()
    wrapped: tuple[str, ...] = ()
    note: str = ""

    def text(self) -> str:
        """Return the table as lines of text."""
        lines = [self.title] if self.title else []
        if self.rows:
            widths = self._widths(terminal_width())
            for row in (self.columns, *self.rows):
                lines += self._lines(row, widths)
        return "\n".join([*lines, *([self.note] if self.note else [])])

    def _widths(self, most: int) -> list[int]:
        """Return the width of each column: that of its widest cell, limited to the available space if it is wrapped."""
        widths = [max(len(row[at]) for row in (self.columns, *self.rows)) for at in range(len(self.columns))]
        wrapped = [at for at, name in enumerate(self.columns) if name in self.wrapped]
        room = most - len(_GAP) * (len(widths) - 1) - sum(w for at, w in enumerate(widths) if at not in wrapped)
        for index, at in enumerate(sorted(wrapped, key=lambda at: widths[at])):
            widths[at] = min(widths[at], max(room // (len(wrapped) - index), _NARROWEST))
            room -= widths[at]
        return widths

    def _lines(self, row: Sequence[str], widths: list[int]) -> Iterable[str]:
        """Yield one row as lines of text. A row with a wrapped cell has more than one line."""
        cells = [textwrap.wrap(cell, width) or [""] for cell, width in zip(row, widths, strict=True)]
        for number in range(max(len(cell) for cell in cells)):
            parts = []
            for name, cell, width in zip(self.columns, cells, widths, strict=True):
                part = cell[number] if number < len(cell) else ""
                parts.append(f"{part:>{width}}" if name in self.numbers else f"{part:<{width}}")
            yield _GAP.join(parts).rstrip()

    def html(self) -> str:
        """Return the table as HTML."""
        parts = []
        if self.title or self.rows:
            parts.append("<table>")
        if self.title:
            parts.append(f'<caption style="text-align: left">{_breaks(self.title)}</caption>')
        if self.rows:
            head = "".join(f'<th scope="col"{self._style(name)}>{escape(name)}</th>' for name in self.columns)
            parts.append(f"<thead><tr>{head}</tr></thead>")
            parts.append("<tbody>")
            for row in self.rows:
                cells = zip(self.columns, row, strict=True)
                parts.append("<tr>" + "".join(f"<td{self._style(name)}>{escape(cell)}</td>" for name, cell in cells))
                parts[-1] += "</tr>"
            parts.append("</tbody>")
        if self.title or self.rows:
            parts.append("</table>")
        if self.note:
            parts.append(f"<p>{_breaks(self.note)}</p>")
        return "\n".join(parts)

    def _style(self, name: str) -> str:
        return f' style="text-align: {"right" if name in self.numbers else "left"}"'


class Displayed:
    """Base class of objects that have tables. The tables are its ``repr`` and its display in a notebook."""

    __slots__ = ()

    def _tables(self) -> Sequence[Table]:
        """Return the tables to display."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n\n".join(table.text() for table in self._tables())

    def _repr_html_(self) -> str:
        return "\n".join(table.html() for table in self._tables())


def _breaks(text: str) -> str:
    return "<br>".join(escape(line) for line in text.splitlines())


def terminal_width() -> int:
    """Return the width of the terminal, or a fixed width if the output is not a terminal."""
    if sys.stdout is not None and sys.stdout.isatty():
        return shutil.get_terminal_size((_WIDTH, 24)).columns
    return _WIDTH


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, in the singular or the plural.

    >>> counted(1, "move"), counted(1_200, "node")
    ('1 move', '1,200 nodes')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
