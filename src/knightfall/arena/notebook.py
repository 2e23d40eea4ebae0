"""The results of a tournament as tables for a notebook."""

from __future__ import annotations

from collections.abc import Sequence

from knightfall.arena.formatting import elo_rating, percent_interval
from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import Interval, PairCounts
from knightfall.arena.tables import fault_lines, foot
from knightfall.rules.display import Table


def results_tables(results: Results) -> Sequence[Table]:
    """Return the tables that are available: games won and lost, standings, ratings and verdicts."""
    tables = [_games(results)]
    if results.plan.sprt is None:
        tables.append(_standings(results))
        if results.games_played and len(results.plan.names) > 1:
            tables.append(_ratings(results))
    verdicts = [(verdict.sentence,) for verdict in results.verdicts]
    tables.append(Table("", ("verdict",), verdicts, note=fault_lines(results)))
    tables.append(Table("", (), (), note=foot(results)))
    return [table for table in tables if table.rows or table.note]


def _games(results: Results) -> Table:
    """Return a table with opponents as rows and candidates as columns; in a round robin, all players are both."""
    plan = results.plan
    others = plan.candidates if plan.is_round_robin else plan.opponents
    rows = []
    for other in others:
        counts = [
            None if name == other and plan.is_round_robin else results.between(name, other) for name in plan.candidates
        ]
        rows.append((other, *(_won_lost(count) for count in counts)))
    title = "games won – lost by the player in the head of the column"
    return Table(title, ("opponent", *plan.candidates), rows)


def _won_lost(counts: PairCounts | None) -> str:
    return "" if counts is None else f"{counts.games_won} – {counts.games_lost}"


def _standings(results: Results) -> Table:
    rows = []
    for standing in results.standings:
        rate = percent_interval(standing.rate) if standing.games else "-"
        rows.append((standing.candidate, rate, f"{standing.games:,}", str(standing.losing_records)))
    columns = ("candidate", "win rate, 95% interval", "games", "losing records")
    return Table("", columns, rows, numbers=columns[2:])


def _ratings(results: Results) -> Table:
    ratings = results.ratings
    order = sorted(ratings.agents.items(), key=lambda item: -item[1].estimate)
    rows = [(name, _elo(interval, ratings.bounded.get(name))) for name, interval in order]
    for what, interval in (("first move", ratings.first_move), ("attacker", ratings.attacker)):
        if interval.high > interval.low:
            rows.append((what, _elo(interval, None)))
    return Table("", ("player", "Elo among all, 95% interval"), rows)


def _elo(interval: Interval, bound: str | None) -> str:
    if bound == "won all":
        return f"at least {interval.low:+.0f} (won all its games)"
    if bound is not None:
        return f"at most {interval.high:+.0f} ({bound} its games)"
    return elo_rating(interval)
