"""`knightfall perft`: count move sequences."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knightfall.cli.common import BoardOption, FenOption, JsonOption, print_json, read_position
from knightfall.cli.scores import plural

if TYPE_CHECKING:
    from knightfall.rules import Position


def perft(
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=0, max=128, help="Depth in moves.")],
    fen: FenOption = None,
    board: BoardOption = None,
    divide: Annotated[bool, typer.Option("--divide", help="Show the count for each first move.")] = False,
    json: JsonOption = False,
) -> None:
    """Count the move sequences of every length up to DEPTH."""
    position = read_position(fen, board)
    if divide:
        _divide(position, depth, json)
    else:
        _by_depth(position, depth, json)


def _by_depth(position: Position, depth: int, json: bool) -> None:
    from knightfall.native.background import interruptible
    from knightfall.native.perft import perft as count

    if not json:
        print(f"perft of {position.fen()}")
        print(f"{'depth':>5} {'leaves':>20} {'seconds':>9} {'leaves/s':>13}")
    interruptible(lambda: count(position, 2))  # load or compile the engine first, so that this is not timed
    rows: list[dict[str, Any]] = []
    for plies in range(min(depth, 1), depth + 1):
        began = time.perf_counter()
        leaves = interruptible(lambda plies=plies: count(position, plies))  # type: ignore[misc]
        seconds = time.perf_counter() - began
        rows.append({"depth": plies, "leaves": leaves, "seconds": round(seconds, 6)})
        if not json:
            print(f"{plies:5} {leaves:20} {seconds:9.3f} {leaves / seconds:13,.0f}", flush=True)
    if json:
        print_json("perft", {"fen": position.fen(), "depth": depth, "leaves": rows[-1]["leaves"], "by_depth": rows})


def _divide(position: Position, depth: int, json: bool) -> None:
    from knightfall.native.background import interruptible
    from knightfall.native.perft import divide

    label = position.geometry.label

    def show(square: int, leaves: int) -> None:
        print(f"{label(square)}: {leaves}", flush=True)

    counts = interruptible(lambda: divide(position, depth, None if json else show))
    if json:
        moves = {label(square): leaves for square, leaves in counts.items()}
        print_json("perft", {"fen": position.fen(), "depth": depth, "leaves": sum(counts.values()), "divide": moves})
    else:
        print(f"{plural(len(counts), 'move')}, {plural(sum(counts.values()), 'leaf')}")
