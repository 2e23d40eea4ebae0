"""The work of `knightfall show`: draw a position and print facts about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from knightfall.cli.json_output import print_json
from knightfall.cli.run.board import draw
from knightfall.cli.run.outputs import check_outputs, write_file
from knightfall.rules import KnightfallError, Position


def show(fen: str, svg: Path | None, theme: str | None, moves: bool, ascii: bool, json: bool) -> None:
    """Run `knightfall show`."""
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
