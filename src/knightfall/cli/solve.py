"""`knightfall solve`: the exact value of a position, or of every opening of a board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knightfall.cli.options import AsciiOption, BoardOption, FenOption, GivenPosition, JsonOption

MOST_THREADS = 64


def solve(
    position_text: GivenPosition = None,
    fen: FenOption = None,
    board: BoardOption = None,
    distance: Annotated[
        bool, typer.Option("--distance", help="Also find out how many moves the game lasts; takes longer.")
    ] = False,
    openings: Annotated[
        bool, typer.Option("--openings", help="Show who wins after every pair of placements on --board.")
    ] = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="With --openings: write them to an SVG file.")
    ] = None,
    recompute: Annotated[
        bool, typer.Option("--recompute", help="With --openings: solve them even if the package ships the result.")
    ] = False,
    ms: Annotated[
        float | None,
        typer.Option("--ms", metavar="N", help="Time limit in milliseconds; what is proved by then is printed."),
    ] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", min=1, max=2**62, metavar="N", help="Most positions to search.")
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(
            "--memory", min=1, metavar="MB", help="Megabytes for its tables (default 1024, or less if less is free)."
        ),
    ] = None,
    threads: Annotated[
        int,
        typer.Option(
            "--threads",
            min=1,
            max=MOST_THREADS,
            metavar="N",
            help="Threads that share one table, on boards of up to 64 squares.",
        ),
    ] = 1,
    no_theory: Annotated[
        bool, typer.Option("--no-theory", help="Search even if the mirror argument gives the winner.")
    ] = False,
    ascii: AsciiOption = False,
    json: JsonOption = False,
) -> None:
    """Find out who wins a position, and by which moves. Ctrl-C ends a long search with what was proved."""
    from knightfall.cli.run import solve as work

    work.solve(
        position_text=position_text,
        fen=fen,
        board=board,
        distance=distance,
        openings=openings,
        svg=svg,
        recompute=recompute,
        ms=ms,
        nodes=nodes,
        memory=memory,
        threads=threads,
        no_theory=no_theory,
        ascii=ascii,
        json=json,
    )
