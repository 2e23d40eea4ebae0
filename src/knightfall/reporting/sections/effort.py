"""The effort section: time, nodes and depth per move."""

from __future__ import annotations

from collections.abc import Iterable

from knightfall.arena.results import Results
from knightfall.reporting.charts.plots import Panel, draw_bars
from knightfall.reporting.document import Chart, Section, Table, Text
from knightfall.reporting.facts import Effort, efforts
from knightfall.reporting.formatting import time_words


def effort_section(results: Results) -> Section | None:
    """Return the section, with a chart of the candidates and a table of all players.

    The result is None if no candidate searched.
    """
    found = efforts(results)
    shown = [found[name] for name in results.plan.candidates if name in found]
    if not shown:
        return None
    everybody = [found[name] for name in results.plan.names if name in found]
    title = "Time, nodes and depth per move"
    told = "; ".join(
        f"{effort.player} {time_words(effort.milliseconds)} ms, {effort.nodes:,.0f} nodes, depth {effort.depth:.1f}"
        for effort in shown
    )
    chart = Chart(
        title,
        f"Bars for each candidate: {told}.",
        draw_bars(
            [effort.player for effort in shown],
            [
                Panel("milliseconds", tuple(e.milliseconds for e in shown), time_words),
                Panel("nodes", tuple(e.nodes for e in shown), lambda value: f"{value:,.0f}"),
                Panel("depth", tuple(e.depth for e in shown), lambda value: f"{value:.1f}"),
            ],
        ),
        effort_table(everybody, title),
    )
    text = (
        "What a move took on average, moves without a search left out. Depth is that of the first half of each "
        "game: later everybody sees the end. Times are those of the machine named below."
    )
    return Section("effort", "Time, nodes and depth", (Text(text), chart))


def effort_table(found: Iterable[Effort], title: str) -> Table:
    """Return the table of time, nodes and depth per move."""
    rows = tuple(
        (e.player, f"{e.moves:,}", time_words(e.milliseconds), f"{e.nodes:,.0f}", f"{e.depth:.2f}") for e in found
    )
    columns = ("player", "moves", "ms per move", "nodes per move", "depth")
    return Table(title, columns, rows, frozenset({1, 2, 3, 4}))
