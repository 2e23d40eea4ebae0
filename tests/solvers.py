"""Solvers that tests share, and what a solution must say."""

from __future__ import annotations

from functools import cache

from brute_force import brute

import knightfall as kf
from knightfall.rules import Geometry, Position

SEVEN = Geometry(7, 7)


@cache
def solver_of(geometry: Geometry) -> kf.Solver:
    """One solver for a board in all tests: it remembers, and what it remembers is put to the test too."""
    return kf.Solver(geometry)


def assert_solved(position: Position, solution: kf.Solution) -> None:
    """Everything that a solution with distances says is what brute force says."""
    truth = brute(position.geometry).truth(position)
    assert solution.winner == (position.to_move if truth.won else 3 - position.to_move), position
    assert solution.winning_moves == truth.winning, position
    assert solution.moves == {square: square in truth.winning for square in position.legal_moves()}
    assert solution.is_complete
    assert solution.distance == truth.distance, position
    # A move that gives a win away has no distance: no one is asked about it.
    kept = {square: length for square, length in truth.distances.items() if (square in truth.winning) == truth.won}
    assert solution.distances == kept, position


def assert_one_answer(position: Position, solver: kf.Solver) -> None:
    """The two short questions, which do not look at every move."""
    truth = brute(position.geometry).truth(position)
    assert solver.verdict(position) == truth.won, position
    assert solver.distance(position) == truth.distance, position
