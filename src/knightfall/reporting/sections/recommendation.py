"""The recommendation section: what to use, and why."""

from __future__ import annotations

from knightfall.arena.results import Results
from knightfall.reporting.document import Block, Cell, Points, Section, Table, Text
from knightfall.reporting.formatting import badge, percent
from knightfall.reporting.recommend import Recommendation


def recommendation_section(found: Recommendation, results: Results) -> Section:
    """Return the section with the headline, the criteria, the reasons and the cautions."""
    sequential = results.plan.sprt is not None
    blocks: list[Block] = [Text(found.headline, "In one sentence.")]
    if not sequential and len(found.criteria) > 1:
        blocks.append(criteria_table(found, results))
    blocks += [Points(found.reasons, numbered=True), Text("", "To bear in mind."), Points(found.cautions)]
    return Section("recommendation", "Recommendation", tuple(blocks))


def criteria_table(found: Recommendation, results: Results) -> Table:
    """Return the table of the three criteria."""
    baseline = results.plan.baseline
    best = max(c.standing.estimate.mean for c in found.criteria)
    fewest = min(c.standing.losing_records for c in found.criteria)
    met = [c.duel.score for c in found.criteria if c.duel is not None and c.duel.pairs]
    most = max(met, default=-1.0)
    rows = []
    for c in sorted(found.criteria, key=lambda c: -c.standing.estimate.mean):
        head = "–"
        if c.duel is not None and c.duel.pairs:
            head = f"{c.duel.games_won}–{c.duel.games_lost}{' ★' if c.duel.score == most else ''}"
        word = "baseline" if c.name == baseline else "–" if c.over is None else c.over.word
        if c.over is None and c.head is not None:
            word = c.head.word
        rows.append(
            (
                c.name,
                f"{percent(c.standing.estimate.mean)}{' ★' if c.standing.estimate.mean == best else ''}",
                f"{c.standing.losing_records}{' ★' if c.standing.losing_records == fewest else ''}",
                *((head,) if baseline is not None else ()),
                Cell(word, badge="" if word in ("baseline", "–") else badge(word)),
            )
        )
    columns = ["candidate", "games won", "losing records"]
    if baseline is not None:
        columns.append(f"against {baseline}")
    columns.append("verdict")
    title = "The three criteria; ★ marks the best figure, whether or not the difference is more than chance"
    return Table(title, tuple(columns), tuple(rows), frozenset(range(1, len(columns) - 1)))
