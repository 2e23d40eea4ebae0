"""The openings that a request describes: random, balanced, all of two plies, or given."""

from __future__ import annotations

from pathlib import Path

from knightfall.arena.defaults import BOARD, PAIRS, PLIES, SPRT_PAIRS
from knightfall.arena.openings import (
    OpeningError,
    all_openings,
    balanced_openings,
    checked_openings,
    draw_openings,
    read_openings,
)
from knightfall.arena.plan import PlanError
from knightfall.arena.request import Request
from knightfall.rules import Geometry, Position
from knightfall.rules.formatting import plural


def choose_openings(request: Request) -> tuple[list[Position], str]:
    """Return the openings of a request and a description of their source."""
    geometry = Geometry.parse(request.board) if isinstance(request.board, str) else request.board
    _check_options(request)
    if request.openings == "all":
        return _all_of_two_plies(request, geometry or Geometry.parse(BOARD))
    if request.openings is not None:
        return _given(request, geometry)
    return _drawn(request, geometry or Geometry.parse(BOARD))


def _check_options(request: Request) -> None:
    """Raise PlanError if options of the request contradict each other."""
    if request.balanced and request.openings is not None:
        raise PlanError("balanced openings are drawn, not read: --balanced and --openings exclude each other")
    if request.balanced and request.plies != PLIES:
        raise PlanError("balanced openings have two plies: --balanced and --plies exclude each other")
    if request.openings is not None and request.plies != PLIES:
        raise PlanError("--plies is for random openings: --plies and --openings exclude each other")


def _all_of_two_plies(request: Request, board: Geometry) -> tuple[list[Position], str]:
    positions = all_openings(board, request.seed)
    if request.pairs is not None and request.pairs > len(positions):
        available = plural(len(positions), "opening")
        raise OpeningError(f"a {board} board has only {available} of two plies; {request.pairs:,} requested")
    return positions[: request.pairs], "all of two plies" if request.pairs is None else "of two plies"


def _given(request: Request, geometry: Geometry | None) -> tuple[list[Position], str]:
    given = request.openings
    assert given is not None
    if isinstance(given, str | Path):
        positions, where, source = read_openings(Path(given)), str(given), f"from {Path(given).name}"
    else:
        positions, where, source = checked_openings(given), "the openings", "given"
    if geometry is not None and positions[0].geometry != geometry:
        raise OpeningError(f"{where}: its positions are on {positions[0].geometry}, not on {geometry}")
    if request.pairs is not None and request.pairs > len(positions):
        available = plural(len(positions), "position")
        raise OpeningError(f"{where}: it has only {available}; {request.pairs:,} requested")
    return positions[: request.pairs], source


def _drawn(request: Request, board: Geometry) -> tuple[list[Position], str]:
    pairs = request.pairs or (PAIRS if request.sprt is None else SPRT_PAIRS)
    plies = request.plies
    if request.balanced:
        return balanced_openings(board, pairs, request.seed), "balanced, 2 plies"
    if not 0 <= plies < board.size:
        raise PlanError(f"openings have from 0 to {board.size - 1} plies on {board}, not {plies}")
    positions = draw_openings(board, pairs, request.seed, plies)
    longest = max(position.ply for position in positions)
    if longest > plies:
        return positions, f"random, {plies} to {longest} plies"
    return positions, f"random, {plural(plies, 'ply')}"
