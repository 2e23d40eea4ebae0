"""`knightfall report`: the same figures as the results have, in a page that a real browser opens without complaint."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from commands import KNIGHTFALL, run
from playwright.sync_api import Browser, Page, sync_playwright

from knightfall.arena.ledger import Experiment, Ledger, PairRow
from knightfall.arena.plan import Matchup, Plan
from knightfall.arena.results import Results
from knightfall.arena.statistics.sprt import Sprt
from knightfall.arena.tournament import tournament
from knightfall.arena.verdicts import OVER_THE_PANEL
from knightfall.cli import main
from knightfall.lab.attackers import attacker_share, mean_depth
from knightfall.lab.claims import CLAIMS
from knightfall.lab.replicate import Replication, read_replication, replicate
from knightfall.lab.report.facts import efforts
from knightfall.lab.report.markdown import escape
from knightfall.lab.report.recommend import recommend
from knightfall.lab.trials import Terms

MOST_BYTES = 1_000_000
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
EVIL = '<img src=x onerror="alert(1)">&$_|*\'</script>'
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


# --- ledgers


def change(path: Path, *statements: str) -> None:
    """Change a ledger behind its back."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with one tournament: three candidates, three opponents, the baseline outside the panel."""
    path = tmp_path_factory.mktemp("report") / "x.db"
    candidates = ["central_mobility", "contested_reach"]
    tournament(candidates, ["Random", "MM_Open", "AB_Open"], pairs=8, nodes=60, db=path, workers=0)
    return path


@pytest.fixture(scope="module")
def results(db: Path) -> Results:
    with Ledger(db) as ledger:
        return Results.read(ledger, 1)


@pytest.fixture(scope="module")
def html(db: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of that tournament."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    assert main(["report", "--db", str(db), "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def replicated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Replication]:
    """A ledger with a small replication of two reports, and what `replicate` made of it."""
    path = tmp_path_factory.mktemp("replication") / "r.db"
    with Ledger(path) as ledger:
        return path, replicate(ledger, ["D", "E"], Terms(5, 20), workers=0, command="knightfall replicate D E")


@pytest.fixture(scope="module")
def replication_html(replicated: tuple[Path, Replication], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replication-page") / "report.html"
    assert main(["report", "--db", str(replicated[0]), "-o", str(path)]) == 0
    return path


def copy(path: Path, folder: Path) -> Path:
    """A ledger of one's own."""
    target = folder / "copy.db"
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as connection:
        source.backup(connection)
    return target


def page_of(path: Path, folder: Path, *more: str) -> str:
    """The report of a ledger."""
    target = folder / "report.html"
    assert main(["report", "--db", str(path), "-o", str(target), *more]) == 0
    return target.read_text(encoding="utf-8")


# --- reading a page without a browser


class Tables(HTMLParser):
    """The tables of a page by their captions, as texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: dict[str, list[list[str]]] = {}
        self.text = ""
        self._caption = ""
        self._row: list[str] = []
        self._into = ""
        self._ignored = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("style", "script"):
            self._ignored += 1
        if tag == "caption":
            self._caption, self._into = "", tag
        elif tag == "tr":
            self._row = []
        elif tag in ("th", "td"):
            self._row.append("")
            self._into = "cell"
        elif tag == "span" and dict(attrs).get("class") == "note" and self._into:
            self._row[-1] += " | "

    def handle_endtag(self, tag: str) -> None:
        if tag in ("style", "script"):
            self._ignored -= 1
        if tag == "caption":
            self.found[self._caption.strip()] = []
            self._into = ""
        elif tag == "tr":
            self.found[self._caption.strip()].append([" ".join(cell.split()) for cell in self._row])
        elif tag in ("th", "td"):
            self._into = ""

    def handle_data(self, data: str) -> None:
        if self._ignored:
            return
        self.text += data
        if self._into == "caption":
            self._caption += data
        elif self._into:
            self._row[-1] += data


def percent(value: float) -> str:
    return f"{100 * value:.1f}%"


# --- the figures


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


# --- what may stand in a ledger


def test_names_are_escaped(db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = copy(db, tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        for number, told in connection.execute("SELECT id, configuration FROM experiment").fetchall():
            text = json.dumps(json.loads(told), ensure_ascii=False)
            text = text.replace("AB_central_mobility", json.dumps(EVIL)[1:-1])
            connection.execute("UPDATE experiment SET configuration = ? WHERE id = ?", [text, number])
        for table, column in (("pair", "candidate"), ("game", "first"), ("game", "second")):
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = 'AB_central_mobility'", [EVIL])
        connection.commit()
    page = page_of(path, tmp_path)
    assert "<img" not in page
    assert page.count("</script>") == 1
    assert EVIL in Tables(page).text
    capsys.readouterr()
    assert main(["report", "--db", str(path), "--markdown"]) == 0
    text = capsys.readouterr().out
    assert "<img" not in text
    assert escape(EVIL) in text


def test_a_sequential_test_has_no_intervals(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    found = tournament("central_mobility", ["AB_null"], pairs=60, nodes=40, sprt=(0, 100), db=path, workers=0)
    page = page_of(path, tmp_path)
    tables, text = Tables(page).found, Tables(page).text
    assert found.verdicts[0].sentence in text
    assert "95% interval" not in text
    assert tables["Standings"][0] == ["candidate", "games won", "won", "lost", "LL / WL / WW", "losing records"]
    for name in ("Standings", "Verdicts", "Games won by the attacker", "Pairs by match"):
        for row in tables[name]:
            assert not re.search(r"\[[-+\d.]+, [-+\d.]+\]", " ".join(row))
    assert "Elo of all players together" not in tables


def test_faults_and_pairs_left_out_are_told(db: Path, tmp_path: Path) -> None:
    path = copy(db, tmp_path)
    change(
        path,
        "UPDATE game SET reason = 'crash', message = 'it fell <over>' WHERE pair = 2 AND game = 2",
        "DELETE FROM game WHERE pair = 5",
        "UPDATE pair SET state = 'left out', score = NULL, note = 'it killed three workers' WHERE number = 5",
    )
    with Ledger(path) as ledger:
        results = Results.read(ledger, 1)
    ((name, reason),) = results.faults
    page = page_of(path, tmp_path)
    tables, text = Tables(page).found, Tables(page).text
    assert tables["Games lost by a fault"][1] == [name, reason, "1", "it fell <over>", "1"]
    assert tables["Pairs left out"][1][0] == "1/5"
    assert tables["Pairs left out"][1][-1] == "it killed three workers"
    assert "1 game ended by a fault, which counts as lost" in text
    assert "1 by crash" in text


def test_an_unfinished_experiment_says_so(db: Path, tmp_path: Path) -> None:
    path = copy(db, tmp_path)
    change(
        path,
        "UPDATE experiment SET ended = NULL",
        "DELETE FROM game WHERE pair >= 40",
        "UPDATE pair SET state = 'planned', score = NULL WHERE number >= 40",
    )
    text = Tables(page_of(path, tmp_path)).text
    assert "Experiment 1 is not finished: 40 of 88 pairs are played." in text
    assert "each look is another chance to be wrong" in text
    change(path, "DELETE FROM game", "UPDATE pair SET state = 'planned', score = NULL")
    assert main(["report", "--db", str(path), "-o", str(tmp_path / "none.html")]) == 2
    assert not (tmp_path / "none.html").exists()


def test_openings_without_knights_and_large_boards(tmp_path: Path) -> None:
    path = tmp_path / "y.db"
    options: dict[str, Any] = {"nodes": 30, "baseline": None, "workers": 0, "db": path}
    tournament(["open", "null"], ["Random"], pairs=1, plies=0, board="5x5", **options)
    tournament("open", ["Random"], pairs=3, board="11x9", **options)
    tournament(["open", "null", "improved"], [], pairs=4, round_robin=True, **options)
    text = Tables(page_of(path, tmp_path, "--experiment", "1", "--experiment", "2", "--experiment", "3")).text
    assert "Experiments 1, 2 and 3" in text
    assert "AB_open was measured alone: there is nothing to choose from." in text
    assert "of 99 squares were used" in text


# --- the recommendation


def made(scores: dict[tuple[str, str], list[float]], baseline: str | None = "base", **more: Any) -> Results:
    """Results of which every pair is given."""
    candidates = tuple(dict.fromkeys(name for name, _ in scores))
    opponents = () if more.pop("round_robin", False) else tuple(dict.fromkeys(name for _, name in scores))
    if not opponents:
        candidates = tuple(dict.fromkeys(name for both in scores for name in both))
    count = max(len(found) for found in scores.values())
    plan = Plan(candidates, opponents, ("7/7/3N3/7/4n2/7/7 w",) * count, baseline=baseline, **more)
    pairs = [
        PairRow(0, "", at, Matchup(*both), plan.openings[0], "done", score, "")
        for both, found in scores.items()
        for at, score in enumerate(found)
    ]
    experiment = Experiment(1, "", "", "", {}, {}, {}, "", "")
    return Results(experiment, plan, pairs, [])


GOOD, EVEN, BAD = [1.0, 0.5, 1.0, 1.0] * 50, [0.5, 0.5, 1.0, 0.0] * 50, [0.0, 0.5, 0.0, 0.0] * 50
NEARLY = [0.5, 0.5, 1.0, 0.0] * 49 + [0.5, 0.5, 1.0, 0.5]


def test_a_candidate_that_is_better_is_recommended() -> None:
    found = recommend(made({("base", "x"): EVEN, ("new", "x"): GOOD, ("old", "x"): BAD}))
    assert found.choice == "new"
    assert found.headline == "Use new: it is better than base and than every other candidate."
    assert any(reason.startswith("Overall rate: new wins 87.5% [") for reason in found.reasons)
    assert "Losing records: new lost more games than it won to no opponent, base to no opponent." in found.reasons


def test_what_cannot_be_distinguished_is_not_recommended() -> None:
    found = recommend(made({("base", "x"): EVEN, ("new", "x"): NEARLY}))
    assert found.choice == "base"
    assert found.headline == "Stay with base: no candidate is shown to be better."
    (words,) = (reason for reason in found.reasons if reason.startswith("new comes nearest"))
    assert "holds zero: a difference either way is possible" in words
    assert "more pairs per opponent would show it" in words
    two = recommend(made({("base", "x"): BAD, ("new", "x"): GOOD, ("twin", "x"): GOOD}))
    assert two.headline == "Use new: it is better than base. But the games do not tell it from twin."


def test_what_is_worse_is_said_to_be() -> None:
    assert recommend(made({("base", "x"): EVEN, ("new", "x"): BAD})).headline == "Stay with base: new is worse."
    found = recommend(made({("base", "x"): EVEN, ("a", "x"): BAD, ("b", "x"): BAD}))
    assert found.headline == "Stay with base: every candidate is worse."


def test_without_a_baseline_the_best_is_compared_with_all_others() -> None:
    found = recommend(made({("a", "x"): GOOD, ("b", "x"): BAD}, None))
    assert (found.choice, found.headline) == ("a", "Use a: it is better than every other candidate.")
    found = recommend(made({("a", "x"): NEARLY, ("b", "x"): EVEN}, None))
    assert found.choice is None
    assert found.headline == "a has won the largest share of its games, but the games do not tell it from b."


def test_in_a_round_robin_matches_decide() -> None:
    scores = {("base", "new"): BAD, ("base", "old"): EVEN, ("new", "old"): GOOD}
    found = recommend(made(scores, round_robin=True))
    assert found.headline == "Use new: it is better than base and than every other candidate."


@pytest.mark.parametrize(
    ("scores", "test", "choice", "words"),
    [
        (GOOD, Sprt(0, 20), "new", "Use new rather than x"),
        (BAD, Sprt(0, 20), "x", "new is not better"),
        (BAD, Sprt(-20, 0), "x", "new is worse"),
        (GOOD, Sprt(-20, 0), "new", "new may take the place of x: it is not worse"),
        (EVEN[:4], Sprt(0, 20), None, "is not decided; play on"),
    ],
)
def test_after_a_sequential_test(scores: list[float], test: Sprt, choice: str | None, words: str) -> None:
    found = recommend(made({("new", "x"): scores}, None, sprt=test))
    assert found.choice == choice
    assert words in found.headline
    assert found.cautions[0].startswith("No interval is given")


# --- a replication


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


# --- Markdown


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


# --- the command


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
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"report written to report\.html \(\d+ kB\)\n", done.stdout)
    assert (tmp_path / "report.html").stat().st_size < MOST_BYTES


def test_help_imports_nothing_heavy() -> None:
    done = subprocess.run(
        [KNIGHTFALL[0], "-X", "importtime", *KNIGHTFALL[1:], "report", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert not imported & {"numpy", "numba", "scipy", "matplotlib", "jinja2", "statsmodels"}


# --- in a real browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        reason = "chromium is not installed: pages are not opened in a browser"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


class Opened:
    """A page, and whatever should not have happened in it."""

    def __init__(self, browser: Browser, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def __enter__(self) -> Page:
        return self.page

    def __exit__(self, kind: object, *_: object) -> None:
        self.context.close()
        if kind is None:
            assert self.complaints == []
            assert len(self.requests) == 1
            assert self.requests[0].startswith("file:")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", ["tournament", "replication"])
def test_a_browser_and_axe_have_nothing_to_complain_of(
    browser: Browser, html: Path, replication_html: Path, scheme: Literal["light", "dark"], kind: str
) -> None:
    path = html if kind == "tournament" else replication_html
    size: Any = {"width": 1200, "height": 900}
    with Opened(browser, path, color_scheme=scheme, viewport=size) as page:
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(int(part) for part in re.findall(r"\d+", paper)[:3]) > 600) == (scheme == "light")
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        told = [
            f"{one['impact']} {one['id']}: {node['html'][:150]}"
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"][:3]
        ]
        assert told == []


@pytest.mark.parametrize("width", [400, 800, 1200])
def test_the_page_itself_never_scrolls_sideways(
    browser: Browser, html: Path, replication_html: Path, width: int
) -> None:
    for path in (html, replication_html):
        with Opened(browser, path, viewport={"width": width, "height": 800}) as page:
            page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_button_switches_light_and_dark(browser: Browser, html: Path) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    line = "getComputedStyle(document.querySelector('svg.chart path[style*=\"--one\"]')).stroke"
    with Opened(browser, html, color_scheme="light") as page:
        light = page.evaluate(paper), page.evaluate(line)
        page.click("#theme")
        dark = page.evaluate(paper), page.evaluate(line)
        assert light[0] != dark[0]
        assert light[1] != dark[1]
        assert page.inner_text("#theme") == "Light"
        page.click("#theme")
        assert (page.evaluate(paper), page.evaluate(line)) == light


def test_a_game_can_be_gone_through(browser: Browser, html: Path, results: Results) -> None:
    with Opened(browser, html) as page:
        game = page.locator("figure.game").first
        told = json.loads(game.get_attribute("data-game") or "")
        moves = told["moves"]
        longest = max(results.games, key=lambda one: len(one.moves))
        assert moves == [longest.opening.geometry.label(square) for square in longest.moves]
        shown = game.locator(".b-used:not([hidden])")
        status = game.locator(".status")
        assert shown.count() == longest.final.ply
        assert told["outcome"] in status.inner_text()
        game.locator("[data-step=first]").click()
        assert status.inner_text().startswith("Opening; ")
        assert shown.count() == longest.opening.ply
        assert game.locator("[data-step=back]").is_disabled()
        for at, position in enumerate(list(longest.positions())[1:4], start=1):
            game.locator("[data-step=on]").click()
            assert shown.count() == position.ply
            assert f" to {moves[at - 1]}" in status.inner_text()
            assert game.locator(".moves .now").inner_text() == moves[at - 1]
            for side, square in zip(("first", "second"), position.locations, strict=True):
                assert square is not None
                row, column = position.geometry.coordinates(square)
                where = game.locator(f".b-knight.b-{side}").get_attribute("transform")
                assert where == f"translate({24 + 48 * column} {24 + 48 * row})"
        game.locator(".play").focus()
        page.keyboard.press("ArrowLeft")
        assert status.inner_text().startswith("Move 2 of ")
        page.keyboard.press("End")
        assert status.inner_text().startswith(f"Move {len(moves)} of {len(moves)}: ")
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        assert status.inner_text().startswith("Move 1 of ")
        game.locator(".moves [data-ply='5']").click()
        assert status.inner_text().startswith("Move 5 of ")


def test_without_scripts_there_is_a_last_board_and_a_list_of_moves(browser: Browser, html: Path) -> None:
    with Opened(browser, html, java_script_enabled=False) as page:
        game = page.locator("figure.game").first
        assert game.locator("svg.board").is_visible()
        assert not game.locator(".controls").is_visible()
        assert not page.locator("#theme").is_visible()
        moves = [move.inner_text() for move in game.locator(".moves span").all()]
        assert len(moves) >= 5
        assert page.locator("svg.chart").first.is_visible()
        page.locator("details.numbers summary").last.click()
        assert page.locator("details.numbers table").last.is_visible()


def test_on_paper_it_is_light_and_has_no_buttons(browser: Browser, html: Path) -> None:
    with Opened(browser, html, color_scheme="dark") as page:
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not page.locator("#theme").is_visible()
        assert not page.locator(".controls").first.is_visible()
        assert page.locator("svg.board").first.is_visible()


def test_names_with_markup_do_nothing_in_a_browser(browser: Browser, db: Path, tmp_path: Path) -> None:
    path = copy(db, tmp_path)
    change(path, "UPDATE game SET message = '<img src=x onerror=alert(2)>', reason = 'crash' WHERE pair = 1")
    page_of(path, tmp_path)
    with Opened(browser, tmp_path / "report.html") as page:
        assert page.locator("img").count() == 0
        assert page.get_by_text("<img src=x onerror=alert(2)>").first.is_visible()


def test_a_pdf_is_printed(browser: Browser, db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert browser.is_connected()
    target = tmp_path / "report.pdf"
    assert main(["report", "--db", str(db), "--pdf", str(target)]) == 0
    assert target.read_bytes().startswith(b"%PDF")
    assert "report printed to" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.pdf"]
