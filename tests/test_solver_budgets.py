"""The solver with budgets: what is proved within them is right."""

from __future__ import annotations

import random
import sys

import pytest
from brute_force import late
from commands import started
from games import played
from solvers import SEVEN, assert_solved, solver_of

import knightfall as kf
from knightfall.native.solve.solution import SolverError
from knightfall.rules import Geometry, Position


def test_a_budget_of_nodes_is_never_exceeded_and_what_is_proved_is_right() -> None:
    chance = random.Random(12)
    undecided = partial = 0
    for ply in (2, 6, 8, 10, 12, 14):
        position = played(chance, SEVEN, ply)
        truth = solver_of(SEVEN).solve(position, distance=ply > 9)
        for nodes in (1, 2, 3, 10, 100, 1_000, 1_023, 1_024, 1_025, 5_000, 30_000, 70_000):
            solution = kf.solve(position, nodes=nodes, distance=ply > 9)
            assert solution.nodes <= nodes
            known = {square: wins for square, wins in solution.moves.items() if wins is not None}
            assert set(solution.moves) == set(position.legal_moves())
            assert known.items() <= truth.moves.items()
            assert solution.winner in (None, truth.winner)
            assert solution.distance in (None, truth.distance)
            assert solution.distances.items() <= truth.distances.items()
            undecided += solution.winner is None
            partial += 0 < len(known) < len(solution.moves)
            if solution.winner is None:
                assert solution.nodes == nodes  # it gave up no earlier than it had to
                assert solution.distance is None
    assert undecided > 5
    assert partial > 2


def test_a_budget_of_time_leaves_what_was_proved() -> None:
    chance = random.Random(13)
    for ply in (2, 4, 8, 12):
        position = played(chance, SEVEN, ply)
        truth = solver_of(SEVEN).solve(position)
        for ms in (0.001, 0.5, 5, 50):
            solution = kf.solve(position, ms=ms)
            known = {square: wins for square, wins in solution.moves.items() if wins is not None}
            assert known.items() <= truth.moves.items()
            assert solution.winner in (None, truth.winner)
    start = kf.solve(Position.start(Geometry(9, 9)), ms=30)
    assert start.winner is None
    assert start.moves == dict.fromkeys(range(81))


def test_what_is_seen_at_once_is_known_whatever_the_budget() -> None:
    # The move to d8 takes the opponent's only way out. No search of the other moves may come before it.
    position = Position.from_fen("1N1*7/11/*1*8/4n6/1*2*6/5*5/3*7/11/11 b")
    assert position.play(14).is_over
    assert kf.solve(position, nodes=1).winner == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_after_an_undecided_question_the_next_answers_are_right(threads: int) -> None:
    # Whatever a search had not finished must not be in the table.
    chance = random.Random(14)
    solver = kf.Solver(SEVEN, threads=threads)
    for number in range(60):
        position = played(chance, SEVEN, chance.randint(3, 12))
        if number % 2:
            solver.solve(position, distance=True, nodes=chance.choice((1, 50, 500, 5_000)))
        else:
            solver.verdict(position, nodes=chance.choice((1, 50, 500, 5_000)))
            solver.distance(position, ms=chance.choice((0.1, 1)))
        after = late(chance, SEVEN, 24)
        assert_solved(after, solver.solve(after, distance=True))
        for square in position.legal_moves()[:2]:
            child = position.play(square)
            if child.ply >= 8:
                assert solver.verdict(child) == solver_of(SEVEN).verdict(child)


def test_a_budget_that_is_none_is_refused_in_one_line() -> None:
    position = played(random.Random(15), SEVEN, 12)
    for bad in ({"ms": 0}, {"ms": -1}, {"ms": float("nan")}, {"nodes": 0}, {"nodes": 1.5}):
        with pytest.raises(SolverError, match=r"^[^\n]+$"):
            kf.solve(position, **bad)
    with pytest.raises(SolverError, match="at least 1,048,576 bytes"):
        kf.solve(position, memory=1000)


def test_a_solver_is_asked_about_its_own_board_only() -> None:
    solver = kf.Solver(SEVEN)
    other = Position.from_fen("N4/5/5/5/4n w")
    for ask in (solver.solve, solver.verdict, solver.distance):
        with pytest.raises(SolverError, match="this solver is for 7x7 boards, not for 5x5"):
            ask(other)


BEFORE_PLACEMENT = """
import knightfall as kf
board = kf.Geometry(3, 4)
for position in (kf.Position.start(board), kf.Position.start(board).play(0)):
    try:
        length = kf.Solver(board).distance(position)
    except kf.KnightfallError:
        continue
    assert length is None or length % 2 == (kf.solve(position).winner == position.to_move), length
"""


def test_a_distance_before_placement_is_refused_or_right() -> None:
    # A knight that is not placed has more moves than a row of the solver's memory holds; what goes wrong there may
    # take the process along, so it is another one.
    with started([sys.executable, "-c", BEFORE_PLACEMENT]) as process:
        _, errors = process.communicate(timeout=900)
        assert process.returncode == 0, errors[-300:]


def test_a_solution_before_placement_has_no_distance() -> None:
    for position in (Position.start(Geometry(3, 4)), Position.start(Geometry(3, 4)).play(0)):
        solution = kf.solve(position, distance=True)
        assert solution.winner is not None
        assert solution.distance is None
