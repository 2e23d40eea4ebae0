"""`knightfall report`: the same figures as the results have."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from report_pages import MOST_BYTES, Tables, page_of, percent

from knightfall.arena.plan import Matchup
from knightfall.arena.results import Results
from knightfall.arena.verdicts import OVER_THE_PANEL
from knightfall.lab.replication.game_statistics import attacker_share, mean_depth
from knightfall.reporting.facts import efforts
from knightfall.reporting.recommend import recommend


def test_the_page_has_the_figures_of_the_results(html: Path, results: Results) -> None:
    tables = Tables(html.read_text(encoding="utf-8")).found
    standings = {row[0]: row for row in tables["Standings"][1:]}
    assert list(standings) == [s.candidate for s in sorted(results.standings, key=lambda s: -s.estimate.mean)]
    for standing in results.standings:
        rate = standing.rate
        assert standings[standing.candidate][1:5] == [
            percent(rate.estimate),
            f"[{100 * rate.low:.1f}, {100 * rate.high:.1f}]",
            str(standing.won),
            str(standing.lost),
        ]
        assert standings[standing.candidate][6] == str(standing.losing_records)
    head, *rows = tables["Pairs by match"]
    for row in rows:
        for opponent, cell in zip(head[1:4], row[1:4], strict=True):
            counts = results.matches[Matchup(row[0], opponent)].counts
            kinds = f"{counts.ll} / {counts.wl} / {counts.ww}"
            assert cell == f"{counts.games_won}–{counts.games_lost} | {kinds}"
    assert head[4] == "AB_improved (outside the panel)"
    assert rows[0][4] == "–"
    for row in rows[1:]:
        counts = results.matches[Matchup(row[0], "AB_improved")].counts
        assert row[4].startswith(f"{counts.games_won}–{counts.games_lost} ")
    verdicts = tables["Verdicts, compared with AB_improved"][1:]
    assert [row[2].lstrip("✓✗~ ") for row in verdicts] == [verdict.word for verdict in results.verdicts]
    elo = {row[0]: row[1] for row in tables["Elo of all players together"][1:]}
    assert {name: elo[name] for name in results.ratings.agents} == {
        name: f"{interval.estimate:+.0f}" for name, interval in results.ratings.agents.items()
    }
    ratios = {row[0]: float(row[1]) for row in tables["Ratio to AB_improved"][1:]}
    for verdict in results.verdicts:
        if verdict.kind == OVER_THE_PANEL:
            assert ratios[verdict.candidate] == pytest.approx(verdict.rates[0] / verdict.rates[1], abs=6e-4)
    shares = {row[0]: row[1] for row in tables["Games won by the attacker"][1:]}
    assert {kind: cell.split()[0] for kind, cell in shares.items()} == {
        kind: percent(share.estimate) for kind, share in attacker_share(results).items()
    }
    lengths = Counter(len(game.moves.split()) for _, game in results.rows())
    assert {int(row[0]): int(row[1]) for row in tables["Length of games"][1:]} == lengths


def test_a_chart_draws_what_its_table_says(html: Path, results: Results) -> None:
    """The dots of the standings lie where the ticks of the axis say that they should."""
    page = html.read_text(encoding="utf-8")
    svg = next(svg for svg in re.findall(r"<svg.*?</svg>", page, re.S) if ">Games won, with 95% intervals<" in svg)
    ticks = [
        (float(text), float(x))
        for x, text in re.findall(r'<text x="([\d.]+)" y="[\d.]+"[^>]*var\(--muted\)[^>]*>(\d+)</text>', svg)
    ]
    (low, low_x), (high, high_x) = ticks[0], ticks[-1]
    dots = [float(x) for x in re.findall(r'<use x="([\d.]+)"', svg)]
    shown = [low + (x - low_x) / (high_x - low_x) * (high - low) for x in dots]
    wanted = sorted((100 * standing.estimate.mean for standing in results.standings), reverse=True)
    assert shown == pytest.approx(wanted, abs=0.2)


def test_depth_is_told_as_claims_tell_it(results: Results) -> None:
    found = efforts(results)
    assert "Random" not in found  # it does not search
    for name in results.plan.candidates:
        assert found[name].depth == pytest.approx(mean_depth(results, name).estimate)
        assert 0 < found[name].nodes <= 60


def test_commands_versions_seeds_and_machine_are_told(html: Path, results: Results) -> None:
    text = Tables(html.read_text(encoding="utf-8")).text
    code, machine = results.experiment.code, results.experiment.machine
    for told in (code["knightfall"], code["sources"], code["numba"], code["python"], machine["processor"]):
        assert str(told) in text
    assert results.moves_hash[:16] in text
    assert "from a Python program" in text


def test_it_ends_with_a_recommendation_and_its_reasons(html: Path, results: Results) -> None:
    text = Tables(html.read_text(encoding="utf-8")).text
    found = recommend(results)
    end = text[text.rindex("Recommendation") :]
    for sentence in (found.headline, *found.reasons, *found.cautions):
        assert sentence in end
    assert text.count(found.headline) == 2  # in the summary, too


def test_the_same_ledger_gives_the_same_file(db: Path, html: Path, tmp_path: Path) -> None:
    again = page_of(db, tmp_path)
    assert re.sub(r"knightfall report .*?<", "<", again) == re.sub(
        r"knightfall report .*?<", "<", html.read_text(encoding="utf-8")
    )


def test_ids_are_unique_and_nothing_is_fetched(html: Path, replication_html: Path) -> None:
    for path in (html, replication_html):
        page = path.read_text(encoding="utf-8")
        assert len(page.encode()) < MOST_BYTES
        ids = Counter(re.findall(r'\bid="([^"]+)"', page))
        assert max(ids.values()) == 1
        for target in re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', page):
            assert "".join(target) in ids
        for part in re.findall(r'aria-labelledby="([^"]+)"', page):
            assert set(part.split()) <= set(ids)
        assert not re.findall(r'(?:src|href)="(?!#)', page)
        assert "@import" not in page
        assert "#010101" not in page  # the colours of charts are the page's


def test_every_chart_has_a_text_and_its_numbers(html: Path, replication_html: Path) -> None:
    for path in (html, replication_html):
        page = path.read_text(encoding="utf-8")
        figures = re.findall(r'<figure class="picture">.*?</figure>', page, re.S)
        assert len(figures) >= 5
        for figure in figures:
            assert 'role="img"' in figure
            assert re.search(r"<title id=\"[^\"]+\">[^<]{5,}</title><desc id=\"[^\"]+\">[^<]{30,}</desc>", figure)
            assert "<details" in figure
            assert "<tbody>" in figure
