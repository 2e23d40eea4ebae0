"""Results for programs: JSON, CSV, Markdown."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from knightfall.arena.csv_cells import csv_cell
from knightfall.arena.formatting import percent_interval
from knightfall.arena.markdown import escape
from knightfall.arena.statistics.pairs import Interval
from knightfall.arena.tables import fault_lines, foot

if TYPE_CHECKING:
    from knightfall.arena.results import Match, Results
    from knightfall.arena.verdicts import Verdict


def interval_facts(interval: Interval | None) -> dict[str, float] | None:
    """Return an interval as JSON data."""
    if interval is None:
        return None
    return {
        "estimate": round(interval.estimate, 6),
        "low": round(interval.low, 6),
        "high": round(interval.high, 6),
        "confidence": round(interval.confidence, 6),
    }


def results_facts(results: Results) -> dict[str, Any]:
    """Return the results as JSON data; values that differ from run to run are under "run"."""
    plan, experiment = results.plan, results.experiment
    sequential = plan.sprt is not None
    return {
        "complete": results.is_complete,
        "pairs": results.pairs_done,
        "games": results.games_played,
        "moves_hash": results.moves_hash,
        "configuration": experiment.configuration,
        "matches": [match_facts(match, sequential) for match in results.matches.values()],
        "standings": [
            {
                "candidate": standing.candidate,
                "won": standing.won,
                "lost": standing.lost,
                "rate": None if sequential or not standing.games else interval_facts(standing.rate),
                "losing_records": standing.losing_records,
            }
            for standing in results.standings
        ],
        "verdicts": [verdict_facts(verdict) for verdict in results.verdicts],
        "ratings": None if sequential or not results.games_played else _ratings_facts(results),
        "faults": [
            {"player": name, "reason": reason, "games": count, "message": results.fault_messages[name, reason]}
            for (name, reason), count in sorted(results.faults.items())
        ],
        "left_out": [
            {
                "pair": pair.number,
                "candidate": pair.matchup.candidate,
                "opponent": pair.matchup.opponent,
                "opening": pair.opening,
                "note": pair.note,
            }
            for pair in results.left_out
        ],
        "code": experiment.code,
        "run": {
            "experiment": experiment.id,
            "name": experiment.name,
            "begun": experiment.begun,
            "ended": experiment.ended,
            "machine": experiment.machine,
        },
    }


def match_facts(match: Match, sequential: bool) -> dict[str, Any]:
    """Return a match as JSON data."""
    counts = match.counts
    found: dict[str, Any] = {
        "candidate": match.matchup.candidate,
        "opponent": match.matchup.opponent,
        "pairs": counts.pairs,
        "won": counts.games_won,
        "lost": counts.games_lost,
        "ll": counts.ll,
        "wl": counts.wl,
        "ww": counts.ww,
    }
    if not sequential and counts.pairs:
        found |= {"rate": interval_facts(match.rate), "elo": interval_facts(match.elo)}
    return found


def verdict_facts(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON data."""
    return {
        "candidate": verdict.candidate,
        "baseline": verdict.baseline,
        "kind": verdict.kind,
        "verdict": verdict.word,
        "rates": [round(rate, 6) for rate in verdict.rates],
        "interval": interval_facts(verdict.interval),
        "p_value": verdict.p_value,
        "superiority": verdict.superiority,
        "pairs": verdict.pairs,
        "comparisons": verdict.comparisons,
        "more_pairs": verdict.more_pairs,
        "sentence": verdict.sentence,
    }


def _ratings_facts(results: Results) -> dict[str, Any]:
    ratings = results.ratings
    return {
        "players": {
            name: {**(interval_facts(interval) or {}), "bound": ratings.bounded.get(name)}
            for name, interval in ratings.agents.items()
        },
        "first_move": interval_facts(ratings.first_move),
        "attacker": interval_facts(ratings.attacker),
    }


def results_csv(results: Results) -> str:
    """Return the matches as CSV, one line per match."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["candidate", "opponent", "pairs", "won", "lost", "ll", "wl", "ww", "rate", "rate_low", "rate_high"]
    )
    for match in results.matches.values():
        counts, rate = match.counts, match.rate
        limits = ["", "", ""]
        if results.plan.sprt is None and counts.pairs:
            limits = [f"{value:.6f}" for value in (rate.estimate, rate.low, rate.high)]
        writer.writerow(
            [
                csv_cell(match.matchup.candidate),
                csv_cell(match.matchup.opponent),
                counts.pairs,
                counts.games_won,
                counts.games_lost,
                counts.ll,
                counts.wl,
                counts.ww,
                *limits,
            ]
        )
    return out.getvalue()


def results_markdown(results: Results) -> str:
    """Return the table, standings and verdicts in Markdown."""
    plan = results.plan
    rows = plan.candidates if plan.is_round_robin else plan.opponents
    lines = [_row(["opponent", *map(escape, plan.candidates)]), _row(["---", *["---:"] * len(plan.candidates)])]
    for opponent in rows:
        cells = [_cell(results, candidate, opponent) for candidate in plan.candidates]
        lines.append(_row([escape(opponent), *cells]))
    told = []
    for name in plan.candidates:
        standing = results.standing(name)
        rate = percent_interval(standing.rate) if plan.sprt is None else f"{standing.estimate.mean:.1%}"
        told.append(rate if standing.games else "-")
    lines.append(_row(["**win rate**", *told]))
    lines += ["", *(f"- {escape(verdict.sentence)}" for verdict in results.verdicts)]
    faults = fault_lines(results)
    lines += ["", *(f"- {escape(line)}" for line in faults.splitlines())] if faults else []
    return "\n".join([*lines, "", escape(foot(results)), ""])


def _cell(results: Results, candidate: str, opponent: str) -> str:
    counts = results.between(candidate, opponent)
    return "" if counts is None else f"{counts.games_won}–{counts.games_lost}"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
