"""The section on accuracy in a report: the figures of `knightfall accuracy`, without complaint, and in Markdown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsers import SCHEMES, Opened
from playwright.sync_api import Browser
from report_pages import Tables, page_of, percent
from scipy import stats

from knightfall.arena.results import Results
from knightfall.arena.tournament import tournament
from knightfall.cli import main
from knightfall.lab.replication.replicate import Replication

TABLE = "Accuracy by exact truth"
STAGES = "Wins kept by stage of the game, depth 0"
RHO = "Spearman's rho of accuracy and games won, with 95% intervals"


def test_the_page_has_the_figures_of_the_command(
    html: Path, results: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [name.removeprefix("AB_") for name in results.plan.candidates]
    capsys.readouterr()
    assert main(["accuracy", *names, "--depths", "0,2", "--json"]) == 0
    told = {entry["heuristic"]: entry for entry in json.loads(capsys.readouterr().out)["heuristics"]}
    tables = Tables(html.read_text(encoding="utf-8")).found
    head, *rows = tables[TABLE]
    kept = ["wins kept, depth 0", "wins kept, depth 2"]
    assert head == ["heuristic", *kept, "critical positions", "AUC", "confidently wrong", "positions", "ns per call"]
    assert [row[0] for row in rows] == sorted(names, key=lambda name: -told[name]["kept"]["0"]["estimate"])
    for row in rows:
        entry = told[row[0]]
        for cell, depth in zip(row[1:3], ("0", "2"), strict=True):
            kept = entry["kept"][depth]
            assert cell == f"{percent(kept['estimate'])} [{100 * kept['low']:.1f}, {100 * kept['high']:.1f}]"
        assert row[3] == " / ".join(f"{entry['positions'][depth]:,}" for depth in ("0", "2"))
        assert row[4] == f"{entry['auc']['estimate']:.3f}"
        assert row[5] == percent(entry["confidently_wrong"]["estimate"])
        assert row[6] == f"{entry['valued_positions']:,}"
    stages = {row[0]: row[1:] for row in tables[STAGES][1:]}
    for name in names:
        assert stages[name] == [percent(stage["estimate"]) for stage in told[name]["by_ply"]["0"].values()]
    assert RHO not in tables  # three candidates are too few


def test_a_replication_compares_ranks_report_by_report_and_together(
    replicated: tuple[Path, Replication], replication_html: Path
) -> None:
    page = replication_html.read_text(encoding="utf-8")
    assert page.count(">Accuracy</h2>") == 1
    tables = Tables(page).found
    heuristics = {row[0] for row in tables[TABLE][1:]}
    wanted = {name for trial, _ in replicated[1].played if not trial.is_sweep for name in trial.candidates}
    assert heuristics == wanted - {"Custom"}  # which has a heuristic that is there already
    rows = {row[0]: row[1:] for row in tables[RHO][1:]}
    which = ("report D", "report E", "all together")
    assert list(rows) == [f"{name}, equal {kind}" for kind in ("nodes", "cost") for name in which]
    assert [row[0] for row in rows.values()] == ["4", "4", "7", "4", "4", "7"]
    for kind in ("nodes", "cost"):
        ranks = [[float(row[at]) for row in tables[f"Games won and accuracy, equal {kind}"][1:]] for at in (2, 4, 6, 8)]
        for cell, by_accuracy in zip(rows[f"all together, equal {kind}"][1:], ranks[1:], strict=True):
            assert float(cell.split()[0]) == pytest.approx(float(stats.spearmanr(ranks[0], by_accuracy)[0]), abs=6e-3)


def test_four_candidates_get_points_and_a_sentence(replicated: tuple[Path, Replication], tmp_path: Path) -> None:
    page = page_of(replicated[0], tmp_path, "--experiment", "2")
    found = Tables(page)
    assert re.search(
        r"At equal cost, over 4 heuristics Spearman's rho of accuracy and games won is: depth 0 ", found.text
    )
    chart = next(
        svg for svg in re.findall(r"<svg.*?</svg>", page, re.S) if ">Games won and accuracy, equal cost<" in svg
    )
    assert chart.count("<use ") == 4
    for row in found.found["Games won and accuracy, equal cost"][1:]:
        assert row[0] in chart


def test_markdown_has_the_section(replicated: tuple[Path, Replication], capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["report", "--db", str(replicated[0]), "--markdown"]) == 0
    text = capsys.readouterr().out
    section = text[text.index("## Accuracy\n") :]
    for title in (TABLE, STAGES, RHO, "Games won and accuracy, equal nodes", "Games won and accuracy, equal cost"):
        assert f"**{title}**" in section


def test_a_file_that_is_gone_or_has_changed_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = "def {name}(game, player):\n    return float(len(game.get_legal_moves(player)))\n"
    files = {name: tmp_path / f"{name}.py" for name in ("gone", "changed", "kept")}
    for name, file in files.items():
        file.write_text(source.format(name=name))
    db = tmp_path / "x.db"
    tournament([f"{file}:{name}" for name, file in files.items()], ["Random"], pairs=2, nodes=20, db=db, workers=0)
    files["gone"].unlink()
    files["changed"].write_text(source.format(name="changed").replace("float(", "-float("))
    page = Tables(page_of(db, tmp_path))
    assert "Not graded, because they cannot be had as they were." in page.text
    assert re.search(r"gone\.py:gone: .*No such file", page.text)
    assert re.search(r"changed\.py:changed: its file has changed since\.", page.text)
    rows = [row[0].rpartition(":")[2] for row in page.found[TABLE][1:]]
    assert sorted(rows) == ["improved", "kept"]


def test_an_interpreted_function_that_prints_spoils_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "loud.py"
    file.write_text(
        "import fractions\n\n\ndef loud(game, player):\n    print('heard')\n"
        "    return float(fractions.Fraction(len(game.get_legal_moves(player)), 3))\n"
    )
    db = tmp_path / "x.db"
    with pytest.warns(match="it runs interpreted"):
        tournament([f"{file}:loud"], ["Random"], pairs=1, nodes=20, db=db, workers=0)
    capsys.readouterr()
    assert main(["report", "--db", str(db), "--markdown"]) == 0
    out, error = capsys.readouterr()
    assert "heard" not in out + error
    [row] = [line for line in out.splitlines() if ":loud" in line and "interpreted" in line and "200 / 200" in line]
    assert "| 400 |" in row  # won and lost positions


def test_where_there_is_no_truth_or_a_sequential_test_less_is_said(tmp_path: Path) -> None:
    small, sequential = tmp_path / "small.db", tmp_path / "sequential.db"
    tournament(["open"], ["Random"], pairs=2, nodes=20, board="5x5", db=small, workers=0)
    assert TABLE not in Tables(page_of(small, tmp_path)).found
    names = ["open", "center", "reach", "mobility"]
    tournament(names, ["AB_null"], pairs=4, nodes=20, sprt=(0, 100), db=sequential, workers=0)
    page = Tables(page_of(sequential, tmp_path))
    assert len(page.found[TABLE]) == 5
    assert "Spearman" not in page.text


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_browser_and_axe_have_nothing_to_complain_of(
    browser: Browser, replication_html: Path, scheme: Literal["light", "dark"]
) -> None:
    with Opened(browser, replication_html, color_scheme=scheme) as page:
        section = page.locator("section#accuracy")
        assert section.locator("svg.chart").count() == 3
        for chart in section.locator("figure.picture").all():
            chart.locator("summary").click()
            assert chart.locator("table").is_visible()
        found = Axe().run(page, context="section#accuracy", options={"resultTypes": ["violations"]}).response
        assert [one["id"] for one in found["violations"] if one["impact"] in ("serious", "critical")] == []
