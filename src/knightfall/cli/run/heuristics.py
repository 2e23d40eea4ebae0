"""The work of `knightfall heuristics`: the catalogue, one heuristic in full, and the check of a user's heuristic."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.loader import load
from knightfall.catalogue.registry import heuristics as catalogue
from knightfall.catalogue.timing import compiled_nanoseconds, typical_positions
from knightfall.cli.common import prose, warnings_as_lines
from knightfall.cli.json_output import print_json
from knightfall.cli.run.heuristic_check import run_check
from knightfall.native.background import interruptible
from knightfall.rules import KnightfallError, Position


def heuristics(name: str | None, fen: str | None, check: bool, interpreted: bool, time: bool, json: bool) -> None:
    """Run `knightfall heuristics`."""
    position = None if fen is None else Position.from_fen(fen)
    if name is None:
        if check or interpreted or position is not None:
            raise KnightfallError("--fen, --check and --interpreted go with the NAME of a heuristic")
        interruptible(lambda: _list(time, json))
        return
    if time:
        raise KnightfallError("--time is for the list; to measure one heuristic, use --check")
    if check and (interpreted or position is not None):
        raise KnightfallError("--check goes without --fen and --interpreted: it evaluates many positions both ways")
    if interpreted and position is None:
        raise KnightfallError("--interpreted goes with --fen: it says how the position is evaluated")
    with warnings_as_lines():
        made = interruptible(lambda: load(name))
        if check:
            interruptible(lambda: run_check(made, json))
        else:
            interruptible(lambda: _show(made, position, interpreted, json))


def _list(timed: bool, json: bool) -> None:
    """Print the catalogue. Costs are included only on request, because measuring requires compilation."""
    cost_of = _stopwatch() if timed else None
    rows = []
    if not json:
        head = f" {'ns/call':>9}" if timed else ""
        print(f"{'name':24} {'report':6}{head}  idea")
    for known, made in catalogue.items():
        row: dict[str, Any] = {"name": known, "report": made.metadata.report, "idea": made.metadata.idea}
        column = ""
        if cost_of is not None:
            cost = row["ns"] = cost_of(made)
            column = f" {'-' if cost is None else f'{cost:,.0f}':>9}"
        rows.append(row)
        if not json:
            row_head = f"{known:24} {made.metadata.report:6}{column}  "
            print(prose(row_head + made.metadata.idea, indent=" " * len(row_head)), flush=True)
    if json:
        print_json("heuristics", {"heuristics": rows})


def _stopwatch() -> Callable[[Heuristic], float | None]:
    positions = typical_positions()
    return lambda made: compiled_nanoseconds(made, positions, seconds=0.003)


def _show(made: Heuristic, position: Position | None, interpreted: bool, json: bool) -> None:
    values = None
    if position is not None:
        values = [made.value(position, player, interpreted=interpreted) for player in (1, 2)]
    if json:
        facts = _facts(made)
        if position is not None and values is not None:
            facts["fen"] = position.fen()
            facts["values"] = [_plain(value) for value in values]
        print_json("heuristic", facts)
        return
    metadata = made.metadata
    print(made)
    for label, text in (
        ("idea", metadata.idea),
        ("formula", metadata.formula),
        ("report", metadata.report),
        ("also called", ", ".join((*metadata.aliases, *metadata.presets))),
        ("symmetric", {"always": "yes", "odd": "on boards with odd sides", "never": "no"}.get(metadata.invariant, "")),
    ):
        if text:
            print(prose(f"  {label:12} {text}", " " * 15))
    for parameter, value in made.parameters.items():
        print(f"  {'parameter':12} {parameter} = {value}{_limits(made, parameter)}")
    if position is not None and values is not None:
        print(f"  {'in':12} {position.fen()}")
        for player, value in zip((1, 2), values, strict=True):
            print(f"  {'':12} {value!r} for the {('first', 'second')[player - 1]} player")
    source = _source(made)
    if source:
        print()
        print(source)


def _limits(made: Heuristic, parameter: str) -> str:
    choices = made.metadata.choices.get(parameter)
    if choices is not None:
        return f" (one of {', '.join(choices)})"
    limits = made.metadata.ranges.get(parameter)
    return "" if limits is None else f" ({limits[0]} to {limits[1]})"


def _source(made: Heuristic) -> str:
    program = made.code.program
    if program is None or made.code.path is None:
        return ""
    text = program.units[program.path].source.text
    return (ast.get_source_segment(text, program.node) or "").rstrip()


def _facts(made: Heuristic) -> dict[str, Any]:
    metadata = made.metadata
    return {
        "name": made.name,
        "text": str(made),
        "report": metadata.report,
        "aliases": [*metadata.aliases, *metadata.presets],
        "idea": metadata.idea,
        "formula": metadata.formula,
        "parameters": {
            name: {
                "value": value,
                "default": made.code.defaults[name],
                "range": metadata.ranges.get(name),
                "choices": metadata.choices.get(name),
            }
            for name, value in made.parameters.items()
        },
        "invariant": metadata.invariant,
        "source": _source(made),
    }


def _plain(value: float) -> float | str:
    return value if abs(value) != float("inf") else str(value)
