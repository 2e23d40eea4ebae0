"""The ratings section: Elo of all players together."""

from __future__ import annotations

from knightfall.arena.formatting import elo_range, elo_rating
from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import Interval
from knightfall.reporting.charts.plots import Dot, draw_dots
from knightfall.reporting.document import Cell, Chart, Section, Table, Text


def ratings_section(results: Results) -> Section | None:
    """Return the section, or None after a sequential test or with fewer than two players."""
    if results.plan.sprt is not None or len(results.plan.names) < 2:
        return None
    title = "Elo of all players together"
    table, shown = ratings_table(results, title)
    told = "; ".join(f"{name} {elo_rating(interval)}" for name, interval in shown)
    chart = Chart(
        title,
        f"Dots with 95% intervals, strongest first: {told}.",
        draw_dots(
            [Dot(name, (interval,)) for name, interval in shown],
            "Elo, compared with the mean of all",
            reference=(0.0, "mean"),
            scale=1.0,
        ),
        table,
    )
    text = (
        "One rating for each player, fitted to all games at once (Bradley and Terry's model), with a term for moving "
        "first and one for being the attacker. For comparisons with the baseline use the verdicts, which are sharper."
    )
    return Section("ratings", "Ratings", (Text(text), chart))


def ratings_table(results: Results, title: str) -> tuple[Table, list[tuple[str, Interval]]]:
    """Return the table of ratings, strongest first, then the two terms; and the ratings of the players."""
    ratings = results.ratings
    shown = sorted(ratings.agents.items(), key=lambda item: -item[1].estimate)
    rows: list[tuple[Cell | str, ...]] = []
    for name, interval in shown:
        bound = ratings.bounded.get(name)
        note = "" if bound is None else f"a bound: it {bound} its games"
        rows.append((name, f"{interval.estimate:+z.0f}", elo_range(interval), note))
    for what, interval in (("moving first", ratings.first_move), ("being the attacker", ratings.attacker)):
        if interval.high > interval.low:
            rows.append((what, f"{interval.estimate:+z.0f}", elo_range(interval), "a term, not a player"))
    return Table(title, ("player", "Elo", "95% interval", "remark"), tuple(rows), frozenset({1, 2})), shown
