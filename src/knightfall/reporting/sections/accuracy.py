"""The accuracy section: how often the heuristics are right by exact truth, and whether this predicts their rank.

Accuracy is measured when the report is written, with the functions as they are then.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from knightfall.arena.formatting import number_interval, percent_interval
from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import Interval
from knightfall.catalogue.heuristic import Heuristic
from knightfall.compiler.errors import HeuristicWarning
from knightfall.lab.replication.replicate import Replication
from knightfall.lab.truth.accuracy import Accuracy, Grader, chance
from knightfall.lab.truth.entrants import entrants
from knightfall.lab.truth.rank import AUC, LEAST, Comparable, Ranking, comparable, rank, rank_together
from knightfall.lab.truth.sets import SHIPPED, shipped_truth
from knightfall.reporting.charts.accuracy import Point, SmallCurve, draw_points, draw_small_curves
from knightfall.reporting.document import Block, Cell, Chart, Points, Section, Table, Text
from knightfall.reporting.formatting import listed, percent, plural
from knightfall.rules import KnightfallError

DEPTHS = (0, 2)
"""Search depths that are quick to measure."""

_CURVES = 12  # maximum number of curves
_WIDEST = 0.3  # maximum width of an interval in the curves; the table has all stages
_MEASURES = (*(f"depth {depth}" for depth in DEPTHS), AUC)

Say = Callable[[str], None]


@dataclass(frozen=True)
class Grades:
    """The accuracy of every heuristic that could be graded, best first, and why the others could not."""

    board: str
    found: dict[Heuristic, Accuracy]
    left_out: tuple[str, ...]


@cache
def _grader(board: str) -> Grader:
    """Return a grader with the half of the board's truth set that is not used for tuning."""
    return Grader([entry for entry in shipped_truth(board) if not entry.is_for_tuning])


@cache
def _measured(board: str, heuristic: Heuristic) -> Accuracy:
    """Measure a heuristic once, even if it takes part in several experiments of a report."""
    return _grader(board).measure(heuristic, DEPTHS)


def _grade(board: str, many: Iterable[Results], say: Say) -> Grades:
    chosen: dict[Heuristic, None] = {}
    left_out: dict[str, None] = {}
    with warnings.catch_warnings():  # the table marks interpreted heuristics
        warnings.simplefilter("ignore", HeuristicWarning)
        for results in many:
            told = entrants(results, say)
            chosen |= dict.fromkeys(member.heuristic for member in told.members)
            left_out |= dict.fromkeys(f"{name}: {why}." for name, why in told.missing.items())
        found = {}
        if chosen:
            say(f"reading the truth set of {board}")
            _grader(board)
        for number, heuristic in enumerate(chosen, start=1):
            say(f"grading {number} of {len(chosen)}: {heuristic.text}")
            try:
                found[heuristic] = _measured(board, heuristic)
            except KnightfallError as error:
                left_out[f"{heuristic.text}: {error}."] = None
    best_first = sorted(found.items(), key=lambda item: -item[1].kept[0].estimate)
    return Grades(board, dict(best_first), tuple(left_out))


# --- one tournament


def tournament_accuracy(results: Results, say: Say) -> Section | None:
    """Return the section of one tournament.

    The result is None if the package has no truth set for the board, or if no candidate uses a heuristic.
    """
    board = results.plan.board
    if board not in SHIPPED:
        return None
    grades = _grade(board, [results], say)
    blocks = _accuracy_blocks(grades)
    if grades.found and results.plan.sprt is None:
        found = rank(comparable(results), grades.found)
        if len(found.places) >= LEAST:
            blocks += [Text(_rho_words(found), "Does it tell who wins?"), _rank_chart(found)]
            if found.notes:
                blocks.append(Points(tuple(f"{note}." for note in found.notes)))
    return Section("accuracy", "Accuracy", tuple(blocks)) if blocks else None


# --- a replication


def replication_accuracy(found: Replication, say: Say) -> Section | None:
    """Return the section of a whole replication: the heuristics of all reports, without their sweeps."""
    main = [(t, r) for t, r in found.played if not t.is_sweep and t.board == "7x7"]
    if not main:
        return None
    grades = _grade("7x7", [results for _, results in main], say)
    say("comparing ranks")
    blocks = _accuracy_blocks(grades)
    by_budget: dict[str, list[tuple[str, Comparable]]] = {}
    for trial, results in main:
        by_budget.setdefault(trial.budget, []).append((trial.report.id, comparable(results)))
    rankings, charts = [], []
    for reports in by_budget.values():
        single = [(f"report {name}", rank(told, grades.found)) for name, told in reports]
        rankings += [(name, each) for name, each in single if len(each.places) >= LEAST]
        if len(reports) > 1:
            together = rank_together([told for _, told in reports], grades.found)
            if len(together.places) >= LEAST:
                rankings.append(("all together", together))
                charts.append(_rank_chart(together))
        else:
            charts += [_rank_chart(each) for _, each in single if len(each.places) >= LEAST]
    if rankings:
        text = (
            "Reports have panels of their own, so that each is ranked for itself; all together are ranked by their "
            "games against the opponents that all of them met. Rho is 1 where the order by accuracy is the order by "
            "games won, 0 where one says nothing of the other."
        )
        whole = [each for name, each in rankings if name == "all together"]
        blocks += [Text(" ".join([text, *(_rho_words(each) for each in whole)]), "Does it tell who wins?")]
        blocks += [_rho_table(rankings), *charts]
        notes = dict.fromkeys(note for _, each in rankings for note in each.notes)
        if notes:
            blocks.append(Points(tuple(f"{note}." for note in notes)))
    return Section("accuracy", "Accuracy", tuple(blocks)) if blocks else None


# --- the parts


def _accuracy_blocks(grades: Grades) -> list[Block]:
    blocks: list[Block] = []
    board = grades.board.replace("x", "×")
    if grades.found:
        grader = _grader(grades.board)
        text = (
            f"The heuristics of the candidates in critical positions of {board}, where some move wins and some other "
            "loses, and whose exact values are known: the share in which the choice keeps the win, when the heuristic "
            "is asked right after each move (depth 0), or at the leaves of a plain search two plies deeper (depth 2). "
            f"The set has {plural(len(grader.critical), 'critical position')}; depth 2, and functions that are slow or "
            "interpreted, are graded on a sample. Each row states its own number, for depth 0 and 2. A random move "
            f"keeps the win in {percent(chance(grader.truths))}. AUC is the chance that a won position is valued above "
            "a lost one; confidently wrong is the share of lost positions that are valued above the median won one; "
            "both are measured on won and lost positions, critical or not, as many as the column says."
        )
        blocks += [Text(text), _accuracy_table(grades), _stage_chart(grades)]
    if grades.left_out:
        blocks += [Text("", "Not graded, because they cannot be had as they were."), Points(grades.left_out)]
    return blocks


def _accuracy_table(grades: Grades) -> Table:
    rows: list[tuple[Cell | str, ...]] = []
    for entry in grades.found.values():
        note = "" if entry.compiled else "interpreted"
        rows.append(
            (
                Cell(entry.heuristic, note),
                *(percent_interval(entry.kept[depth]) for depth in DEPTHS),
                " / ".join(f"{entry.counts[depth]:,}" for depth in DEPTHS),
                f"{entry.auc.estimate:.3f}",
                percent(entry.confidently_wrong.estimate),
                f"{entry.valued:,}",
                f"{entry.nanoseconds:,.0f}",
            )
        )
    kept = (f"wins kept, depth {depth}" for depth in DEPTHS)
    columns = ("heuristic", *kept, "critical positions", "AUC", "confidently wrong", "positions", "ns per call")
    return Table("Accuracy by exact truth", columns, tuple(rows), frozenset(range(1, len(columns))))


def _stage_chart(grades: Grades) -> Chart:
    """Return the chart of accuracy over the game, with a small curve for each of the best heuristics."""
    entries = list(grades.found.values())
    plies = sorted({ply for entry in entries for ply in entry.by_ply[0]})
    typical = {}
    for ply in plies:
        values = [entry.by_ply[0][ply].estimate for entry in entries if ply in entry.by_ply[0]]
        typical[ply] = sum(values) / len(values)
    narrow = [p for p in plies if any(p in e.by_ply[0] and _width(e.by_ply[0][p]) <= _WIDEST for e in entries)]
    shown = entries[:_CURVES]
    title = "Wins kept by stage of the game, depth 0"
    columns = ("heuristic", *(f"ply {ply}–" for ply in plies))
    rows = tuple(
        (entry.heuristic, *(percent(entry.by_ply[0][p].estimate) if p in entry.by_ply[0] else "–" for p in plies))
        for entry in entries
    )
    mean = ("mean of all", *(percent(typical[ply]) for ply in plies))
    which = "each heuristic" if len(shown) == len(entries) else f"the best {len(shown)} of {len(entries)} heuristics"
    told = "; ".join(f"from ply {ply} {percent(typical[ply])}" for ply in narrow)
    return Chart(
        title,
        f"A small curve for {which}, with its intervals, over the plies played, where there are positions enough; "
        f"dashed the mean of all: {told}.",
        draw_small_curves(
            [
                SmallCurve(entry.heuristic, {p: entry.by_ply[0][p] for p in narrow if p in entry.by_ply[0]})
                for entry in shown
            ],
            {ply: typical[ply] for ply in narrow},
            "plies played; wins kept, %; dashed: mean of all",
        ),
        Table(title, columns, (*rows, mean), frozenset(range(1, len(columns)))),
    )


def _width(interval: Interval) -> float:
    return interval.high - interval.low


def _rho_words(found: Ranking) -> str:
    """Return how well accuracy predicts rank, in sentences."""
    parts = [f"{name} {number_interval(rho)}" for name, rho in found.rho.items() if rho is not None]
    if not parts:
        return f"At {found.budget} nothing can be said: all are equally accurate, or won equally often."
    count = plural(len(found.places), "heuristic")
    whom = f", by games against {listed(found.against)}," if len(found.experiments) > 1 else ""
    words = f"At {found.budget}, over {count}{whom} Spearman's rho of accuracy and games won is: {listed(parts)}."
    surest = [rho for rho in found.rho.values() if rho is not None]
    if all(rho.low > 0 for rho in surest):
        return f"{words} The more accurate win more."
    if any(rho.low > 0 for rho in surest):
        return f"{words} By some of these measures the more accurate are shown to win more."
    if any(rho.high < 0 for rho in surest):
        return f"{words} Here the more accurate win less."
    return f"{words} All intervals hold 0: these few do not show that accuracy predicts rank, nor that it does not."


def _rho_table(rankings: Sequence[tuple[str, Ranking]]) -> Table:
    rows = tuple(
        (
            f"{name}, {found.budget}",
            str(len(found.places)),
            *("–" if (rho := found.rho.get(m)) is None else number_interval(rho) for m in _MEASURES),
        )
        for name, found in rankings
    )
    columns = ("which", "heuristics", *(f"rho, {measure}" for measure in _MEASURES))
    title = "Spearman's rho of accuracy and games won, with 95% intervals"
    return Table(title, columns, rows, frozenset(range(1, len(columns))))


def _rank_chart(found: Ranking) -> Chart:
    """Return the chart of games won over accuracy, and the numbers with both ranks."""
    measure = _MEASURES[0]
    title = f"Games won and accuracy, {found.budget}"
    by_accuracy = {name: found.ranks_by(name) for name in found.measures}
    rows = tuple(
        (
            place.heuristic,
            percent(place.score),
            f"{found.ranks[at]:g}",
            *(
                cell
                for name in found.measures
                for cell in (
                    f"{place.measures[name]:.3f}" if name == AUC else percent(place.measures[name]),
                    f"{by_accuracy[name][at]:g}",
                )
            ),
        )
        for at, place in enumerate(found.places)
    )
    columns = ("heuristic", "games won", "rank", *(c for name in found.measures for c in (name, f"rank by {name}")))
    told = "; ".join(
        f"{place.heuristic} {percent(place.measures[measure])}, {percent(place.score)}" for place in found.places
    )
    return Chart(
        title,
        f"A point for each heuristic: wins kept at {measure}, games won: {told}.",
        draw_points(
            [Point(place.heuristic, place.measures[measure], place.score) for place in found.places],
            f"wins kept in critical positions, {measure}, %",
            "games won, %",
        ),
        Table(title, columns, rows, frozenset(range(1, len(columns)))),
    )
