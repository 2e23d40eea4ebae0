"""`knightfall report`: a report on an experiment, a replication or studies, as HTML, PDF or Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knightfall.cli.options import DEFAULT_DB, DEFAULT_REPORT, DbOption, RunFilesOption


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
            help=f"File for the report (default {DEFAULT_REPORT}; with --markdown standard output).",
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
    from knightfall.cli.run import report as work

    work.report(
        db=db, experiment=experiment, study=study, output=output, markdown=markdown, pdf=pdf, run_files=run_files
    )
