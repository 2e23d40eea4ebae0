"""The endings section: how games ended, and how long they were."""

from __future__ import annotations

from knightfall.arena.results import Results
from knightfall.reporting.charts.plots import draw_histogram
from knightfall.reporting.document import Block, Chart, Section, Table, Text
from knightfall.reporting.facts import Endings, endings, histogram
from knightfall.reporting.formatting import listed, percent, plural


def ending_section(results: Results) -> Section:
    """Return the section of one tournament."""
    return Section("endings", "How games ended", ending_blocks(endings([results])))


def ending_blocks(found: Endings, where: str = "") -> tuple[Block, ...]:
    """Return a sentence about the reasons, and a histogram of the lengths."""
    total = found.games
    if not total:
        return (Text("No game is finished."),)
    normal = found.reasons["stuck"]
    words = (
        f"All {plural(total, 'game')}{where} ended because a player could not move."
        if normal == total
        else f"Of {plural(total, 'game')}{where}, {normal:,} ended because a player could not move; "
        f"{listed([f'{count:,} by {reason}' for reason, count in found.reasons.most_common() if reason != 'stuck'])}."
    )
    shown = histogram(found.lengths)
    rows = tuple((str(length), f"{count:,}", percent(count / total)) for length, count in shown if count)
    title = f"Length of games{where}"
    chart = Chart(
        title,
        f"Bars: number of games by moves after the opening, from {shown[0][0]} to {shown[-1][0]}; half of the games "
        f"have {found.median:g} or fewer.",
        draw_histogram(shown, "moves after the opening", found.median),
        Table(title, ("moves", "games", "share"), rows, frozenset({0, 1, 2})),
    )
    return Text(words), chart
