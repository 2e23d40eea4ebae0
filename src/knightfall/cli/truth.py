"""`knightfall truth`: sets of positions with the exact value of every move."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knightfall.cli.help import Command, Group
from knightfall.cli.options import DEFAULT_BOARD, ClusterOption, JsonOption, WorkersOption

app = typer.Typer(cls=Group, rich_markup_mode=None)

SetArgument = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="Truth set (default: the one of the package).")
]
HalfOption = Annotated[
    str, typer.Option("--half", metavar="HALF", help="Half of the set: judging (never seen by tuning), tuning, or all.")
]
PliesOption = Annotated[
    str | None, typer.Option("--plies", metavar="A-B", help="Only positions after this many plies, as in 10-20.")
]
BoardName = Annotated[
    str | None, typer.Option("--board", metavar="WxH", help=f"Size of the board (default {DEFAULT_BOARD}).")
]


@app.callback(invoke_without_command=True)
def options(context: typer.Context) -> None:
    """Build truth sets and look into them: positions with the exact value of every move."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("build", cls=Command)
def build(
    positions: Annotated[
        int, typer.Option("--positions", min=1, max=10**7, metavar="N", help="Approximate number of positions.")
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="File for the set (default truth_WxH.txt.gz).")
    ] = None,
    board: BoardName = None,
    empty: Annotated[
        int | None,
        typer.Option(
            "--empty", min=4, metavar="N", help="Most empty squares of a position; more take longer to solve."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**63 - 1, metavar="N", help="Seed for everything random.")
    ] = 1,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    json: JsonOption = False,
) -> None:
    """Find positions of several kinds of play, half of them critical, and solve them.

    The same command gives the same file. After Ctrl-C or a crash the same command continues.
    """
    from knightfall.cli.run import truth as work

    work.build(
        positions=positions,
        output=output,
        board=board,
        empty=empty,
        seed=seed,
        workers=workers,
        cluster=cluster,
        json=json,
    )


@app.command("show", cls=Command)
def show(
    file: SetArgument = None,
    board: BoardName = None,
    json: JsonOption = False,
) -> None:
    """Summarize a truth set: positions by ply, how many are won, how many critical."""
    from knightfall.cli.run import truth as work

    work.show(file=file, board=board, json=json)


@app.command("list", cls=Command)
def list_positions(
    file: SetArgument = None,
    board: BoardName = None,
    half: HalfOption = "all",
    plies: PliesOption = None,
    critical: Annotated[
        bool, typer.Option("--critical", help="Only positions where some move wins and another loses.")
    ] = False,
    winning: Annotated[
        int | None,
        typer.Option("--winning", min=1, metavar="N", help="Only won positions with at most N winning moves."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Print positions of a truth set, a FEN on each line: openings for `knightfall tournament --openings`."""
    from knightfall.cli.run import truth as work

    work.list_positions(file=file, board=board, half=half, plies=plies, critical=critical, winning=winning, json=json)
