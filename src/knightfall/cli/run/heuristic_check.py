"""`knightfall heuristics NAME --check`: the result of a check, for people and for programs."""

from __future__ import annotations

import textwrap
from typing import Any

import typer

from knightfall.catalogue.check import Check, check
from knightfall.catalogue.heuristic import Heuristic
from knightfall.cli.json_output import print_json
from knightfall.cli.width import text_width
from knightfall.rules.formatting import plural

POSITIONS = 1_000  # as in catalogue/check.py

_INDENT = " " * 15
_SHOWN = 5  # maximum number of kinds of errors to print


def run_check(made: Heuristic, json: bool) -> None:
    """Check a heuristic and print the result; exit with code 1 if the check failed."""
    found = check(made)
    if json:
        print_json("heuristic-check", check_facts(made, found))
    else:
        print("\n".join(check_text(made, found)))
    if not found.is_passed:
        raise typer.Exit(1)


def check_text(made: Heuristic, found: Check) -> list[str]:
    """Return the result as lines of text."""
    has_form = found.compiled or found.difference is not None
    lines = [made.code.shown, *_row("compiles", "yes" if has_form else f"no: {found.why_not}")]
    if found.difference is not None:
        often = f", in {found.differing} of {plural(found.positions, 'position')}" if found.differing > 1 else ""
        lines += _row("agrees", f"no{often}: {found.difference}")
    elif has_form:
        lines += _row("agrees", f"yes, on {plural(found.positions, 'random position')}")
    if found.raising:
        lines += _raises(found)
    if not found.is_complete:
        tried = f"{found.positions:,} of {POSITIONS:,} positions"
        lines += _row("ended", f"after {tried}: it crashed or did not return {found.deaths} times")
    return [*lines, *_row("costs", _costs(found))]


def _row(label: str, text: str) -> list[str]:
    return textwrap.wrap(
        f"  {label:12} {text}", text_width(), subsequent_indent=_INDENT, break_long_words=False, break_on_hyphens=False
    )


def _raises(found: Check) -> list[str]:
    """Return the errors it raises, and in how many positions."""
    kinds = ((found.unplaced, "before both knights are placed"), (found.in_play, "in play"))
    parts = [f"{count} {where}" for count, where in (*kinds, (found.finished, "finished")) if count]
    lines = _row("raises", f"in {found.raising} of {plural(found.positions, 'random position')}: {', '.join(parts)}")
    for failure in found.failures[:_SHOWN]:
        lines += _row("", f"{failure.error}: {plural(failure.positions, 'position')}")
        lines += _row("", f"  for example player {failure.player} in {failure.position.fen()}")
    if len(found.failures) > _SHOWN:
        lines += _row("", f"and {plural(len(found.failures) - _SHOWN, 'other error')}")
    if found.finished == found.raising:
        lines += _row("", "finished games are scored by the rules, except by agents with horizon=heuristic")
    return lines


def _costs(found: Check) -> str:
    """Return the time per call, and the number of positions if not all were measured."""
    timing = found.timing
    if timing is None:
        if not found.is_complete:
            return "not measured: the check was ended"
        if found.timed:
            return "not measured: it failed while it was timed"
        return f"not measured: it raises in all {plural(found.to_time, 'position')} tried"
    where = "" if found.timed == found.to_time else f" ({found.timed} of {found.to_time} positions)"
    if timing.compiled is None:
        return f"{timing.interpreted / 1e3:,.1f} µs a call, interpreted{where}"
    both = f"{timing.compiled:,.1f} ns a call, {timing.interpreted / 1e3:,.1f} µs interpreted"
    return f"{both}: {timing.interpreted / timing.compiled:,.0f} times faster{where}"


def check_facts(made: Heuristic, found: Check) -> dict[str, Any]:
    """Return the result as JSON data."""
    timing = found.timing
    fast, slow = (None, None) if timing is None else (timing.compiled, timing.interpreted)
    return {
        "name": made.name,
        "passed": found.is_passed,
        "compiled": found.compiled,
        "why_not": found.why_not,
        "positions": found.positions,
        "difference": found.difference,
        "differing": found.differing,
        "raises": {
            "positions": found.raising,
            "unplaced": found.unplaced,
            "in_play": found.in_play,
            "finished": found.finished,
            "errors": [
                {
                    "error": failure.error,
                    "positions": failure.positions,
                    "fen": failure.position.fen(),
                    "player": failure.player,
                }
                for failure in found.failures
            ],
        },
        "deaths": found.deaths,
        "complete": found.is_complete,
        "compiled_ns": fast,
        "interpreted_ns": slow,
        "ratio": None if fast is None or slow is None else slow / fast,
        "timed_positions": found.timed,
    }
