"""Parameter curves: the win rate over the values of one parameter, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knightfall.arena.formatting import percent_interval, range_of
from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import Interval
from knightfall.arena.verdicts import answer
from knightfall.lab.replication.claims import value_of
from knightfall.lab.replication.experiments import Trial
from knightfall.lab.replication.papers import Sweep
from knightfall.reporting.charts.plots import Dot, draw_curve, draw_dots
from knightfall.reporting.document import Block, Cell, Chart, Table, Text
from knightfall.reporting.facts import is_number
from knightfall.reporting.formatting import listed

_LEAST_CURVE = 3  # minimum number of values for a curve


@dataclass(frozen=True)
class Value:
    """One value of a sweep."""

    label: str
    rate: Interval
    is_published: bool
    agent: str


def values_of(trial: Trial, results: Results, sweep: Sweep) -> list[Value]:
    """Return the values of a sweep with their win rates."""
    rates = {standing.candidate: standing.rate for standing in results.standings}
    found = []
    for candidate in sweep.candidates:
        agent, value = trial.agent(candidate), value_of(candidate)
        found.append(Value(value, rates[agent], value == sweep.published, agent))
    return found


def sweep_blocks(trial: Trial, results: Results) -> list[Block]:
    """Return a chart for every sweep of a trial, each with a sentence on its best value."""
    found: list[Block] = []
    for sweep in trial.report.sweeps:
        values = values_of(trial, results, sweep)
        found += [
            Text(_best_words(results, values), f"{_capital(sweep.name)}, equal {trial.budget}."),
            _chart(sweep, values),
        ]
    return found


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _best_words(results: Results, values: Sequence[Value]) -> str:
    """Return a sentence on the best value, and on the values that cannot be distinguished from it."""
    best = max(values, key=lambda value: value.rate.estimate)
    others = [value for value in values if value is not best]
    verdicts = answer([results.over_the_panel(best.agent, other.agent) for other in others])
    alike = [o for o, verdict in zip(others, verdicts, strict=True) if verdict.word != "better"]
    words = f"Best is {best.label}, winning {percent_interval(best.rate)}"
    if best.is_published:
        words += ", which is the published value"
    if not alike:
        return f"{words}; it is better than every other value."
    if len(alike) == len(others):
        return f"{words}; but no other value can be told from it."
    return f"{words}; not distinguishable from it: {listed([value.label for value in alike])}."


def _chart(sweep: Sweep, values: Sequence[Value]) -> Chart:
    title = f"Games won by {sweep.name}"
    published = next((value for value in values if value.is_published), None)
    rows = tuple(
        (
            Cell(value.label, "published" if value.is_published else ""),
            f"{100 * value.rate.estimate:.1f}%",
            range_of(value.rate),
        )
        for value in values
    )
    table = Table(title, (sweep.parameter or "value", "games won", "95% interval"), rows, frozenset({1, 2}))
    told = "; ".join(f"{value.label} {percent_interval(value.rate)}" for value in values)
    description = f"Win rates with 95% intervals: {told}."
    if published is not None:
        description += f" The published value is {published.label}."
    if len(values) >= _LEAST_CURVE and all(is_number(value.label) for value in values):
        points = [(float(value.label), value.rate) for value in values]
        at = None if published is None else float(published.label)
        return Chart(title, description, draw_curve(points, sweep.parameter, at), table)
    labels = [f"{value.label} (published)" if value.is_published else value.label for value in values]
    dots = [Dot(label, (value.rate,)) for label, value in zip(labels, values, strict=True)]
    return Chart(title, description, draw_dots(dots, "games won, %"), table)
