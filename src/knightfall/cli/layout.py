"""Text as it fits on a terminal: words wrapped, tables in the width that there is, colours where they are wanted.

None of this is used for output to a pipe or a file, which does not depend on anybody's terminal.
"""

from __future__ import annotations

import os
import re
import shutil
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

_GAP = 2  # characters between two columns
_LEAST = 12  # characters that a column keeps when it is narrowed
_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_DOTS = "..."


@dataclass(frozen=True)
class Page:
    """The terminal that something is printed on."""

    width: int
    colour: bool

    @staticmethod
    def of(stream: TextIO) -> Page | None:
        """Return the page of a terminal; None for a pipe or a file."""
        if not stream.isatty():
            return None
        colour = "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        return Page(max(shutil.get_terminal_size().columns, 20), colour)

    def paint(self, text: str, *styles: str) -> str:
        """Return the text in colour, where colours are wanted."""
        if not self.colour or not styles or not text:
            return text
        return f"\x1b[{';'.join(_STYLES[style] for style in styles)}m{text}\x1b[0m"


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Where there is no room for all columns, short heads are used first; then the columns with the lowest ``rank`` are
    left out; then those that are not ``whole`` are narrowed, and their text takes several lines.
    """

    head: str
    right: bool = False
    rank: int | None = None
    short: str = ""
    whole: bool = True


def cells(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> cells("abc"), cells("日本"), cells("\\x1b[1mabc\\x1b[0m")
    (3, 4, 3)
    """
    plain = _ESCAPE.sub("", text)
    if plain.isascii():
        return len(plain)
    return sum(_cell(letter) for letter in plain)


def _cell(letter: str) -> int:
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def clipped(text: str, width: int) -> str:
    """Return the text if it fits, otherwise its beginning and three dots.

    >>> clipped("knightfall", 10), clipped("knightfall", 7)
    ('knightfall', 'knig...')
    """
    if cells(text) <= width:
        return text
    room = width - len(_DOTS)
    kept, has_style = [], False
    for part in re.split(rf"({_ESCAPE.pattern})", text):
        if _ESCAPE.fullmatch(part):
            has_style = part != "\x1b[0m"
            kept.append(part)
            continue
        for letter in part:
            room -= _cell(letter)
            if room < 0:
                break
            kept.append(letter)
        if room < 0:
            break
    return "".join(kept) + _DOTS[: max(width, 0)] + ("\x1b[0m" if has_style else "")


def wrapped(text: str, width: int, indent: str = "", first: str = "") -> list[str]:
    """Return the text in lines, broken between words; a single word that is longer than a line is broken, too.

    >>> wrapped("one two three", 9, indent="  ")
    ['one two', '  three']
    """
    if len(indent) > width // 2:
        indent = "  "
    options = {"initial_indent": first, "subsequent_indent": indent, "break_on_hyphens": False}
    return textwrap.wrap(text, width, **options) or [""]  # type: ignore[arg-type]


def table(
    page: Page, columns: Sequence[Column], rows: Sequence[Sequence[str]], styles: Sequence[Sequence[str]] = ()
) -> list[str]:
    """Return a table that fits on the page. ``styles`` are those of each row.

    >>> table(Page(20, False), [Column("name"), Column("n", right=True)], [["one", "1"], ["three", "30"]])
    ['name    n', 'one     1', 'three  30']
    """
    columns, rows = _chosen(page.width, list(columns), [list(row) for row in rows])
    widths = _widths(columns, rows)
    over = _total(widths) - page.width
    for at in sorted(range(len(columns)), key=lambda at: -widths[at]):
        if over > 0 and not columns[at].whole:
            least = min(_LEAST, widths[at])
            cut = min(over, widths[at] - least)
            widths[at] -= cut
            over -= cut
    lines = []
    for number, row in enumerate([[column.head for column in columns], *rows]):
        style: Sequence[str] = ("bold",) if number == 0 else styles[number - 1] if styles else ()
        lines += [page.paint(line, *style) for line in _row(columns, row, widths)]
    return lines


def _chosen(width: int, columns: list[Column], rows: list[list[str]]) -> tuple[list[Column], list[list[str]]]:
    """The columns for which there is room, with short heads where these are needed."""
    if _total(_widths(columns, rows)) <= width:
        return columns, rows
    columns = [Column(column.short or column.head, column.right, column.rank, "", column.whole) for column in columns]
    while True:
        ranks = [column.rank for column in columns if column.rank is not None]
        if not ranks or _total(_least(columns, rows)) <= width:
            return columns, rows
        at = max(at for at, column in enumerate(columns) if column.rank == min(ranks))
        columns = columns[:at] + columns[at + 1 :]
        rows = [row[:at] + row[at + 1 :] for row in rows]


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max([cells(column.head), *(cells(row[at]) for row in rows)]) for at, column in enumerate(columns)]


def _least(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    """Widths where every column that can be narrowed is."""
    widths = _widths(columns, rows)
    return [width if column.whole else min(_LEAST, width) for column, width in zip(columns, widths, strict=True)]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _row(columns: Sequence[Column], row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """One row, as many lines as its longest cell needs."""
    parts = [
        [cell] if cells(cell) <= width else name_lines(cell, width) for cell, width in zip(row, widths, strict=True)
    ]
    lines = []
    for at in range(max(map(len, parts))):
        line = []
        for column, part, width in zip(columns, parts, widths, strict=True):
            text = part[at] if at < len(part) else ""
            space = " " * (width - cells(text))
            line.append(space + text if column.right else text + space)
        lines.append((" " * _GAP).join(line).rstrip())
    return lines


def name_lines(text: str, width: int) -> list[str]:
    """Break a text between words, or where there are none behind a sign, as in `my_file.py:` `my_heuristic`.

    >>> name_lines("AB_central_mobility", 12), name_lines("one, two, three", 9)
    (['AB_central_', 'mobility'], ['one, two,', 'three'])
    """
    lines = [""]
    for piece in re.findall(r"\s*[^\s_:,/]*[_:,/]?", text):
        while cells(piece.lstrip()) > width:
            piece = piece.lstrip()
            lines.append(piece[:width])
            piece = piece[width:]
        if cells(lines[-1] + piece) <= width:
            lines[-1] += piece
        else:
            lines.append(piece.lstrip())
    return [line.rstrip() for line in lines if line.strip()] or [""]
