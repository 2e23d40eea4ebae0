"""`knightfall report`: an experiment or a whole replication written up, for a browser, for paper or as Markdown."""

from __future__ import annotations

import errno
import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from knightfall.cli.common import write_file
from knightfall.cli.experiments import open_ledger
from knightfall.cli.live import Ticker
from knightfall.cli.tournament import DEFAULT_DB, DbOption

DEFAULT_OUTPUT = Path("report.html")


def report(
    db: DbOption = DEFAULT_DB,
    experiment: Annotated[
        list[int] | None,
        typer.Option(
            "--experiment",
            min=1,
            metavar="ID",
            help="An experiment; may be given several times. Otherwise the last one, or the replication it belongs to.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help=f"Where to write it (default {DEFAULT_OUTPUT}; --markdown: to the terminal).",
        ),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Markdown: tables instead of charts.")] = False,
    pdf: Annotated[
        Path | None,
        typer.Option("--pdf", metavar="FILE", help="Print it to a PDF as well, with chromium or google-chrome."),
    ] = None,
) -> None:
    """Write a report of an experiment: one HTML file with charts, verdicts, games to go through and a recommendation.

    It needs no network, in light and dark, and can be printed. With --pdf and without -o only the PDF is written.
    """
    from knightfall.rules import KnightfallError

    if markdown and pdf is not None:
        raise KnightfallError("--markdown and --pdf exclude each other")
    for path in (output, pdf):
        _check_folder(path)
    browser = ""
    if not markdown:
        from knightfall.lab.report.page import check_extra

        check_extra()
    if pdf is not None:
        from knightfall.lab.report.pdf import find_browser

        browser = find_browser()
    state = "reading the ledger"

    def say(text: str) -> None:
        nonlocal state
        state = text

    where = "" if db == DEFAULT_DB else f" --db {shlex.quote(str(db))}"
    with open_ledger(db) as ledger, Ticker(lambda: state):
        from knightfall.lab.report.build import build

        command = shlex.join(["knightfall", *sys.argv[1:]])
        document = build(ledger, experiment or (), command, where, say)
        if markdown:
            from knightfall.lab.report.markdown import render_markdown

            text = render_markdown(document)
        else:
            from knightfall.lab.report.page import render_page

            say("drawing charts")
            text = render_page(document)
        printed = b""
        if pdf is not None:
            from knightfall.lab.report.pdf import print_pdf

            say("printing")
            printed = print_pdf(browser, text)
    if markdown and output is None:
        print(text, end="")
        return
    if output is not None or pdf is None:
        target = output or DEFAULT_OUTPUT
        write_file(target, text)
        print(f"report written to {target} ({len(text.encode()) / 1000:,.0f} kB)")
    if pdf is not None:
        _write_bytes(pdf, printed)
        print(f"report printed to {pdf} ({len(printed) / 1000:,.0f} kB)")


def _check_folder(path: Path | None) -> None:
    """Refuse what could not be written before anything is read."""
    if path is None:
        return
    if not path.resolve().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def _write_bytes(path: Path, content: bytes) -> None:
    from knightfall.rules.files import write_whole

    try:
        write_whole(path, content)
    except OSError as error:
        # The temporary file's name would only confuse.
        raise OSError(error.errno, error.strerror, str(path)) from None
