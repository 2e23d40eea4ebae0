"""`knightfall report`, the command: Markdown, complaints, what it needs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import KNIGHTFALL, run
from report_pages import MOST_BYTES, Tables

from knightfall.arena.ledger import Ledger
from knightfall.cli import main
from knightfall.reporting.output.markdown import escape


def test_markdown_has_the_same_tables(db: Path, html: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.md"
    assert main(["report", "--db", str(db), "--markdown", "-o", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    for title in Tables(html.read_text(encoding="utf-8")).found:
        assert f"**{escape(title)}**" in text
    assert text.startswith("# Tournament report\n")
    assert "## Recommendation" in text
    assert "- moves: 1. " in text
    assert "<svg" not in text
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.endswith("|")


def test_complaints_are_one_line_and_nothing_is_written(
    db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    empty = tmp_path / "empty.db"
    with Ledger(empty):
        pass
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.db").write_text("no ledger")
    capsys.readouterr()
    for arguments, words in (
        (["--db", "none.db"], "none.db: there is no such ledger"),
        (["--db", str(empty)], "it holds no experiments"),
        (["--db", "text.db"], "it is not a ledger"),
        (["--db", str(db), "--experiment", "7"], "there is no experiment 7; there is 1"),
        (["--db", str(db), "-o", "none/x.html"], "none: No such file or directory"),
        (["--db", str(db), "-o", "folder"], "folder: Is a directory"),
        (["--db", str(db), "--markdown", "--pdf", "x.pdf"], "--markdown and --pdf exclude each other"),
    ):
        assert main(["report", *arguments]) == 2
        out, error = capsys.readouterr()
        assert (out, error.count("\n")) == ("", 1)
        assert words in error
    assert sorted(path.name for path in tmp_path.glob("[!.]*") if path.suffix not in (".db-wal", ".db-shm")) == [
        "empty.db",
        "folder",
        "text.db",
    ]


def test_what_is_not_installed_is_named(
    db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["report", "--db", str(db), "--pdf", "x.pdf"]) == 2
    told = "knightfall: --pdf needs chromium or google-chrome, and neither is installed\n"
    assert capsys.readouterr() == ("", told)
    for name in ("jinja2", "matplotlib"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, name, None)  # so that it cannot be imported
            assert main(["report", "--db", str(db)]) == 2
            told = f"knightfall: a report needs {name}: pip install 'knightfall[report]'\n"
            assert capsys.readouterr() == ("", told)
            assert main(["report", "--db", str(db), "--markdown"]) == 0  # which needs neither
            assert capsys.readouterr().out.startswith("# Tournament report")
    assert list(tmp_path.iterdir()) == []


def test_the_real_command_says_where_the_report_is(db: Path, tmp_path: Path) -> None:
    done = run("report", "--db", str(db), cwd=tmp_path)
    assert done.returncode == 0
    # A slow machine is told how far it is; nothing else is said.
    assert re.fullmatch(r"((reading|loading|grading|drawing) .*\n)*", done.stderr)
    assert re.fullmatch(r"report written to report\.html \(\d+ kB\)\n", done.stdout)
    assert (tmp_path / "report.html").stat().st_size < MOST_BYTES


def test_help_imports_nothing_heavy() -> None:
    done = subprocess.run(
        [KNIGHTFALL[0], "-X", "importtime", *KNIGHTFALL[1:], "report", "--help"],
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert not imported & {"numpy", "numba", "scipy", "matplotlib", "jinja2", "statsmodels"}
