"""The report of a replication: claims, sweeps, what is missing."""

from __future__ import annotations

from pathlib import Path

from report_pages import Tables, change, copy, page_of, percent

from knightfall.arena.ledger import Ledger
from knightfall.lab.replication.claims import CLAIMS
from knightfall.lab.replication.replicate import Replication, read_replication


def test_a_replication_is_read_back_as_it_was_played(replicated: tuple[Path, Replication]) -> None:
    path, played = replicated
    with Ledger(path, create=False) as ledger:
        for experiment in ledger.experiments():
            found = read_replication(ledger, experiment)
            assert found is not None
            assert found[0].terms == played.terms
            assert found[1] == []
            assert [trial.name for trial, _ in found[0].played] == [trial.name for trial, _ in played.played]
        assert found is not None
        assert found[0].to_dict() == played.to_dict()


def test_an_unfinished_replication_says_so(replicated: tuple[Path, Replication], tmp_path: Path) -> None:
    path = copy(replicated[0], tmp_path)
    change(path, "UPDATE experiment SET ended = NULL WHERE name = 'replicate E sweeps, equal cost'")
    page = page_of(path, tmp_path)
    assert "of 7 trials 1 is still to be played" in Tables(page).text
    rows = {row[0].split(" | ")[0].lstrip("✓✗~ "): row for row in Tables(page).found["The claims and their answers"]}
    assert rows["E3"][-1] == "–"


def test_the_claims_are_answered_as_replicate_answers_them(
    replicated: tuple[Path, Replication], replication_html: Path
) -> None:
    _, played = replicated
    tables = Tables(replication_html.read_text(encoding="utf-8")).found
    head, *rows = tables["The claims and their answers"]
    assert head == ["claim", "in words", "published", "equal nodes", "equal cost"]
    assert [row[0].lstrip("✓✗~ ") for row in rows] == [f"{name} | {played.verdict(name)}" for name in played.answers]
    for row in rows:
        name = row[0].lstrip("✓✗~ ").split()[0]
        assert row[1].startswith(CLAIMS[name].words)
        assert ("depends on the budget" in row[1]) == played.disagree(name)
        assert row[2] == f"{CLAIMS[name].original} | {CLAIMS[name].sample}"
        for cell, answer in zip(row[3:], played.answers[name].values(), strict=True):
            assert cell.lstrip("✓✗~ ").startswith(f"{answer.verdict} | ")
            for finding in answer.findings:
                assert finding.text in cell


def test_every_sweep_has_a_curve_with_the_published_value(
    replicated: tuple[Path, Replication], replication_html: Path
) -> None:
    _, played = replicated
    page = replication_html.read_text(encoding="utf-8")
    tables = Tables(page).found
    for trial, results in played.played:
        if not trial.is_sweep:
            continue
        rates = {standing.candidate: standing.rate.estimate for standing in results.standings}
        for sweep in trial.report.sweeps:
            title = f"Games won by {sweep.name}"
            assert page.count(f">{title}</title>") == (2 if trial.report.id == "E" else 1)
            if (
                trial.budget == trial.terms.budgets[-1] or trial.report.id != "E"
            ):  # a table of that name is the last one
                cells = [row[1] for row in tables[title][1:]]
                assert cells == [percent(rates[trial.agent(name)]) for name in sweep.candidates]
                assert [row[0] for row in tables[title] if "published" in row[0]] == [f"{sweep.published} | published"]
    assert ">published</text>" in page


def test_one_trial_of_a_replication_can_be_reported_alone(replicated: tuple[Path, Replication], tmp_path: Path) -> None:
    tables = Tables(page_of(replicated[0], tmp_path, "--experiment", "6")).found
    assert "Games won by k of reach" in tables
    assert "The claims and their answers" not in tables
