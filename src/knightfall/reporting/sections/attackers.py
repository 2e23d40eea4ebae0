"""The attacker section: how often the attacker won."""

from __future__ import annotations

from collections.abc import Sequence

from knightfall.arena.formatting import percent_interval
from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import Interval
from knightfall.lab.replication.game_statistics import attacker_share
from knightfall.reporting.charts.plots import Dot, draw_dots
from knightfall.reporting.document import Chart, Section, Table, Text
from knightfall.reporting.formatting import percent


def attackers(
    shares: Sequence[tuple[str, Sequence[Interval | None]]], series: Sequence[str], sequential: bool = False
) -> Section | None:
    """Return the section by kinds of agent.

    There is one interval per series. After a sequential test, no intervals are shown.
    """
    if not shares:
        return None
    text = (
        "The attacker is the player whose turn comes while both knights stand on squares of one colour; it stays "
        "that player to the end, and whatever square both can reach it reaches first. The other one is the defender. "
        "Each opening is played from both sides, so the split says nothing about who is stronger, but how much the "
        "colours decide."
    )
    title = "Games won by the attacker"
    if sequential:
        plain = tuple((kind, *("–" if i is None else percent(i.estimate) for i in found)) for kind, found in shares)
        table = Table(title, ("who played", "won by the attacker"), plain, frozenset({1}))
        return Section("attackers", "Attacker and defender", (Text(text), table))
    columns = ("who played", *(series if len(series) > 1 else ("won by the attacker",)))
    rows = tuple((kind, *("–" if i is None else percent_interval(i) for i in found)) for kind, found in shares)
    told = "; ".join(f"{row[0]} {', '.join(row[1:])}" for row in rows[:12])
    chart = Chart(
        title,
        f"Dots with 95% intervals around one half: {told}.",
        draw_dots(
            [Dot(kind, tuple(found)) for kind, found in shares],
            "games won by the attacker, %",
            series=series,
            reference=(0.5, "half"),
        ),
        Table(title, columns, rows, frozenset(range(1, len(columns)))),
    )
    return Section("attackers", "Attacker and defender", (Text(text), chart))


def attacker_rows(results: Results) -> list[tuple[str, Sequence[Interval | None]]]:
    """Return the attacker's share by kinds of agent."""
    return [(kind, (share,)) for kind, share in attacker_share(results).items()]
