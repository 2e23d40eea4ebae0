"""The work of `knightfall experiments`: the experiments of a ledger, and one of them in full."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

from knightfall.agents.budget import Budget
from knightfall.arena.ledger import Experiment, Ledger, LedgerError, is_alive
from knightfall.arena.panels import PANELS
from knightfall.arena.results import Results
from knightfall.arena.tables import fault_lines
from knightfall.arena.verify import CHECKED, NOT_CHECKED, Verification
from knightfall.arena.verify import verify as check
from knightfall.cli.common import prose, warn
from knightfall.cli.json_output import print_json
from knightfall.cli.layout import Column, Page, table
from knightfall.cli.live import Ticker
from knightfall.cli.options import DEFAULT_DB
from knightfall.cli.run.tournament import resume_command
from knightfall.rules import KnightfallError
from knightfall.rules.formatting import plural

PROBLEMS_FOUND = 1

_PLACE = re.compile(r"(?:experiment|pair|game) ([0-9]+)(?:/([0-9]+))?(?:/([0-9]+))?: ")

STATES = ("done", "planned", "left out", "not needed")
"""States of pairs, as the ledger names them."""


def experiments(number: int | None, db: Path, json: bool) -> None:
    """Run `knightfall experiments`."""
    with open_ledger(db) as ledger:
        if number is None:
            _list(ledger, json)
        else:
            _show(ledger, number, json)


def verify(numbers: list[int] | None, db: Path, json: bool) -> None:
    """Run `knightfall experiments verify`."""
    state = "opening the ledger"

    def say(text: str) -> None:
        nonlocal state
        state = text

    with open_ledger(db) as ledger, Ticker(lambda: state), ledger.snapshot():
        found = check(ledger, list(dict.fromkeys(numbers or [])), say)
    problems = found.all_problems
    if json:
        print_json("ledger-check", _check_facts(found))
    else:
        _print_check(found, db)
    if problems:
        raise typer.Exit(PROBLEMS_FOUND)


def _check_facts(found: Verification) -> dict[str, Any]:
    problems = []
    for line in found.all_problems:
        place = _PLACE.match(line)
        told = (None, None, None) if place is None else (None if part is None else int(part) for part in place.groups())
        problems.append({**dict(zip(("experiment", "pair", "game"), told, strict=True)), "problem": line})
    return {
        "sound": not problems,
        "experiments": [
            {
                "id": checked.id,
                "pairs": checked.pairs,
                "games": checked.games,
                "problems": len(checked.problems),
            }
            for checked in found.experiments
        ],
        "problems": problems,
        "checked": CHECKED,
        "not_checked": NOT_CHECKED,
    }


def _print_check(found: Verification, db: Path) -> None:
    for line in found.all_problems:
        print(prose(line))
    for checked in found.experiments:
        played = f"{plural(checked.pairs, 'pair')}, {plural(checked.games, 'game')} played again"
        result = plural(len(checked.problems), "problem") if checked.problems else "no problem"
        print(prose(f"experiment {checked.id}: {played}: {result}"))
    total = len(found.all_problems)
    print(prose(f"{db}: {plural(total, 'problem') if total else 'no problem'} found"))
    print(prose(f"checked: {CHECKED}"))
    print(prose(f"not checked: {NOT_CHECKED}"))


def open_ledger(path: Path) -> Ledger:
    """Return an existing ledger. This never creates one."""
    # An empty file is refused, too, because opening it would turn it into a ledger.
    if not path.exists():
        hint = "; --db names one elsewhere" if path == DEFAULT_DB else ""
        raise KnightfallError(f"{path}: there is no such ledger{hint}")
    if path.is_file() and not path.stat().st_size:
        raise KnightfallError(f"{path}: it is an empty file, not a ledger")
    return Ledger(path, create=False)


def _list(ledger: Ledger, json: bool) -> None:
    facts = []
    for experiment in ledger.experiments():
        try:
            facts.append(_facts(experiment, ledger.counts(experiment.id)))
        except LedgerError as error:
            warn(f"{error}; skipped")
    if json:
        print_json("experiments", {"experiments": facts})
        return
    if not facts:
        print(f"{ledger.path} holds no experiments")
        return
    rows = [("id", "begun (UTC)", "state", "board", "pairs", "budget", "seed", "candidates against opponents")]
    for fact in facts:
        title = f"{fact['name']}: " if fact["name"] else ""
        pairs = sum(fact["pairs"].values()) - fact["pairs"]["not needed"]
        rows.append(
            (
                str(fact["id"]),
                _moment(fact["begun"]),
                _state_words(fact),
                fact["board"],
                f"{pairs:,}",
                _budget_words(fact["budget"]),
                fact["seed"],
                f"{title}{', '.join(fact['candidates'])} against {_panel_words(fact)}",
            )
        )
    right = (0, 4)  # columns of numbers
    page = Page.of(sys.stdout)
    if page is not None:
        ranks = {1: 2, 3: 3, 5: 1, 6: 0}  # of seed, budget, date and board
        columns = [Column(head, at in right, ranks.get(at), whole=at != 7) for at, head in enumerate(rows[0])]
        print("\n".join(table(page, columns, rows[1:])))
        return
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        cells = [f"{cell:{'>' if at in right else '<'}{widths[at]}}" for at, cell in enumerate(row)]
        print("  ".join(cells).rstrip())


def _facts(experiment: Experiment, counts: Mapping[str, int]) -> dict[str, Any]:
    """Return one experiment of the list as JSON data.

    The seed is a string because it may exceed the integers that JSON readers support.
    """
    told = experiment.configuration
    is_playing = experiment.ended is None and is_alive(experiment.player)
    return {
        "id": experiment.id,
        "name": experiment.name,
        "begun": experiment.begun,
        "ended": experiment.ended,
        "state": "finished" if experiment.ended is not None else "being played" if is_playing else "unfinished",
        "process": int(experiment.player.split()[0]) if is_playing else None,
        "board": told["board"],
        "candidates": told["candidates"],
        "opponents": told["opponents"],
        "panel": told["panel"] if told["opponents"] else "",
        "budget": told["budget"],
        "pairs": {state: counts.get(state, 0) for state in STATES},
        "seed": told["seed"],
    }


def _state_words(fact: Mapping[str, Any]) -> str:
    pairs = fact["pairs"]
    if fact["state"] == "being played":
        return f"being played by process {fact['process']}"
    if fact["state"] == "unfinished":
        return f"unfinished: {pairs['done']:,} of {plural(sum(pairs.values()), 'pair')}"
    return "finished" + (f", {pairs['left out']:,} left out" if pairs["left out"] else "")


def _panel_words(fact: Mapping[str, Any]) -> str:
    """Return a panel by its name if it is a built-in one, otherwise its opponents."""
    return fact["panel"] if fact["panel"] in (*PANELS, "all") else _opponents(fact)


def _opponents(fact: Mapping[str, Any]) -> str:
    return ", ".join(fact["opponents"]) or "each other"


def _budget_words(told: Mapping[str, Any]) -> str:
    return ", ".join(Budget(**told).settings()) or "each its own"


def _moment(told: str) -> str:
    """Return a time without the parts that are the same in all of them.

    >>> _moment("2026-11-16T07:24:59+00:00")
    '2026-11-16 07:24:59'
    """
    return told.removesuffix("+00:00").replace("T", " ")


def _show(ledger: Ledger, number: int, json: bool) -> None:
    results = Results.read(ledger, number)
    fact = _facts(results.experiment, Counter(pair.state for pair in results.pairs))
    resume_with = resume_command(ledger, number) if fact["state"] == "unfinished" else None
    if json:
        print_json("experiment", {**fact, **_more_facts(results), "resume": resume_with})
        return
    print(f"experiment {number}{': ' * bool(fact['name'])}{fact['name']}")
    for label, text in _rows(results, fact):
        if text:
            print(prose(f"  {label:12} {text}", " " * 15))
    faults = fault_lines(results)
    if faults:
        print(prose(faults))
    if resume_with is not None:
        print(f"resume with: {resume_with}")


def _more_facts(results: Results) -> dict[str, Any]:
    """Return the facts that the list does not contain, as JSON data."""
    experiment = results.experiment
    return {
        "games": results.games_played,
        "moves_hash": results.moves_hash,
        "configuration": experiment.configuration,
        "code": experiment.code,
        "machine": experiment.machine,
        "command": experiment.command,
        "faults": [
            {"player": name, "reason": reason, "games": count, "message": results.fault_messages[name, reason]}
            for (name, reason), count in sorted(results.faults.items())
        ],
        "left_out": [{"pair": pair.number, "note": pair.note} for pair in results.left_out],
    }


def _rows(results: Results, fact: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the label and the text of each line about an experiment; the text is empty if there is no data."""
    experiment = results.experiment
    told, code, machine = experiment.configuration, dict(experiment.code), experiment.machine
    sources, heuristics = code.pop("sources"), code.pop("heuristics")
    yield "state", _state_words(fact)
    yield "begun", f"{_moment(experiment.begun)} UTC"
    yield "ended", f"{_moment(experiment.ended)} UTC" if experiment.ended is not None else ""
    yield "board", told["board"]
    yield "candidates", ", ".join(told["candidates"])
    yield "opponents", _opponents(fact)
    yield "panel", fact["panel"]
    yield "baseline", told["baseline"] or ""
    yield "budget", _budget_words(told["budget"])
    yield "openings", f"{told['openings']:,}, {told['drawn']} ({told['openings_key']})"
    yield "seed", told["seed"]
    yield "test", _test_words(told["sprt"])
    yield "pairs", ", ".join(f"{count:,} {state}" for state, count in fact["pairs"].items() if count)
    yield "games", f"{results.games_played:,} (moves {results.moves_hash[:16]})"
    for name, identity in told["identities"].items():
        yield "player", name if identity == name else f"{name} = {identity}"
    yield "code", ", ".join(f"{name} {version}" for name, version in code.items())
    yield "sources", sources
    for name, digest in heuristics.items():
        yield "heuristic", f"{name} ({digest})"
    yield "machine", f"{machine['processor']}, {machine['cores']} cores, {machine['system']} {machine['release']}"
    yield "command", experiment.command


def _test_words(sprt: Mapping[str, Any] | None) -> str:
    return "" if sprt is None else ", ".join(f"{name} {value}" for name, value in sprt.items())
