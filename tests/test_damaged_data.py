"""Data files that were damaged: one line, and nothing of them is believed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from commands import run

from knightfall.native.solve.book import Book, book_of
from knightfall.native.solve.solution import SolverError
from knightfall.rules import Geometry


def test_a_book_cut_at_a_line_end_is_not_believed() -> None:
    book = book_of(Geometry(7, 7))
    assert book is not None
    lines = book.to_text().splitlines(keepends=True)
    for damaged in (lines[:-1], lines[:100], [*lines, lines[-1]], [lines[0], *lines[2:]]):
        with pytest.raises(SolverError, match="damaged"):
            Book.from_text("".join(damaged))


def test_a_damaged_archive_is_told_in_one_line(tmp_path: Path) -> None:
    raw = bytearray(gzip.compress(b"# knightfall truth 1 5x5\n" * 100))
    raw[10:20] = bytes(255 for _ in range(10))
    (tmp_path / "truth.txt.gz").write_bytes(raw)
    done = run("truth", "show", str(tmp_path / "truth.txt.gz"))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
