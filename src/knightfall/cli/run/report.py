"""The work of `knightfall report`: a report on an experiment, a replication or studies, as HTML, PDF or Markdown."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext
from pathlib import Path

from knightfall.cli.common import warnings_as_lines
from knightfall.cli.live import Ticker
from knightfall.cli.options import DEFAULT_DB, DEFAULT_REPORT
from knightfall.cli.run.consent import consent
from knightfall.cli.run.experiments import open_ledger
from knightfall.cli.run.outputs import check_outputs, write_bytes, write_file
from knightfall.lab.tuning.study import read_study
from knightfall.reporting.build import build
from knightfall.reporting.output.markdown import render_markdown
from knightfall.reporting.output.page import check_extra, render_page
from knightfall.reporting.output.pdf import find_browser, print_pdf
from knightfall.reporting.sections.tuning import study_document, with_studies
from knightfall.rules import KnightfallError


def report(
    db: Path,
    experiment: list[int] | None,
    study: list[Path] | None,
    output: Path | None,
    markdown: bool,
    pdf: Path | None,
    run_files: bool,
) -> None:
    """Run `knightfall report`."""
    if markdown and pdf is not None:
        raise KnightfallError("--markdown and --pdf exclude each other")
    check_outputs(DEFAULT_REPORT if output is None and pdf is None and not markdown else output, pdf)
    browser = ""
    if not markdown:
        check_extra()
    if pdf is not None:
        browser = find_browser()
    state = "reading the ledger"

    def say(text: str) -> None:
        nonlocal state
        state = text

    where = "" if db == DEFAULT_DB else f" --db {shlex.quote(str(db))}"
    studies = [read_study(path) for path in study or ()]
    is_alone = bool(studies) and not experiment and db == DEFAULT_DB
    ledger_or_none = nullcontext() if is_alone else open_ledger(db)
    with warnings_as_lines(), ledger_or_none as ledger, Ticker(lambda: state), consent(run_files):
        command = shlex.join(["knightfall", *sys.argv[1:]])
        if ledger is None:
            document = study_document(studies, command)
        else:
            document = with_studies(build(ledger, experiment or (), command, where, say), studies)
        if markdown:
            text = render_markdown(document)
        else:
            say("drawing charts")
            text = render_page(document)
        printed = b""
        if pdf is not None:
            say("printing")
            printed = print_pdf(browser, text)
    if markdown and output is None:
        print(text, end="")
        return
    if output is not None or pdf is None:
        target = output or DEFAULT_REPORT
        write_file(target, text)
        print(f"report written to {target} ({len(text.encode()) / 1000:,.0f} kB)")
    if pdf is not None:
        write_bytes(pdf, printed)
        print(f"report printed to {pdf} ({len(printed) / 1000:,.0f} kB)")
