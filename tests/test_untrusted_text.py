"""Text that others wrote: it is shown, and obeyed by no terminal, spreadsheet or page."""

from __future__ import annotations

import subprocess
from pathlib import Path

from commands import KNIGHTFALL, environment, run

from knightfall.arena.csv_cells import csv_cell
from knightfall.arena.markdown import code, escape


def test_formulas_are_text_in_csv_files() -> None:
    for text in ("=cmd()", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1"):
        assert csv_cell(text) == "'" + text
    assert [csv_cell(value) for value in (-1, -0.5, "-0.5", "improved", None)] == [-1, -0.5, "-0.5", "improved", None]


def test_nothing_is_markup_in_markdown() -> None:
    assert "<" not in escape("<script>alert(1)</script>")
    assert ">" not in escape("<b>")
    assert code("`<b>`") == "`` `<b>` ``"


def test_a_file_name_gives_no_orders_to_the_terminal(tmp_path: Path) -> None:
    name = str(tmp_path / "\x1b]0;owned\x07\u202e.txt")
    done = run("truth", "show", name)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
    assert r"\x1b]0;owned\x07\u202e.txt" in done.stderr


def test_input_that_is_not_utf_8_is_not_understood_and_asked_again() -> None:
    done = subprocess.run(
        [*KNIGHTFALL, "play", "--first", "human", "--second", "human", "--board", "5x5"],
        input=b"\xff\xfe\nc3\nquit\n",
        capture_output=True,
        env=environment(),
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"first plays c3" in done.stdout
