"""A small tournament in this process."""

from __future__ import annotations

import knightfall as kf


def hold(
    *candidates: str, panel: str | list[str] = "MM_Open", pairs: int = 6, nodes: int = 300, **more: object
) -> kf.Results:
    """Run the tournament and return its results."""
    return kf.tournament(list(candidates), panel, pairs=pairs, nodes=nodes, workers=0, **more)  # type: ignore[arg-type]
