"""`knightfall show`: draw a position and print facts about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knightfall.cli.common import AsciiOption, JsonOption, draw, print_json, write_file
from knightfall.cli.outputs import check_outputs

if TYPE_CHECKING:
    from knightfall.rules import Position


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
    from knightfall.rules import KnightfallError, Position

    if theme is not None and svg is None:
        raise KnightfallError("--theme goes with --svg only")
    check_outputs(svg)
    position = Position.from_fen(fen)
    legal = position.legal_moves() if moves else ()
    if svg is not None:
        write_file(svg, position.svg(theme=theme or "auto", marks=dict.fromkeys(legal, "move")))
    if json:
        print_json("position", _facts(position))
    else:
        print(draw(position, ascii, dots=legal))
        if svg is not None:
            print(f"picture written to {svg}")


def _facts(position: Position) -> dict[str, Any]:
    label = position.geometry.label
    first, second = (None if square is None else label(square) for square in position.locations)
    return {
        "fen": position.fen(),
        "board": str(position.geometry),
        "first": first,
        "second": second,
        "to_move": position.to_move,
        "ply": position.ply,
        "legal_moves": [label(square) for square in position.legal_moves()],
        "attacker": position.attacker,
        "winner": position.winner,
    }
