"""Modified ledgers, their report pages, and reading a page without a browser."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

from knightfall.cli import main

MOST_BYTES = 1_000_000


def change(path: Path, *statements: str) -> None:
    """Change a ledger directly with SQL."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def copy(path: Path, folder: Path) -> Path:
    """Return a copy of a ledger that a test may change."""
    target = folder / "copy.db"
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as connection:
        source.backup(connection)
    return target


def page_of(path: Path, folder: Path, *more: str) -> str:
    """Return the report of a ledger."""
    target = folder / "report.html"
    assert main(["report", "--db", str(path), "-o", str(target), *more]) == 0
    return target.read_text(encoding="utf-8")


class Tables(HTMLParser):
    """The tables of a page by caption, as strings."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: dict[str, list[list[str]]] = {}
        self.text = ""
        self._caption = ""
        self._row: list[str] = []
        self._into = ""
        self._ignored = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("style", "script"):
            self._ignored += 1
        if tag == "caption":
            self._caption, self._into = "", tag
        elif tag == "tr":
            self._row = []
        elif tag in ("th", "td"):
            self._row.append("")
            self._into = "cell"
        elif tag == "span" and dict(attrs).get("class") == "note" and self._into:
            self._row[-1] += " | "

    def handle_endtag(self, tag: str) -> None:
        if tag in ("style", "script"):
            self._ignored -= 1
        if tag == "caption":
            self.found[self._caption.strip()] = []
            self._into = ""
        elif tag == "tr":
            self.found[self._caption.strip()].append([" ".join(cell.split()) for cell in self._row])
        elif tag in ("th", "td"):
            self._into = ""

    def handle_data(self, data: str) -> None:
        if self._ignored:
            return
        self.text += data
        if self._into == "caption":
            self._caption += data
        elif self._into:
            self._row[-1] += data


def percent(value: float) -> str:
    return f"{100 * value:.1f}%"
