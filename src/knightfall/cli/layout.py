"""Text layout for a terminal: words are wrapped, tables fit the available width, colours are used if allowed.

None of this applies to output to a pipe or a file, which does not depend on any terminal.
"""

from __future__ import annotations

import os
import re
import shutil
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TextIO

_GAP = 2  # characters between two columns
_ROOM = 24  # minimum characters beside a hanging indent
_LONG = 20  # words up to this number of characters are not broken if possible
_LEAST = 12  # minimum characters of a narrowed column
_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_DOTS = "..."
_PIECES = re.compile(r"\s*[^\s_:,/]*[_:,/]?")  # the pieces between which text may be broken


@dataclass(frozen=True)
class Page:
    """The terminal that receives the output."""

    width: int
    colour: bool

    @staticmethod
    def of(stream: TextIO) -> Page | None:
        """Return the page of a terminal, or None for a pipe or a file."""
        if not stream.isatty():
            return None
        colour = "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        return Page(max(terminal_size(stream).columns, 20), colour)

    def paint(self, text: str, *styles: str) -> str:
        """Return the text in colour, if colours are allowed."""
        if not self.colour or not styles or not text:
            return text
        return f"\x1b[{';'.join(_STYLES[style] for style in styles)}m{text}\x1b[0m"


@dataclass(frozen=True)
class Column:
    """A column of a table.

    If there is no room for all columns, the table is narrowed in steps: first, short heads are used, on several lines
    if necessary; then the columns with the lowest ``rank`` are left out; then columns that are not ``whole`` are
    narrowed, and their text takes several lines. If that is not enough, the cells of each row are printed below each
    other.
    """

    head: str
    right: bool = False
    rank: int | None = None
    short: str = ""
    whole: bool = True


_USUAL_SIZE = (80, 24)


def terminal_size(stream: TextIO) -> os.terminal_size:
    """Return the size of this stream's terminal. `shutil` looks only at standard output, which may be a file."""
    try:
        size = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return shutil.get_terminal_size()
    given = os.environ.get("COLUMNS", "")
    columns = int(given) if given.isdigit() else 0
    # Some terminals, such as serial lines, report a width of 0 columns.
    return os.terminal_size((columns or size.columns or _USUAL_SIZE[0], size.lines or _USUAL_SIZE[1]))


def cells(text: str) -> int:
    """Return the number of terminal columns that text takes.

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
    """Return the text in lines, broken between words; a single word longer than a line is broken, too.

    >>> wrapped("one two three", 9, indent="  ")
    ['one two', '  three']
    """
    if len(indent) > width - _ROOM:
        indent = "  "
    options = {"initial_indent": first, "subsequent_indent": indent, "break_on_hyphens": False}
    return textwrap.wrap(text, width, **options) or [""]  # type: ignore[arg-type]


def table(
    page: Page, columns: Sequence[Column], rows: Sequence[Sequence[str]], styles: Sequence[Sequence[str]] = ()
) -> list[str]:
    """Return a table that fits on the page. ``styles`` contains the styles of each row.

    >>> table(Page(20, False), [Column("name"), Column("n", right=True)], [["one", "1"], ["three", "30"]])
    ['name    n', 'one     1', 'three  30']
    """
    columns, rows, widths = _chosen(page.width, list(columns), [list(row) for row in rows])
    over = _total(widths) - page.width
    for at in sorted(range(len(columns)), key=lambda at: -widths[at]):
        if over > 0 and not columns[at].whole:
            cut = min(over, max(widths[at] - _least(rows, at), 0))
            widths[at] -= cut
            over -= cut
    if over > 0:
        return _stacked(page, columns, rows, styles)
    lines = []
    for number, row in enumerate([[column.head for column in columns], *rows]):
        style: Sequence[str] = ("bold",) if number == 0 else styles[number - 1] if styles else ()
        lines += [page.paint(line, *style) for line in _row(columns, row, widths)]
    return lines


def _chosen(
    width: int, columns: list[Column], rows: list[list[str]]
) -> tuple[list[Column], list[list[str]], list[int]]:
    """Return the columns that fit, their rows and widths, with short heads or heads of several lines if necessary."""
    widths = [max([cells(column.head), *(cells(row[at]) for row in rows)]) for at, column in enumerate(columns)]
    if _total(widths) <= width:
        return columns, rows, widths
    columns = [replace(column, head=column.short or column.head) for column in columns]
    while True:
        widths = [
            max([_longest_piece(column.head), *(cells(row[at]) for row in rows)]) for at, column in enumerate(columns)
        ]
        least = [w if columns[at].whole else min(_least(rows, at), w) for at, w in enumerate(widths)]
        ranks = [column.rank for column in columns if column.rank is not None]
        if not ranks or _total(least) <= width:
            # The heads get the remaining room.
            for at, column in enumerate(columns):
                more = min(max(cells(column.head) - widths[at], 0), max(width - _total(widths), 0))
                widths[at] += more
            return columns, rows, widths
        at = max(at for at, column in enumerate(columns) if column.rank == min(ranks))
        columns = columns[:at] + columns[at + 1 :]
        rows = [row[:at] + row[at + 1 :] for row in rows]


def _longest_piece(head: str) -> int:
    return max(cells(piece.strip()) for piece in _PIECES.findall(head))


def _least(rows: Sequence[Sequence[str]], at: int) -> int:
    """Return the minimum width of a column."""
    return max([_LEAST, *(min(_longest_piece(row[at]), _LONG) for row in rows)])


def _stacked(
    page: Page, columns: Sequence[Column], rows: Sequence[Sequence[str]], styles: Sequence[Sequence[str]]
) -> list[str]:
    """Return the cells of each row below each other, with their heads.

    Columns without a head belong to the next one.
    """
    title = next((at for at, column in enumerate(columns) if column.head), 0)
    lines = []
    for number, row in enumerate(rows):
        name = " ".join(cell for cell in row[: title + 1] if cell)
        style = styles[number] if styles else ("bold",)
        lines += [page.paint(line, *style) for line in name_lines(name, page.width)]
        for column, cell in zip(columns[title + 1 :], row[title + 1 :], strict=True):
            if cell:
                lines += wrapped(f"{column.head}: {cell.strip()}", page.width, "    ", "  ")
    return lines


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _row(columns: Sequence[Column], row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Return one row, with as many lines as its longest cell needs."""
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


def fit_table(page: Page, text: str, keep: int = 2) -> list[str]:
    """Return a table made for a wide page in the width of this one.

    Columns are dropped from the right, except the first ``keep``. The columns of the text are at least two spaces
    apart, and its first line is the head. Text without such columns is wrapped.

    >>> fit_table(Page(14, False), "name   points  note\\none         1  first\\nthree      22  second")
    ['name   points', 'one         1', 'three      22']
    """
    lines = text.splitlines()
    if max(map(cells, lines)) <= page.width:
        return [page.paint(lines[0], "bold"), *lines[1:]]
    parts = [re.split(r" {2,}", line.strip()) for line in lines]
    count = len(parts[0])
    if any(len(part) != count for part in parts):
        return [line for text in lines for line in wrapped(text, page.width, "  ")]
    ends = [[found.end() for found in re.finditer(r"(?:\S| (?! ))+", line)] for line in lines]
    columns = [
        Column(
            parts[0][at],
            right=at > 0 and len({end[at] for end in ends}) == 1,
            rank=count - at if at >= keep else None,
            whole=at > 0,
        )
        for at in range(count)
    ]
    return table(page, columns, parts[1:])


def markdown_page(page: Page, text: str) -> list[str]:
    """Return Markdown text with its tables laid out for a terminal."""
    lines: list[str] = []
    rows: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip().replace("`", "") for cell in line.strip("|").split("|")])
            continue
        if len(rows) > 1:
            columns = [
                Column(head, right=rule.endswith(":"), rank=None if at < 2 else len(rows[0]) - at, whole=at > 0)
                for at, (head, rule) in enumerate(zip(rows[0], rows[1], strict=True))
            ]
            lines += table(page, columns, rows[2:])
        rows = []
        lines += wrapped(line, page.width)
    return lines[:-1]


def name_lines(text: str, width: int) -> list[str]:
    """Break text between words, or inside a long word after a sign, as in `my_file.py:` `my_heuristic`.

    >>> name_lines("AB_central_mobility", 12), name_lines("one, two, three", 9)
    (['AB_central_', 'mobility'], ['one, two,', 'three'])
    """
    lines = [""]
    for word in re.findall(r"\s*\S+", text):
        whole = cells(word.strip()) <= width
        for piece in [word] if whole else _PIECES.findall(word):
            while cells(piece.lstrip()) > width:
                piece = piece.lstrip()
                at = width if piece.isascii() else max(width // 2, 1)  # a letter may take two cells
                lines.append(piece[:at])
                piece = piece[at:]
            if cells(lines[-1] + piece) <= width:
                lines[-1] += piece
            else:
                lines.append(piece.lstrip())
    return [line.rstrip() for line in lines if line.strip()] or [""]
