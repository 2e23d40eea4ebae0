"""The verdicts section: the conclusions on each candidate."""

from __future__ import annotations

from knightfall.arena.results import Results
from knightfall.reporting.document import Cell, Fold, Points, Section, Table, Text
from knightfall.reporting.formatting import badge, percent, verdict_words


def verdicts(results: Results) -> Section:
    """Return the section with the verdicts."""
    plan = results.plan
    if not results.verdicts:
        return Section("verdicts", "Verdicts", (Text("Nobody was named as the baseline, so there is none."),))
    if plan.sprt is not None:
        rows = tuple(
            (v.candidate, v.baseline, Cell(v.word, badge=badge(v.word)), percent(v.rates[0]), " ".join(v.notes))
            for v in results.verdicts
        )
        table = Table("Verdicts", ("candidate", "opponent", "verdict", "games won", "the test"), rows, frozenset({3}))
        between = f"{plan.sprt.elo0:g} and {'±' if plan.sprt.two_sided else ''}{plan.sprt.elo1:g}"
        text = (
            f"A sequential test between Elo differences of {between}: a match ends as "
            "soon as the games have said enough."
        )
        return Section("verdicts", "Verdicts", (Text(text), table))
    text = (
        "Better or worse is said where the interval, corrected for the number of comparisons (Holm), lies on one "
        "side; over the panel it is that of the difference in points, head to head that of the games won. Not "
        "distinguishable does not mean equal: the interval tells how large a difference could have been missed."
    )
    return Section(
        "verdicts",
        "Verdicts",
        (Text(text), verdict_table(results), Fold("The same in sentences", (_sentences(results),))),
    )


def verdict_table(results: Results, title: str = "Verdicts") -> Table:
    """Return the table of verdicts, one row per verdict."""
    rows = []
    for verdict in results.verdicts:
        rows.append(
            (
                verdict.candidate,
                verdict.kind,
                Cell(verdict.word, badge=badge(verdict.word)),
                verdict_words(verdict),
                "–" if verdict.p_value is None else _p_words(verdict.p_value),
                "–" if verdict.more_pairs is None else f"{verdict.more_pairs:,}",
            )
        )
    columns = ("candidate", "compared", "verdict", "figure, interval", "p", "more pairs to show it")
    whom = f", compared with {results.plan.baseline}" if results.plan.baseline is not None else ""
    return Table(f"{title}{whom}", columns, tuple(rows), frozenset({3, 4, 5}))


def _p_words(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.01 else f"{p:.2f}"


def _sentences(results: Results) -> Points:
    return Points(tuple(f"{verdict.sentence}." for verdict in results.verdicts))
