"""`knightfall show`: draw a position and print facts about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knightfall.cli.options import AsciiOption, JsonOption


def show(
    fen: Annotated[str, typer.Argument(metavar="FEN", help="Position, as in '7/7/3n3/7/7/2N4/7 w'.")],
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Write the board to an SVG file.")] = None,
    theme: Annotated[
        str | None, typer.Option("--theme", metavar="THEME", help="With --svg: auto (default), light or dark.")
    ] = None,
    moves: Annotated[bool, typer.Option("--moves", help="Mark the legal moves.")] = False,
    ascii: AsciiOption = False,
    json: JsonOption = False,
) -> None:
    """Draw a position."""
    from knightfall.cli.run import show as work

    work.show(fen=fen, svg=svg, theme=theme, moves=moves, ascii=ascii, json=json)
