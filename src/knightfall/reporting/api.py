"""`kf.report`: the report of experiments and studies, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from knightfall.arena.ledger import Ledger
from knightfall.catalogue.consent import asking
from knightfall.lab.tuning.study import read_study
from knightfall.reporting.build import build
from knightfall.reporting.output.markdown import render_markdown
from knightfall.reporting.output.page import check_extra, render_page
from knightfall.reporting.sections.tuning import study_document, with_studies
from knightfall.rules import KnightfallError
from knightfall.rules.files import write_whole


class ReportError(KnightfallError):
    """A report that cannot be written; described in one line."""


def report(
    db: Path | str | None = None,
    output: Path | str = "report.html",
    *,
    experiments: Sequence[int] = (),
    studies: Sequence[Path | str] = (),
    run_files: bool = False,
) -> Path:
    """Write a report of a ledger, of studies, or of both; return the file.

    ``db`` is the file of the ledger, and ``experiments`` are numbers in it (default: the last one, with the replication
    that it belongs to). An ``output`` that ends in ``.md`` is written as Markdown, any other as one HTML page. Python
    files that the ledger names run only if you named them before, or with ``run_files=True``.
    """
    target = Path(output)
    is_markdown = target.suffix == ".md"
    if db is None and not studies:
        raise ReportError("nothing to report: name a ledger or studies")
    if not is_markdown:
        check_extra()
    read = [read_study(Path(path)) for path in studies]
    opened = nullcontext() if db is None else Ledger(Path(db), create=False)
    with opened as ledger, asking((lambda _: True) if run_files else None):
        document = study_document(read, "") if ledger is None else with_studies(build(ledger, experiments), read)
    text = render_markdown(document) if is_markdown else render_page(document)
    write_whole(target, text.encode())
    return target
