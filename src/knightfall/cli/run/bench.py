"""The work of `knightfall bench`: the speed of the engine as ratios, and the signature of the search as one number."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from knightfall.bench import arena, heuristics, perft, search, signature, solver, startup
from knightfall.cli.json_output import print_json
from knightfall.cli.layout import Page, markdown_page
from knightfall.cli.options import BENCHMARKS
from knightfall.native.background import interruptible
from knightfall.rules import KnightfallError


def bench(parts: list[str] | None, quick: bool, json: bool) -> None:
    """Run `knightfall bench`."""
    for part in parts or ():
        if part not in BENCHMARKS:
            raise KnightfallError(f"there is no benchmark {part!r}; one of {', '.join(BENCHMARKS)} is expected")
    results: dict[str, Any] = {}
    for part in parts or BENCHMARKS:
        found, shown = interruptible(lambda part=part: _measure(part, quick))  # type: ignore[misc]
        results[part] = found
        if not json:
            page = Page.of(sys.stdout)
            text = shown() if page is None else "\n".join(markdown_page(page, shown()))
            print(f"{part}\n{text}\n", flush=True)
    if json:
        print_json("bench", results)


def _measure(part: str, quick: bool) -> tuple[Any, Callable[[], str]]:
    """Return the result of one part as JSON data, and a function that returns it as a table."""
    if part == "signature":
        nodes = signature.nodes_by_agent()
        return {"nodes": nodes, "signature": sum(nodes.values())}, lambda: signature.table(nodes)
    if part == "perft":
        counted = perft.measure(quick=quick)
        return [result.to_object() for result in counted], lambda: perft.table(counted)
    if part == "heuristics":
        called = heuristics.measure(quick=quick)
        return called.to_object(), lambda: heuristics.table(called)
    if part == "search":
        searched = search.measure(quick=quick)
        return searched.to_object(), lambda: search.table(searched)
    if part == "solver":
        solved = solver.measure(quick=quick)
        return solved.to_object(), lambda: solver.table(solved)
    if part == "arena":
        held = arena.measure(quick=quick)
        return held.to_object(), lambda: arena.table(held)
    started = startup.measure(quick=quick)
    return started.to_object(), lambda: startup.table(started)
