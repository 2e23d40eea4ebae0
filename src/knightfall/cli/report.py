"""`knightfall report`: a report on an experiment, a replication or studies, as HTML, PDF or Markdown."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knightfall.cli.common import warnings_as_lines, write_file
from knightfall.cli.experiments import open_ledger
from knightfall.cli.live import Ticker
from knightfall.cli.outputs import check_outputs, write_bytes
from knightfall.cli.run_files import RunFilesOption, consent
from knightfall.cli.tournament import DEFAULT_DB, DbOption

if TYPE_CHECKING:
    from knightfall.lab.tuning.study import Study

DEFAULT_OUTPUT = Path("report.html")


def report(
    db: DbOption = DEFAULT_DB,
    experiment: Annotated[
        list[int] | None,
        typer.Option(
            "--experiment",
            min=1,
            metavar="ID",
            help="Experiment to report, can be repeated (default: the last one, or the replication it belongs to).",
        ),
    ] = None,
    study: Annotated[
        list[Path] | None,
        typer.Option(
            "--study",
            metavar="FILE",
            help="Study of `knightfall tune`, can be repeated; without --db and --experiment the report is of "
            "studies only.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help=f"File for the report (default {DEFAULT_OUTPUT}; with --markdown standard output).",
        ),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown: tables instead of charts.")] = False,
    pdf: Annotated[
        Path | None,
        typer.Option("--pdf", metavar="FILE", help="Also print it to a PDF, with chromium or google-chrome."),
    ] = None,
    run_files: RunFilesOption = False,
) -> None:
    """Write a report of an experiment or a study: one HTML file with charts, verdicts, games and a recommendation.

    It needs no network, in light and dark, and can be printed. With --pdf and without -o only the PDF is written.
    """
    from knightfall.rules import KnightfallError

    if markdown and pdf is not None:
        raise KnightfallError("--markdown and --pdf exclude each other")
    check_outputs(DEFAULT_OUTPUT if output is None and pdf is None and not markdown else output, pdf)
    browser = ""
    if not markdown:
        from knightfall.reporting.output.page import check_extra

        check_extra()
    if pdf is not None:
        from knightfall.reporting.output.pdf import find_browser

        browser = find_browser()
    state = "reading the ledger"

    def say(text: str) -> None:
        nonlocal state
        state = text

    where = "" if db == DEFAULT_DB else f" --db {shlex.quote(str(db))}"
    studies = _read_studies(study or [])
    is_alone = bool(studies) and not experiment and db == DEFAULT_DB
    ledger_or_none = nullcontext() if is_alone else open_ledger(db)
    with warnings_as_lines(), ledger_or_none as ledger, Ticker(lambda: state), consent(run_files):
        from knightfall.reporting.build import build
        from knightfall.reporting.sections.tuning import study_document, with_studies

        command = shlex.join(["knightfall", *sys.argv[1:]])
        if ledger is None:
            document = study_document(studies, command)
        else:
            document = with_studies(build(ledger, experiment or (), command, where, say), studies)
        if markdown:
            from knightfall.reporting.output.markdown import render_markdown

            text = render_markdown(document)
        else:
            from knightfall.reporting.output.page import render_page

            say("drawing charts")
            text = render_page(document)
        printed = b""
        if pdf is not None:
            from knightfall.reporting.output.pdf import print_pdf

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
        write_bytes(pdf, printed)
        print(f"report printed to {pdf} ({len(printed) / 1000:,.0f} kB)")


def _read_studies(paths: list[Path]) -> list[Study]:
    if not paths:
        return []
    from knightfall.lab.tuning.study import read_study

    return [read_study(path) for path in paths]
