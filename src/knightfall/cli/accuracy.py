"""`knightfall accuracy`: how often heuristics are right, by exact truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knightfall.cli.options import DEFAULT_DB, AsciiOption, DbOption, JsonOption, RunFilesOption
from knightfall.cli.truth import BoardName, HalfOption, PliesOption


def accuracy(
    heuristics: Annotated[
        list[str] | None,
        typer.Argument(metavar="HEURISTIC", help="Heuristics to grade (default: the whole catalogue)."),
    ] = None,
    board: BoardName = None,
    truth: Annotated[
        Path | None,
        typer.Option(
            "--truth",
            metavar="FILE",
            help="Truth set made by `knightfall truth build` (default: the one of the package).",
        ),
    ] = None,
    half: HalfOption = "judging",
    plies: PliesOption = None,
    depths: Annotated[
        str, typer.Option("--depths", metavar="D,D", help="Plies to search beyond each move, separated by commas.")
    ] = "0,2,4",
    by_ply: Annotated[bool, typer.Option("--by-ply", help="Also show the accuracy at each stage of the game.")] = False,
    worst: Annotated[
        int | None,
        typer.Option(
            "--worst",
            min=0,
            max=100,
            metavar="N",
            help="Show the N worst positions (default: 3 for a single heuristic).",
        ),
    ] = None,
    rank_of: Annotated[
        list[int] | None,
        typer.Option(
            "--rank-of",
            min=1,
            metavar="ID",
            help="Grade the heuristics of this experiment and measure how well accuracy predicts their rank in it. "
            "Can be repeated: then also for all experiments together, by the opponents they have in common.",
        ),
    ] = None,
    db: DbOption = DEFAULT_DB,
    run_files: RunFilesOption = False,
    ascii: AsciiOption = False,
    json: JsonOption = False,
) -> None:
    """Say how often a heuristic's choice keeps a won position won, and how well its value tells won from lost.

    Graded are critical positions, where some move wins and some other loses.
    """
    from knightfall.cli.run import accuracy as work

    work.accuracy(
        heuristics=heuristics,
        board=board,
        truth=truth,
        half=half,
        plies=plies,
        depths=depths,
        by_ply=by_ply,
        worst=worst,
        rank_of=rank_of,
        db=db,
        run_files=run_files,
        ascii=ascii,
        json=json,
    )
