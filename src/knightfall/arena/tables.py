"""Tables as text: those of the reports, and additional ones."""

from __future__ import annotations

from collections.abc import Sequence

from knightfall.arena.formatting import elo_range, percent_interval
from knightfall.arena.plan import Matchup
from knightfall.arena.results import Results, Standing
from knightfall.arena.statistics.pairs import Interval, PairCounts
from knightfall.rules.formatting import plural

_LEAST_COLUMN = 13
_PAGE = 118  # characters; wider tables are continued below


def results_text(results: Results) -> str:
    """Return all results as text, the tournament table first."""
    parts = [tournament_table(results)]
    if results.plan.panel == "gen1":
        parts.append(gen1_list(results))
    if results.plan.sprt is None:
        parts.append(standings_table(results))
        if results.games_played and len(results.plan.names) > 1:
            parts.append(ratings_table(results))
    parts.append(verdict_lines(results))
    parts.append(fault_lines(results))
    parts.append(foot(results))
    return "\n\n".join(part for part in parts if part)


def tournament_table(results: Results) -> str:
    """Return games won and lost, with opponents as rows and candidates as columns; a crosstable for a round robin.

    The last lines are the win rates.
    """
    if results.plan.is_round_robin:
        return crosstable(results)
    candidates = results.plan.candidates
    width = max(_LEAST_COLUMN, *(len(name) + 2 for name in candidates))
    side = max(12, *(len(name) + 2 for name in results.plan.opponents))
    across = max(1, (_PAGE - 9 - side) // width)
    parts = [_table_of(results, candidates[at : at + across], width, side) for at in range(0, len(candidates), across)]
    return "\n\n".join(parts)


def _table_of(results: Results, candidates: Sequence[str], width: int, side: int) -> str:
    lines = [
        f" {'Match #':7} {'Opponent':^{side}}" + "".join(f"{name:^{width}}" for name in candidates),
        " " * (9 + side) + f"{'Won | Lost':^{width}}" * len(candidates),
    ]
    for number, opponent in enumerate(results.plan.opponents, start=1):
        cells = [_won_lost(results.matches[Matchup(name, opponent)].counts, width) for name in candidates]
        lines.append(f" {number:^7} {opponent:^{side}}" + "".join(cells))
    lines.append("-" * (9 + side + width * len(candidates)))
    cells = [f"{_percent(results.standing(name)):^{width}}" for name in candidates]
    lines.append(f"{'Win Rate:':^{9 + side}}" + "".join(cells))
    return "\n".join(line.rstrip() for line in lines)


def _won_lost(counts: PairCounts, width: int) -> str:
    return f"{f'{counts.games_won:>4} | {counts.games_lost:<4}':^{width}}"


def _percent(standing: Standing, digits: int = 1) -> str:
    return f"{standing.estimate.mean:.{digits}%}" if standing.games else "-"


def crosstable(results: Results) -> str:
    """Return a table of all candidates against each other: games won by the row's player."""
    names = results.plan.candidates
    side = max(len(name) for name in names)
    met = {(name, other): results.between(name, other) for name in names for other in names}
    cells = {pair: "-" if c is None else f"{c.games_won}-{c.games_lost}" for pair, c in met.items()}
    width = max(9, *(len(cell) + 2 for cell in cells.values()))
    head = " " * (side + 5) + "".join(f"{number:>{width}}" for number in range(1, len(names) + 1)) + "  Win Rate"
    lines = [head]
    for number, name in enumerate(names, start=1):
        row = "".join(f"{cells[name, other]:>{width}}" for other in names)
        lines.append(f"{number:>3}  {name:{side}}" + row + f"{_percent(results.standing(name)):>10}")
    return "\n".join(lines)


def gen1_list(results: Results) -> str:
    """Return the list per candidate in the format of the first generation of reports."""
    lines: list[str] = []
    opponents = results.plan.opponents
    for standing in results.standings:
        name = standing.candidate
        stars = "*" * (len(name) + 14)
        lines += ["", stars, f" Evaluating: {name}", stars, "", "Playing Matches:", "-" * 10]
        for number, opponent in enumerate(opponents, start=1):
            counts = results.matches[Matchup(name, opponent)].counts
            versus = f"{name} vs {opponent}"
            wide = len(name) + 4 + max(len(other) for other in opponents)
            lines.append(f"  Match {number}: {versus:{wide}}  Result: {counts.games_won} to {counts.games_lost}")
        lines += ["", "Results:", "-" * 10, f"{name:20} {_percent(standing, 2)}"]
    return "\n".join(lines).strip("\n")


def standings_table(results: Results) -> str:
    """Return win rates with intervals, counts of pairs, and report D's second criterion."""
    side = max(9, *(len(name) for name in results.plan.candidates))
    lines = [
        f"{'candidate':{side}}  {'win rate, 95% interval':24}  {'pairs lost/split/won':>22}  losing records",
    ]
    for standing in results.standings:
        pairs = standing.pairs
        kinds = f"{pairs.ll}/{pairs.wl}/{pairs.ww}"
        rate = percent_interval(standing.rate) if pairs.pairs else "-"
        lines.append(f"{standing.candidate:{side}}  {rate:24}  {kinds:>22}  {standing.losing_records:>14}")
    return "\n".join(lines)


def ratings_table(results: Results) -> str:
    """Return a table of the Elo ratings of all players."""
    rows = rating_rows(results)
    side = max(10, *(len(name) for name, _ in rows))
    return "\n".join(
        [f"{'player':{side}}  Elo among all, 95% interval", *(f"{name:{side}}  {elo}" for name, elo in rows)]
    )


def rating_rows(results: Results) -> list[tuple[str, str]]:
    """Return each player with its Elo, best first, and then the value of the first move and of the attacker."""
    ratings = results.ratings
    rows = []
    order = sorted(ratings.agents.items(), key=lambda item: -item[1].estimate)
    for name, interval in order:
        bound = ratings.bounded.get(name)
        told = _elo(interval)
        if bound is not None:
            told = (
                f"{'at least' if bound == 'won all' else 'at most'} {_bound(interval, bound):+z.0f} ({bound} its games)"
            )
        rows.append((name, told))
    for what, interval in (("first move", ratings.first_move), ("attacker", ratings.attacker)):
        if interval.high > interval.low:
            rows.append((what, _elo(interval)))
    return rows


def _bound(interval: Interval, bound: str) -> float:
    return interval.low if bound == "won all" else interval.high


def _elo(interval: Interval) -> str:
    return f"{interval.estimate:+z5.0f} {elo_range(interval)}"


def verdict_lines(results: Results) -> str:
    """Return the verdicts, one per line."""
    return "\n".join(verdict.sentence for verdict in results.verdicts)


def fault_lines(results: Results) -> str:
    """Return the games lost for other reasons than being stuck, and the pairs that could not be played."""
    lines = []
    for (name, reason), count in sorted(results.faults.items()):
        message = results.fault_messages[name, reason]
        games = plural(count, "game")
        lines.append(f"faults: {name} lost {games} by {reason}{f' ({message})' if message else ''}")
    left_out = results.left_out
    for pair in left_out[:10]:
        lines.append(
            f"left out: pair {pair.number}, {pair.matchup.candidate} against {pair.matchup.opponent} "
            f"from {pair.opening}: {pair.note}"
        )
    if len(left_out) > 10:
        lines.append(f"left out: {plural(len(left_out) - 10, 'more pair')}")
    return "\n".join(lines)


def foot(results: Results) -> str:
    """Return a summary of what was played."""
    done, total = results.pairs_done, len(results.pairs)
    plan = results.plan
    budget = ", ".join(plan.budget.settings()) or "each agent's own budget"
    count = plural(done, "pair") if results.is_complete else f"{done:,} of {plural(total, 'pair')}"
    return (
        f"experiment {results.experiment.id}: {count}, {plural(results.games_played, 'game')} on {plan.board}, "
        f"{budget}, openings {plan.drawn}, seed {plan.seed}; moves {results.moves_hash[:16]}"
    )
