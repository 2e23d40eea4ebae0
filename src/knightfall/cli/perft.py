"""`knightfall perft`: count move sequences."""

from __future__ import annotations

from typing import Annotated

import typer

from knightfall.cli.options import BoardOption, FenOption, JsonOption


def perft(
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=0, max=128, help="Depth in moves.")],
    fen: FenOption = None,
    board: BoardOption = None,
    divide: Annotated[bool, typer.Option("--divide", help="Show the count for each first move.")] = False,
    json: JsonOption = False,
) -> None:
    """Count the move sequences of every length up to DEPTH."""
    from knightfall.cli.run import perft as work

    work.perft(depth=depth, fen=fen, board=board, divide=divide, json=json)
