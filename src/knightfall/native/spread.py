"""A knight's jumps from many squares at once.

All jumps in one direction are one shift of the whole set, so the time does not depend on the number of squares.
"""

from __future__ import annotations

from typing import Any

from knightfall.native.bits import (
    shifted_down,
    shifted_down_little,
    shifted_up,
    shifted_up_little,
    width_of,
)
from knightfall.native.board_tables import all_squares, board_width, jumps_aside
from knightfall.native.jit import inlined


@inlined
def _has_short_rows(tables: Any, squares: Any) -> Any:
    """Return whether every jump is a shift by less than 64. The largest shift is two rows and one square."""
    return width_of(squares) == 64 or board_width(tables) < 31


@inlined
def jumps_from_any(tables: Any, squares: Any) -> Any:
    """Return all squares that are a knight's jump away from one of these squares, empty or not."""
    row = board_width(tables)
    right, left = squares & jumps_aside(tables, 0), squares & jumps_aside(tables, 1)
    far_right, far_left = squares & jumps_aside(tables, 2), squares & jumps_aside(tables, 3)
    near = shifted_up_little(right, 1) | shifted_down_little(left, 1)
    far = shifted_up_little(far_right, 2) | shifted_down_little(far_left, 2)
    if _has_short_rows(tables, squares):
        up = shifted_up_little(near, 2 * row) | shifted_up_little(far, row)
        down = shifted_down_little(near, 2 * row) | shifted_down_little(far, row)
    else:
        up = shifted_up(near, 2 * row) | shifted_up(far, row)
        down = shifted_down(near, 2 * row) | shifted_down(far, row)
    return (up | down) & all_squares(tables)


@inlined
def links_between(tables: Any, squares: Any) -> Any:
    """Return the number of pairs of these squares that are a knight's jump apart.

    Only jumps to a higher index are counted, so each pair is counted once.
    """
    row = board_width(tables)
    right, left = squares & jumps_aside(tables, 0), squares & jumps_aside(tables, 1)
    far_right, far_left = squares & jumps_aside(tables, 2), squares & jumps_aside(tables, 3)
    if _has_short_rows(tables, squares):
        return (
            len(shifted_up_little(right, 2 * row + 1) & squares)
            + len(shifted_up_little(left, 2 * row - 1) & squares)
            + len(shifted_up_little(far_right, row + 2) & squares)
            + len(shifted_up_little(far_left, row - 2) & squares)
        )
    return (
        len(shifted_up(right, 2 * row + 1) & squares)
        + len(shifted_up(left, 2 * row - 1) & squares)
        + len(shifted_up(far_right, row + 2) & squares)
        + len(shifted_up(far_left, row - 2) & squares)
    )
