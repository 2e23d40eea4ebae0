"""The sections of a replication: first the claims, then the results of each report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from knightfall.arena.formatting import number_interval, percent_interval
from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import Interval
from knightfall.arena.verdicts import HEAD_TO_HEAD, OVER_THE_PANEL, Verdict
from knightfall.lab.replication.claims import CLAIMS
from knightfall.lab.replication.experiments import Trial
from knightfall.lab.replication.game_statistics import attacker_share
from knightfall.lab.replication.judging import FAILS, HOLDS, UNDECIDED, Answer
from knightfall.lab.replication.papers import REPORTS
from knightfall.lab.replication.replicate import Replication
from knightfall.reporting.charts.plots import Dot, draw_dots
from knightfall.reporting.document import (
    Alert,
    Block,
    Cell,
    Chart,
    Figures,
    Fold,
    Points,
    Section,
    Table,
    Text,
)
from knightfall.reporting.facts import efforts, endings, ratios
from knightfall.reporting.formatting import badge, listed, percent, plural, time_words, verdict_words
from knightfall.reporting.recommend import recommend
from knightfall.reporting.sections.accuracy import replication_accuracy
from knightfall.reporting.sections.attackers import attackers
from knightfall.reporting.sections.endings import ending_blocks
from knightfall.reporting.sections.faults import fault_section
from knightfall.reporting.sections.games import game_section
from knightfall.reporting.sections.matches import crosstable
from knightfall.reporting.sections.ratings import ratings_table
from knightfall.reporting.sections.sweeps import sweep_blocks
from knightfall.reporting.sections.verdicts import verdict_table

Played = tuple[Trial, Results]

RECOMMENDED = {
    "A": "lookahead_both",
    "B": "central_mobility",
    "C": "stages",
    "D": "squared_ratio",
    "E": "contested_reach",
}
"""The function that each report recommends."""


def replication_sections(
    found: Replication, left: Sequence[Trial], db: str, say: Callable[[str], None]
) -> list[Section]:
    """Return all sections except method, origin and recommendation.

    ``say`` is called with the progress.
    """
    say("answering the claims")
    head = [_summary(found, left), _claims(found)]
    every = [results for _, results in found.played]
    main = [(trial, results) for trial, results in found.played if not trial.is_sweep]
    favourites = [trial.agent(RECOMMENDED[trial.report.id]) for trial, _ in main]
    reports = []
    for name in dict.fromkeys(trial.report.id for trial, _ in found.played):
        say(f"working out report {name}")
        reports.append(_report(found, name))
    accuracy = replication_accuracy(found, say)
    say("looking through the games")
    sections = [
        *head,
        *reports,
        accuracy,
        attackers(_attacker_rows(found), [budget_words(kind) for kind in found.terms.budgets]),
        Section("endings", "How games ended", _endings(found)),
        _efforts(found),
        fault_section(every),
        game_section([results for _, results in main], favourites, db),
    ]
    return [section for section in sections if section is not None]


def budget_words(kind: str) -> str:
    """Return a kind of budget in words."""
    return "time" if kind == "ms" else f"equal {kind}"


def _summary(found: Replication, left: Sequence[Trial]) -> Section:
    blocks: list[Block] = []
    if left:
        blocks.append(
            Alert(
                f"The replication is not finished: of {len(left) + len(found.played)} trials {len(left)} "
                f"{'is' if len(left) == 1 else 'are'} still to be played, and claims that need more are not answered."
            )
        )
    verdicts = [found.verdict(name) for name in found.answers]
    if verdicts:
        by_word = {word: [n for n in found.answers if found.verdict(n) == word] for word in (HOLDS, FAILS, UNDECIDED)}
        told = {HOLDS: "hold", FAILS: "do not hold", UNDECIDED: "are undecided"}
        parts = [f"{len(names)} {told[word]} ({', '.join(names)})" for word, names in by_word.items() if names]
        basis = "" if found.terms.ms is not None else ", judged at equal cost, which is nearest to the clock they had"
        blocks.append(Text(f"{listed(parts)}{basis}.", f"Of {plural(len(verdicts), 'claim')}."))
    disagree = [name for name in found.answers if found.disagree(name)]
    if disagree:
        text = f"{listed(disagree)}: there equal nodes and equal cost give different answers."
        blocks.append(Text(text, "It depends on the budget."))
    _, headline = _recommended(found)
    blocks.append(Text(headline, "Recommendation."))
    games = sum(results.games_played for _, results in found.played)
    terms = found.terms
    budget = f"{terms.ms:g} ms" if terms.ms is not None else f"{terms.nodes:,} nodes"
    reports = list(dict.fromkeys(trial.report.id for trial, _ in found.played))
    blocks.append(
        Figures(
            (
                ("games", f"{games:,}"),
                ("trials", str(len(found.played))),
                ("reports", " ".join(reports)),
                ("claims", str(len(verdicts))),
                ("pairs per opponent", f"{terms.pairs:,}"),
                ("budget", budget),
                ("seed", str(terms.seed)),
            )
        )
    )
    return Section("summary", "Summary", tuple(blocks))


# --- the claims


def _claims(found: Replication) -> Section:
    kinds = [kind for kind in found.terms.budgets if any(kind in answers for answers in found.answers.values())]
    rows = []
    for name, answers in found.answers.items():
        claim = CLAIMS[name]
        note = "depends on the budget" if found.disagree(name) else ""
        cells = [_answer_cell(answers[kind]) if kind in answers else Cell("–") for kind in kinds]
        rows.append(
            (
                Cell(name, found.verdict(name), badge=badge(found.verdict(name))),
                Cell(claim.words, note),
                Cell(claim.original, claim.sample),
                *cells,
            )
        )
    columns = ("claim", "in words", "published", *(budget_words(kind) for kind in kinds))
    text = (
        "What five analyses claimed in 2017, on how many games, and what came out here: the figure that a claim is "
        "about, with its interval, corrected where several comparisons are made. The verdict below a claim's name is "
        "that of the last column."
    )
    table = Table("The claims and their answers", columns, tuple(rows), wide=True)
    return Section("claims", "The claims", (Text(text), table))


def _answer_cell(answer: Answer) -> Cell:
    """Return a cell with the verdict, the claim's own figure, and the finding that decides if it is another one."""
    own = next((finding for finding in answer.findings if finding.interval is not None), answer.findings[0])
    note = own.text
    if answer.verdict != HOLDS and own.verdict != answer.verdict:
        decides = next(finding for finding in answer.findings if finding.verdict == answer.verdict)
        note = f"{note}. What decides: {decides.text}"
    parts = tuple(finding.text for finding in answer.findings)
    more = parts if len(parts) > 1 else ()
    return Cell(answer.verdict, note, badge=badge(answer.verdict), more=more, more_title=f"all {len(parts)} parts")


# --- one report


def _report(found: Replication, name: str) -> Section:
    report = REPORTS[name]
    main = [(t, r) for t, r in found.played if t.report.id == name and not t.is_sweep and t.board == "7x7"]
    large = [(t, r) for t, r in found.played if t.report.id == name and t.board != "7x7"]
    sweeps = [(t, r) for t, r in found.played if t.report.id == name and t.is_sweep]
    text = f"Panel {report.panel}; published with {report.games} games per opponent, {RECOMMENDED[name]} recommended."
    sections = []
    if main:
        sections.append(Section(f"{name}-standings", "Standings", tuple(_standings(main, published=True))))
    if large:
        board = large[0][0].board.replace("x", "×")
        sections.append(Section(f"{name}-large", f"On {board}", tuple(_standings(large, published=False))))
    if sweeps:
        blocks = [block for trial, results in sweeps for block in sweep_blocks(trial, results)]
        sections.append(Section(f"{name}-sweeps", "Sweeps", tuple(blocks)))
    return Section(f"report-{name}", f"Report {name}: {report.subject}", (Text(text),), tuple(sections))


def _standings(trials: Sequence[Played], *, published: bool) -> list[Block]:
    """Return the standings at all budgets in one chart, with the details collapsed."""
    report = trials[0][0].report
    candidates = trials[0][0].candidates
    rates = [{s.candidate: s for s in results.standings} for _, results in trials]

    def rate(at: int, candidate: str) -> Interval:
        return rates[at][trials[at][0].agent(candidate)].rate

    order = sorted(candidates, key=lambda candidate: -rate(-1, candidate).estimate)
    series = [budget_words(trial.budget) for trial, _ in trials]
    known = report.published if published else {}
    title = f"Games won, report {report.id}" + ("" if published else f", {trials[0][0].board.replace('x', '×')}")
    dots = [
        Dot(
            candidate,
            tuple(rate(at, candidate) for at in range(len(trials))),
            known[candidate] / 100 if candidate in known else None,
        )
        for candidate in order
    ]
    columns = ["candidate", *series, *(f"losing records, {name}" for name in series)]
    if published:
        columns.insert(1, "published")
    rows = []
    for candidate in order:
        row: list[Cell | str] = [candidate]
        if published:
            row.append(f"{known[candidate]:.1f}%" if candidate in known else "–")
        row += [percent_interval(rate(at, candidate)) for at in range(len(trials))]
        row += [str(rates[at][trials[at][0].agent(candidate)].losing_records) for at in range(len(trials))]
        rows.append(tuple(row))
    told = "; ".join(
        f"{candidate} {', '.join(f'{name} {percent_interval(rate(at, candidate))}' for at, name in enumerate(series))}"
        for candidate in order
    )
    chart = Chart(
        title,
        f"Dots with 95% intervals: {told}.",
        draw_dots(dots, "games won, %", series=series, extra="published" if published else ""),
        Table(title, tuple(columns), tuple(rows), frozenset(range(1, len(columns)))),
    )
    blocks: list[Block] = [chart]
    ratio = _ratio_chart(trials, order, series)
    if ratio is not None:
        blocks.append(ratio)
    for trial, results in trials:
        words = budget_words(trial.budget)
        inside: list[Block] = [crosstable(results, f"Pairs by match, {words}")]
        if results.verdicts:
            inside.append(verdict_table(results, f"Verdicts, {words}"))
        inside.append(ratings_table(results, f"Elo of all players together, {words}")[0])
        blocks.append(Fold(f"Matches, verdicts and ratings at {words}", tuple(inside)))
    return blocks


def _ratio_chart(trials: Sequence[Played], order: Sequence[str], series: Sequence[str]) -> Chart | None:
    found = [ratios(results) for _, results in trials]
    shown = [
        (candidate, tuple(found[at].get(trials[at][0].agent(candidate)) for at in range(len(trials))))
        for candidate in order
    ]
    shown = [(candidate, values) for candidate, values in shown if any(value is not None for value in values)]
    if not shown:
        return None
    report = trials[0][0].report
    where = "" if trials[0][0].board == "7x7" else f", {trials[0][0].board.replace('x', '×')}"
    title = f"Win ratio to improved, report {report.id}{where}"
    rows = tuple(
        (candidate, *("–" if v is None else number_interval(v, 3) for v in values)) for candidate, values in shown
    )
    told = "; ".join(f"{row[0]} {', '.join(row[1:])}" for row in rows)
    return Chart(
        title,
        f"Dots with intervals around 1: {told}.",
        draw_dots(
            [Dot(candidate, values) for candidate, values in shown],
            "win rate divided by that of improved",
            series=series,
            reference=(1.0, "equal"),
            scale=1.0,
        ),
        Table(title, ("candidate", *series), rows, frozenset(range(1, len(series) + 1))),
    )


# --- over all reports


def _attacker_rows(found: Replication) -> list[tuple[str, Sequence[Interval | None]]]:
    shares: dict[str, dict[str, Interval]] = {}
    for trial, results in found.played:
        if not trial.is_sweep and trial.board == "7x7":
            for kind, share in attacker_share(results).items():
                shares.setdefault(f"{trial.report.id}: {kind}", {})[trial.budget] = share
    return [(row, [by.get(kind) for kind in found.terms.budgets]) for row, by in sorted(shares.items())]


def _endings(found: Replication) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for board in dict.fromkeys(trial.board for trial, _ in found.played):
        blocks += ending_blocks(
            endings(results for trial, results in found.played if trial.board == board),
            f" on {board.replace('x', '×')}",
        )
    return tuple(blocks)


def _efforts(found: Replication) -> Section:
    kinds = found.terms.budgets
    rows: dict[tuple[str, str], dict[str, tuple[str, str, str]]] = {}
    for trial, results in found.played:
        if trial.is_sweep or trial.board != "7x7":
            continue
        spent = efforts(results)
        for candidate in trial.candidates:
            effort = spent.get(trial.agent(candidate))
            if effort is not None:
                told = (f"{effort.depth:.2f}", f"{effort.nodes:,.0f}", time_words(effort.milliseconds))
                rows.setdefault((trial.report.id, candidate), {})[trial.budget] = told
    shown = tuple(
        (f"{report}: {candidate}", *(cell for kind in kinds for cell in by.get(kind, ("–", "–", "–"))))
        for (report, candidate), by in rows.items()
    )
    columns = ("candidate", *(f"{what}, {budget_words(kind)}" for kind in kinds for what in ("depth", "nodes", "ms")))
    table = Table("Depth, nodes and milliseconds per move", columns, shown, frozenset(range(1, len(columns))))
    text = (
        "What a move took on average: the depth reached in the first half of each game, positions searched, "
        "milliseconds on the machine named below. At equal cost an expensive function searches fewer positions."
    )
    return Section("effort", "Time, nodes and depth", (Text(text), table))


# --- the recommendation


def _recommended(found: Replication) -> tuple[list[tuple[str, str, dict[str, Verdict | None]]], str]:
    """Return every function of the reports with its verdicts at all budgets, and a headline.

    The headline says which functions to use.
    """
    rows: dict[tuple[str, str], dict[str, Verdict | None]] = {}
    for trial, results in found.played:
        if trial.is_sweep or trial.board != "7x7":
            continue
        for candidate in trial.candidates:
            if candidate != "improved":
                verdict = results.verdict_on(trial.agent(candidate), OVER_THE_PANEL)
                rows.setdefault((trial.report.id, candidate), {})[trial.budget] = verdict
    everywhere, somewhere = [], []
    for (report, candidate), verdicts in rows.items():
        words = {verdict.word for verdict in verdicts.values() if verdict is not None}
        if words == {"better"}:
            everywhere.append((report, candidate, verdicts))
        elif "better" in words and "worse" not in words:
            somewhere.append((report, candidate, verdicts))
    budgets = "both budgets" if len(found.terms.budgets) > 1 else "this budget"
    if everywhere:
        best = [
            max((e for e in everywhere if e[0] == report), key=lambda e: _last_points(e[2]))
            for report in dict.fromkeys(e[0] for e in everywhere)
        ]
        told = listed([f"{candidate} (report {report})" for report, candidate, _ in best])
        headline = f"Use {told}: better than improved at {budgets}, and of their reports those that gain most."
    elif somewhere:
        told = listed([f"{candidate} (report {report})" for report, candidate, _ in somewhere])
        headline = f"Nothing is better than improved at {budgets}; {told} at one of them."
    else:
        headline = f"Stay with improved: in these games no function is shown to be better at {budgets}."
    return [(report, candidate, verdicts) for (report, candidate), verdicts in rows.items()], headline


def _last_points(verdicts: dict[str, Verdict | None]) -> float:
    """Return the difference at the last budget, which is equal cost if it was played."""
    last = list(verdicts.values())[-1]
    return -1.0 if last is None or last.interval is None else last.interval.estimate


def replication_recommendation(found: Replication) -> Section:
    """Return the section on what to use, by the three criteria, for each report at each budget."""
    rows, headline = _recommended(found)
    kinds = found.terms.budgets
    main = [(trial, results) for trial, results in found.played if not trial.is_sweep and trial.board == "7x7"]
    points = tuple(_headlines(found, main))
    whole: tuple[tuple[Cell | str, ...], ...] = tuple(
        (f"{report}: {candidate}", *(_verdict_cell(verdicts.get(kind)) for kind in kinds))
        for report, candidate, verdicts in rows
    )
    columns = ("function", *(f"to improved, {budget_words(kind)}" for kind in kinds))
    title = "Every function against improved, over the panel"
    cautions = (
        "Reports have panels of their own: a win rate of one is not to be compared with that of another.",
        "Not distinguishable does not mean equal; it means that these games do not show a difference.",
        f"What is said holds for these budgets, openings of this kind and the 7×7 board; it rests on "
        f"{found.terms.pairs:,} pairs per opponent.",
    )
    blocks: tuple[Block, ...] = (
        Text(headline, "In one sentence."),
        _criteria(main),
        Text("", "What the games of each report allow to be said."),
        Points(points),
        Fold(title, (Table(title, columns, whole),)),
        Text("", "To bear in mind."),
        Points(cautions),
    )
    return Section("recommendation", "Recommendation", blocks)


def _verdict_cell(verdict: Verdict | None, before: str = "") -> Cell:
    if verdict is None:
        return Cell("–")
    return Cell(verdict.word, f"{before}{verdict_words(verdict)}", badge=badge(verdict.word))


def _criteria(main: Sequence[Played]) -> Table:
    """Return the table of the recommended functions by the three criteria, beside `improved`."""
    rows = []
    for trial, results in main:
        candidate = RECOMMENDED[trial.report.id]
        name, base = trial.agent(candidate), trial.agent("improved")
        standings = {standing.candidate: standing for standing in results.standings}
        met = results.duel(name)
        games = "" if met is None or not met.pairs else f"{met.games_won}–{met.games_lost}, "
        rows.append(
            (
                f"{trial.report.id}: {candidate}",
                budget_words(trial.budget),
                f"{percent(standings[name].estimate.mean)} ({percent(standings[base].estimate.mean)})",
                f"{standings[name].losing_records} ({standings[base].losing_records})",
                _verdict_cell(results.verdict_on(name, OVER_THE_PANEL)),
                _verdict_cell(results.verdict_on(name, HEAD_TO_HEAD), games),
            )
        )
    columns = ("function", "budget", "games won", "losing records", "over the panel", "against improved")
    title = "What the reports recommend, by the three criteria; in round brackets improved's own figure"
    return Table(title, columns, tuple(rows), frozenset({2, 3}))


def _headlines(found: Replication, main: Sequence[Played]) -> list[str]:
    """Return the headline of each report with the candidates' own names, once if all budgets agree."""
    told: dict[str, dict[str, list[str]]] = {}
    for trial, results in main:
        text = recommend(results).headline
        for candidate in sorted(trial.candidates, key=lambda name: -len(trial.agent(name))):
            text = text.replace(trial.agent(candidate), candidate)
        told.setdefault(trial.report.id, {}).setdefault(text, []).append(budget_words(trial.budget))
    lines = []
    for report, texts in told.items():
        for text, budgets in texts.items():
            where = "" if len(budgets) == len(found.terms.budgets) else f", {listed(budgets)}"
            lines.append(f"Report {report}{where}: {text}")
    return lines
