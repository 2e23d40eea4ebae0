"""The matches section: the crosstable."""

from __future__ import annotations

from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import PairCounts
from knightfall.reporting.document import Cell, Section, Table, Text


def matches(results: Results) -> Section:
    """Return the section with the crosstable."""
    text = (
        "Games won and lost by the candidate on the left; below, its pairs: lost twice / split / won twice. "
        "Blue cells are won by the candidate, orange ones by the opponent; the stronger the colour, the clearer."
    )
    return Section("matches", "Match by match", (Text(text), crosstable(results)))


def crosstable(results: Results, title: str = "Pairs by match") -> Table:
    """Return the table of all matches: games won and lost, with pairs below."""
    plan = results.plan
    others = list(plan.candidates if plan.is_round_robin else plan.opponents)
    has_duels = plan.rivals and plan.baseline is not None
    rows = []
    for name in plan.candidates:
        cells: list[Cell | str] = [name]
        for other in others:
            meets = other != name or not plan.is_round_robin
            cells.append(_pair_cell(results.between(name, other) if meets else None))
        if has_duels:
            cells.append(_pair_cell(results.duel(name)))
        rows.append(tuple(cells))
    columns = ("candidate", *others, *([f"{plan.baseline} (outside the panel)"] if has_duels else []))
    return Table(title, columns, tuple(rows), frozenset(range(1, len(columns))))


def _pair_cell(counts: PairCounts | None) -> Cell:
    if counts is None or not counts.pairs:
        return Cell("–")
    return Cell(
        f"{counts.games_won}–{counts.games_lost}", f"{counts.ll} / {counts.wl} / {counts.ww}", share=counts.score
    )
