"""The tables in HTML for notebooks. Anything other than plain tables and paragraphs is an error."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

ALLOWED = {"table", "caption", "thead", "tbody", "tr", "th", "td", "p", "br"}
STYLES = {"text-align: left", "text-align: right"}


@dataclass
class HtmlTable:
    """One table: its caption, the names of its columns, its rows."""

    caption: str = ""
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)

    def column(self, name: str) -> list[str]:
        """Return one column from top to bottom."""
        return [row[self.columns.index(name)] for row in self.rows]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[HtmlTable] = []
        self.paragraphs: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        for name, value in attrs:
            assert (name, value) == ("scope", "col") or (name == "style" and value in STYLES), (name, value)
        if tag == "br":
            self.text += "\n"
            return
        self.open.append(tag)
        self.text = ""
        if tag == "table":
            self.tables.append(HtmlTable())
        elif tag == "tr" and "tbody" in self.open:
            self.tables[-1].rows.append([])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "caption":
            self.tables[-1].caption = self.text
        elif tag == "th":
            self.tables[-1].columns.append(self.text)
        elif tag == "td":
            self.tables[-1].rows[-1].append(self.text)
        elif tag == "p":
            self.paragraphs.append(self.text)

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> tuple[list[HtmlTable], list[str]]:
    """Return the tables and the paragraphs.

    Check that every tag is closed, and that every row is as long as the head.
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    for table in reader.tables:
        assert all(len(row) == len(table.columns) for row in table.rows)
    return reader.tables, reader.paragraphs
