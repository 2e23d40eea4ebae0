"""The work of `knightfall perft`: count move sequences."""

from __future__ import annotations

import time
from typing import Any

from knightfall.cli.json_output import print_json
from knightfall.cli.run.inputs import read_position
from knightfall.native.background import interruptible
from knightfall.native.perft import divide
from knightfall.native.perft import perft as count
from knightfall.rules import Position
from knightfall.rules.formatting import plural


def perft(depth: int, fen: str | None, board: str | None, divide: bool, json: bool) -> None:
    """Run `knightfall perft`."""
    position = read_position(fen, board)
    if divide:
        _divide(position, depth, json)
    else:
        _by_depth(position, depth, json)


def _by_depth(position: Position, depth: int, json: bool) -> None:
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
    label = position.geometry.label

    def show(square: int, leaves: int) -> None:
        print(f"{label(square)}: {leaves}", flush=True)

    counts = interruptible(lambda: divide(position, depth, None if json else show))
    if json:
        moves = {label(square): leaves for square, leaves in counts.items()}
        print_json("perft", {"fen": position.fen(), "depth": depth, "leaves": sum(counts.values()), "divide": moves})
    else:
        print(f"{plural(len(counts), 'move')}, {plural(sum(counts.values()), 'leaf')}")
