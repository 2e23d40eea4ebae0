"""`knightfall bench`: the speed of the engine as ratios, and the signature of the search as one number."""

from __future__ import annotations

from typing import Annotated

import typer

from knightfall.cli.options import BENCHMARKS, JsonOption


def bench(
    parts: Annotated[
        list[str] | None, typer.Argument(metavar="PART", help=f"Parts to run: {', '.join(BENCHMARKS)} (default: all).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions, smaller depths.")] = False,
    json: JsonOption = False,
) -> None:
    """Measure the engine against plain Python and against C, in one run; print the signature of the search."""
    from knightfall.cli.run import bench as work

    work.bench(parts=parts, quick=quick, json=json)
