"""`knightfall heuristics`: the catalogue, one heuristic in full, and the check of a user's heuristic."""

from __future__ import annotations

from typing import Annotated

import typer

from knightfall.cli.options import FenOption, JsonOption


def heuristics(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Heuristic, with or without parameters, or FILE.py[:FUNCTION]."),
    ] = None,
    fen: FenOption = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Does it compile, agree with Python and raise no errors, and how fast is it? Exit code 1 if it raises "
            "in an unfinished position, or if the compiled form differs.",
        ),
    ] = False,
    interpreted: Annotated[bool, typer.Option("--interpreted", help="With --fen: evaluate without compiling.")] = False,
    time: Annotated[
        bool, typer.Option("--time", help="List with nanoseconds per call, measured now; compiles all of them once.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """List the heuristics, show one in full, or check one."""
    from knightfall.cli.run import heuristics as work

    work.heuristics(name=name, fen=fen, check=check, interpreted=interpreted, time=time, json=json)
