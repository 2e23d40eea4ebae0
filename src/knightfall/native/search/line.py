"""Principal variations: one row of bytes per depth, which contains a length and that number of squares."""

from __future__ import annotations

from typing import Any

from knightfall.native.control import peek
from knightfall.native.jit import part
from knightfall.native.memory import load_byte, store_byte
from knightfall.native.search.block import ROW, Field


@part
def start_line(block: Any, depth: Any) -> None:
    """Clear the line of a node ``depth`` plies above the horizon."""
    store_byte(peek(block, Field.PV), depth * ROW, 0)


@part
def extend_line(block: Any, depth: Any, square: Any) -> None:
    """Set the line of this node to a move to ``square``, followed by the line of the node below."""
    rows = peek(block, Field.PV)
    here, below = depth * ROW, (depth - 1) * ROW
    length = load_byte(rows, below) if depth > 1 else 0
    store_byte(rows, here, length + 1)
    store_byte(rows, here + 1, square)
    for at in range(length):
        store_byte(rows, here + 2 + at, load_byte(rows, below + 1 + at))


@part
def copy_line(rows: Any, row: Any, target: Any) -> None:
    """Copy one row to an address."""
    length = load_byte(rows, row * ROW)
    for at in range(length + 1):
        store_byte(target, at, load_byte(rows, row * ROW + at))
