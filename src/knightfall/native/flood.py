"""Flood fill over knight's jumps."""

from __future__ import annotations

from typing import Any

from knightfall.native.bits import none_of
from knightfall.native.board_tables import jumps_from
from knightfall.native.jit import compiled
from knightfall.native.spread import jumps_from_any


@compiled
def flood(tables: Any, location: Any, empty: Any) -> Any:
    """Return all squares that a knight at ``location`` can reach over ``empty`` squares, in any number of jumps.

    The knight's own square is not included unless it is in ``empty``.
    """
    reached = none_of(empty)
    edge = jumps_from(tables, location) & empty
    while edge:
        reached |= edge
        edge = (jumps_from_any(tables, edge) & empty) - reached
    return reached
