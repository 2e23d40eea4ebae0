"""`knightfall book`: build, check and inspect a book of early positions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knightfall.cli.help import Command, Group
from knightfall.cli.options import BOOK_SAMPLE, DEFAULT_BOARD, AsciiOption, FenOption, GivenPosition, JsonOption

app = typer.Typer(cls=Group, rich_markup_mode=None)

BoardOption = Annotated[
    str | None, typer.Option("--board", metavar="WxH", help=f"Board of the book (default {DEFAULT_BOARD}).")
]
FileOption = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="Book file (default: the one of the package).")
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", min=1, max=256, metavar="N", help="Processes (default: one per core).")
]

MOST_PLIES = 12


@app.callback(invoke_without_command=True)
def options(context: typer.Context) -> None:
    """Build, check and look into a book: who wins the early positions of a board."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("build", cls=Command)
def build(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File for the book.")],
    board: BoardOption = None,
    plies: Annotated[
        int, typer.Option("--plies", min=2, max=MOST_PLIES, metavar="N", help="Depth of the book in moves.")
    ] = 5,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Build a book: solve every position of a ply. What comes before follows from it."""
    from knightfall.cli.run import book as work

    work.build(output=output, board=board, plies=plies, workers=workers, json=json)


@app.command("verify", cls=Command)
def verify(
    board: BoardOption = None,
    file: FileOption = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            min=1,
            max=10**9,
            metavar="N",
            help=f"Number of positions to solve again (default {BOOK_SAMPLE}).",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Solve every position of the book again.")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of the sample.")] = 0,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Solve positions of a book again. Exit code 1 when the book is wrong about one."""
    from knightfall.cli.run import book as work

    work.verify(board=board, file=file, sample=sample, everything=everything, seed=seed, workers=workers, json=json)


@app.command("show", cls=Command)
def show(
    position_text: GivenPosition = None,
    fen: FenOption = None,
    board: BoardOption = None,
    file: FileOption = None,
    ascii: AsciiOption = False,
    json: JsonOption = False,
) -> None:
    """Show what a book holds, or what it says about a position."""
    from knightfall.cli.run import book as work

    work.show(position_text=position_text, fen=fen, board=board, file=file, ascii=ascii, json=json)
