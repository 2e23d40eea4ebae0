"""`knightfall bench`: how fast the engine is here, as ratios."""

from __future__ import annotations

from typing import Annotated

import typer

from knightfall.cli.common import JsonOption, print_json


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions, smaller depths.")] = False,
    json: JsonOption = False,
) -> None:
    """Measure the engine against plain Python and against C, in one run."""
    from knightfall.bench import heuristics, perft, startup
    from knightfall.native.background import interruptible

    perft_results = interruptible(lambda: perft.measure(quick=quick))
    heuristics_result = interruptible(lambda: heuristics.measure(quick=quick))
    startup_result = interruptible(lambda: startup.measure(quick=quick))
    if json:
        print_json(
            {
                "perft": [result.to_object() for result in perft_results],
                "heuristics": heuristics_result.to_object(),
                "startup": startup_result.to_object(),
            }
        )
        return
    for title, table in (
        ("perft", perft.table(perft_results)),
        ("heuristics", heuristics.table(heuristics_result)),
        ("start", startup.table(startup_result)),
    ):
        print(f"{title}\n{table}\n")
