"""Shared solvers, and checks of solutions."""

from __future__ import annotations

from functools import cache

from brute_force import brute

import knightfall as kf
from knightfall.rules import Geometry, Position

SEVEN = Geometry(7, 7)


@cache
def solver_of(geometry: Geometry) -> kf.Solver:
    """Return the solver of a board that all tests share, so that its remembered results are tested, too."""
    return kf.Solver(geometry)


def assert_solved(position: Position, solution: kf.Solution) -> None:
    """Check a whole solution with distances against brute force."""
    truth = brute(position.geometry).truth(position)
    assert solution.winner == (position.to_move if truth.won else 3 - position.to_move), position
    assert solution.winning_moves == truth.winning, position
    assert solution.moves == {square: square in truth.winning for square in position.legal_moves()}
    assert solution.is_complete
    assert solution.distance == truth.distance, position
    # A move that gives a win away has no distance, because the solver does not compute it.
    kept = {square: length for square, length in truth.distances.items() if (square in truth.winning) == truth.won}
    assert solution.distances == kept, position


def assert_one_answer(position: Position, solver: kf.Solver) -> None:
    """Check the two short questions, which do not examine every move."""
    truth = brute(position.geometry).truth(position)
    assert solver.verdict(position) == truth.won, position
    assert solver.distance(position) == truth.distance, position
