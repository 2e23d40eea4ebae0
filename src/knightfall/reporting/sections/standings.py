"""The standings section: win rates with intervals, and their ratios to the baseline's."""

from __future__ import annotations

from knightfall.arena.formatting import number_interval, percent_interval, range_of
from knightfall.arena.results import Results
from knightfall.reporting.charts.parts import short
from knightfall.reporting.charts.plots import Dot, draw_dots
from knightfall.reporting.document import Chart, Section, Table, Text
from knightfall.reporting.facts import ratios
from knightfall.reporting.formatting import percent, plural


def standings(results: Results) -> Section:
    """Return the section on win rates. After a sequential test, no intervals are shown."""
    plan = results.plan
    shown = sorted(results.standings, key=lambda standing: -standing.estimate.mean)
    sequential = plan.sprt is not None
    columns = ["candidate", "games won", "95% interval", "won", "lost", "LL / WL / WW", "losing records"]
    rows = []
    for standing in shown:
        counts = standing.pairs
        is_known = bool(counts.pairs)
        row = [
            standing.candidate,
            percent(standing.estimate.mean) if is_known else "–",
            range_of(standing.rate) if is_known and not sequential else "–",
            f"{standing.won:,}",
            f"{standing.lost:,}",
            f"{counts.ll} / {counts.wl} / {counts.ww}",
            str(standing.losing_records),
        ]
        rows.append(tuple(cell for at, cell in enumerate(row) if at != 2 or not sequential))
    if sequential:
        columns.remove("95% interval")
    table = Table("Standings", tuple(columns), tuple(rows), frozenset(range(1, len(columns))))
    pairs = (
        "LL, WL and WW are the pairs lost twice, split and won twice. A losing record is an opponent to whom more "
        "games were lost than won."
    )
    if sequential:
        text = f"No intervals are shown: a sequential test chose how many pairs were played. {pairs}"
        return Section("standings", "Standings", (Text(text), table))
    base = next((standing for standing in shown if standing.candidate == plan.baseline), None)
    chart = Chart(
        "Games won, with 95% intervals",
        f"Dots with intervals for {plural(len(shown), 'candidate')}, best first: "
        f"{'; '.join(f'{standing.candidate} {percent_interval(standing.rate)}' for standing in shown)}.",
        draw_dots(
            [Dot(standing.candidate, (standing.rate,)) for standing in shown],
            "games won, %",
            reference=None if base is None else (base.estimate.mean, short(base.candidate, 24)),
        ),
        table,
        is_open=True,
    )
    whom = "all others" if plan.is_round_robin else "the panel"
    words = f"Every candidate against {whom}, from the same openings. {pairs}"
    return Section("standings", "Standings", (Text(words), chart))


def ratio_section(results: Results) -> Section | None:
    """Return the section on win rates divided by the baseline's, or None without ratios."""
    found = ratios(results)
    if not found:
        return None
    baseline = results.plan.baseline
    order = sorted(found.items(), key=lambda item: -item[1].estimate)
    rows = tuple((name, f"{r.estimate:.3f}", range_of(r, 1, 3)) for name, r in order)
    table = Table(f"Ratio to {baseline}", ("candidate", "ratio", "interval"), rows, frozenset({1, 2}))
    title = f"Win ratio to {baseline}"
    told = "; ".join(f"{name} {number_interval(r, 3)}" for name, r in order)
    chart = Chart(
        title,
        f"Dots with intervals around 1: {told}.",
        draw_dots(
            [Dot(name, (ratio,)) for name, ratio in order],
            f"win rate divided by that of {short(str(baseline), 30)}",
            reference=(1.0, "equal"),
            scale=1.0,
        ),
        table,
    )
    text = (
        f"The share of games that a candidate won over the panel, divided by what {baseline} won against the same "
        "opponents from the same openings. Above 1 it won more. The interval is that of the paired difference, "
        "corrected for the number of comparisons, divided by the baseline's rate."
    )
    return Section("ratio", "Win ratio to the baseline", (Text(text), chart))
