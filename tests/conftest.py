"""Shared fixtures that are created once: ledgers with reports, and a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsers import CHROMIUM, FLAGS

from knightfall.arena.ledger import Ledger
from knightfall.arena.results import Results
from knightfall.arena.run import Execution
from knightfall.arena.tournament import tournament
from knightfall.cli import main
from knightfall.lab.replication.experiments import Terms
from knightfall.lab.replication.replicate import Replication, replicate

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a ledger with one tournament: three candidates, three opponents, the baseline outside the panel."""
    path = tmp_path_factory.mktemp("report") / "x.db"
    candidates = ["central_mobility", "contested_reach"]
    tournament(candidates, ["Random", "MM_Open", "AB_Open"], pairs=8, nodes=60, db=path, workers=0)
    return path


@pytest.fixture(scope="session")
def results(db: Path) -> Results:
    """Return the results of that tournament."""
    with Ledger(db) as ledger:
        return Results.read(ledger, 1)


@pytest.fixture(scope="session")
def html(db: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of that tournament."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    assert main(["report", "--db", str(db), "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="session")
def replicated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Replication]:
    """Return a ledger with a small replication of two reports, and its results."""
    path = tmp_path_factory.mktemp("replication") / "r.db"
    with Ledger(path) as ledger:
        execution = Execution(workers=0, command="knightfall replicate D E")
        return path, replicate(ledger, ["D", "E"], Terms(5, 20), execution)


@pytest.fixture(scope="session")
def replication_html(replicated: tuple[Path, Replication], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of that replication."""
    path = tmp_path_factory.mktemp("replication-page") / "report.html"
    assert main(["report", "--db", str(replicated[0]), "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Yield a real browser.

    Without one, tests that need it are skipped, or fail in CI.
    """
    from playwright.sync_api import sync_playwright  # imported here, so that other tests need not load it

    if not Path(CHROMIUM).exists():
        reason = "chromium is not installed: pages are not opened in a browser"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()
