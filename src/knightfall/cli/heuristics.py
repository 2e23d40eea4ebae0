"""`knightfall heuristics`: the catalogue, one heuristic in full, and the check of a user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from knightfall.cli.common import FenOption, JsonOption, print_json, prose, warnings_as_lines

if TYPE_CHECKING:
    from knightfall.catalogue.heuristic import Heuristic
    from knightfall.rules import Position

CHECKED_POSITIONS = 1_000


def heuristics(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A heuristic, with parameters or without, or FILE.py:FUNCTION."),
    ] = None,
    fen: FenOption = None,
    check: Annotated[
        bool, typer.Option("--check", help="Does it compile, does it agree with Python, how fast is it?")
    ] = False,
    interpreted: Annotated[bool, typer.Option("--interpreted", help="Evaluate without compiling.")] = False,
    json: JsonOption = False,
) -> None:
    """List the heuristics, show one in full, or check one."""
    from knightfall.native.background import interruptible
    from knightfall.rules import KnightfallError, Position

    position = None if fen is None else Position.from_fen(fen)
    if name is None:
        if check or interpreted or position is not None:
            raise KnightfallError("--fen, --check and --interpreted go with the NAME of a heuristic")
        interruptible(lambda: _list(json))
        return
    from knightfall.catalogue.loader import load

    with warnings_as_lines():
        made = interruptible(lambda: load(name))
        if check:
            interruptible(lambda: _check(made, json))
        else:
            interruptible(lambda: _show(made, position, interpreted, json))


def _list(json: bool) -> None:
    from knightfall.catalogue.registry import heuristics as catalogue
    from knightfall.catalogue.timing import compiled_nanoseconds, typical_positions

    positions = typical_positions()
    rows = []
    if not json:
        print(f"{'name':24} {'report':6} {'ns/call':>9}  idea")
    for known, made in catalogue.items():
        cost = compiled_nanoseconds(made, positions, seconds=0.003)
        rows.append({"name": known, "report": made.story.report, "idea": made.story.idea, "ns": cost})
        if not json:
            shown = "-" if cost is None else f"{cost:,.0f}"
            row = f"{known:24} {made.story.report:6} {shown:>9}  {made.story.idea}"
            print(prose(row, " " * 43), flush=True)
    if json:
        print_json(rows)


def _show(made: Heuristic, position: Position | None, interpreted: bool, json: bool) -> None:
    values = None
    if position is not None:
        values = [made.value(position, player, interpreted=interpreted) for player in (1, 2)]
    if json:
        facts = _facts(made)
        if position is not None and values is not None:
            facts["fen"] = position.fen()
            facts["values"] = [_plain(value) for value in values]
        print_json(facts)
        return
    story = made.story
    print(made)
    for label, text in (
        ("idea", story.idea),
        ("formula", story.formula),
        ("report", story.report),
        ("also called", ", ".join((*story.aliases, *story.presets))),
        ("symmetric", {"always": "yes", "odd": "on boards with odd sides", "never": "no"}.get(story.invariant, "")),
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
    choices = made.story.choices.get(parameter)
    if choices is not None:
        return f" (one of {', '.join(choices)})"
    limits = made.story.ranges.get(parameter)
    return "" if limits is None else f" ({limits[0]} to {limits[1]})"


def _source(made: Heuristic) -> str:
    import ast

    program = made.code.program
    if program is None or made.code.path is None:
        return ""
    text = program.units[program.path].source.text
    return (ast.get_source_segment(text, program.node) or "").rstrip()


def _facts(made: Heuristic) -> dict[str, Any]:
    story = made.story
    return {
        "name": made.name,
        "text": str(made),
        "report": story.report,
        "aliases": [*story.aliases, *story.presets],
        "idea": story.idea,
        "formula": story.formula,
        "parameters": {
            name: {
                "value": value,
                "default": made.code.defaults[name],
                "range": story.ranges.get(name),
                "choices": story.choices.get(name),
            }
            for name, value in made.parameters.items()
        },
        "invariant": story.invariant,
        "source": _source(made),
    }


def _plain(value: float) -> float | str:
    return value if abs(value) != float("inf") else str(value)


def _check(made: Heuristic, json: bool) -> None:
    from knightfall.catalogue.timing import compiled_nanoseconds, interpreted_nanoseconds, typical_positions
    from knightfall.catalogue.trial import TICKS, Comparison, compare, random_positions

    sizes = ((7, 7), (7, 7), (11, 9), (5, 6))
    found = None
    compared = Comparison()
    compiled = made.compiled
    if not compiled and (made.code.failure or "").startswith("differs: "):
        found = (made.code.failure or "").removeprefix("differs: ")
    if compiled:
        compared = compare(made, random_positions(CHECKED_POSITIONS, seed=2, sizes=sizes), TICKS)
        found = compared.difference
    positions = typical_positions()
    fast = compiled_nanoseconds(made, positions) if compiled else None
    slow = interpreted_nanoseconds(made, positions)
    if json:
        print_json(
            {
                "name": made.name,
                "compiled": compiled,
                "why_not": made.code.failure,
                "positions": CHECKED_POSITIONS,
                "difference": found,
                "errors": compared.errors,
                "first_error": None if compared.first_error is None else str(compared.first_error),
                "compiled_ns": fast,
                "interpreted_ns": slow,
                "ratio": None if fast is None else slow / fast,
            }
        )
    else:
        print(f"{made.code.shown}")
        print(f"  compiles     {'yes' if compiled or found else f'no: {made.code.failure}'}")
        if compiled or found:
            verdict = f"yes, on {CHECKED_POSITIONS:,} random positions" if found is None else f"no: {found}"
            print(f"  agrees       {verdict}")
        if compared.errors:
            print(f"  raises       in {compared.errors} of {compared.evaluations} calls: {compared.first_error}")
        if fast is not None:
            both = f"{fast:,.1f} ns a call, {slow / 1e3:,.1f} µs interpreted"
            print(f"  costs        {both}: {slow / fast:,.0f} times faster")
        else:
            print(f"  costs        {slow / 1e3:,.1f} µs a call, interpreted")
    if found is not None:
        raise typer.Exit(1)
