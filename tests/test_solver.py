"""The solver against brute force in plain Python."""

from __future__ import annotations

import random

import pytest
from brute_force import clustered, mixed_late, reachable, scattered
from games import played
from solvers import SEVEN, assert_one_answer, assert_solved, solver_of

from knightfall.rules import Geometry, Position


def test_every_position_of_4x4_and_3x4_is_solved_as_by_brute_force() -> None:
    for size in ((4, 4), (3, 4), (4, 3)):
        geometry = Geometry(*size)
        for position in reachable(geometry):
            assert_one_answer(position, solver_of(geometry))


@pytest.mark.parametrize("size", [(4, 4), (3, 4), (4, 5), (5, 4), (3, 7), (6, 4), (2, 9), (8, 1), (1, 2)])
def test_positions_of_small_boards_are_solved_as_by_brute_force(size: tuple[int, int]) -> None:
    geometry = Geometry(*size)
    for position in mixed_late(120, seed=1, geometry=geometry, most_empty=geometry.size - 2):
        assert_solved(position, solver_of(geometry).solve(position, distance=True))


@pytest.mark.long
@pytest.mark.parametrize("size", [(4, 4)])
def test_every_move_of_every_position_of_4x4_is_solved_as_by_brute_force(size: tuple[int, int]) -> None:
    geometry = Geometry(*size)
    for position in reachable(geometry):
        assert_solved(position, solver_of(geometry).solve(position, distance=True))


@pytest.mark.long
def test_every_position_of_4x5_is_solved_as_by_brute_force() -> None:
    # The winning moves are the moves to positions that are lost, and each of these is asked about by itself here. So
    # it is enough to see for some that the moves are put together in the right way.
    geometry = Geometry(4, 5)
    solver = solver_of(geometry)
    for number, position in enumerate(reachable(geometry)):
        if number % 25 == 0:
            assert_solved(position, solver.solve(position, distance=True))
        else:
            assert_one_answer(position, solver)


@pytest.mark.parametrize(
    ("size", "most_empty", "count"),
    [((5, 5), 20, 150), ((6, 5), 22, 250), ((5, 6), 22, 100), ((7, 7), 22, 300), ((8, 8), 24, 60), ((9, 7), 24, 60)],
)
def test_random_positions_are_solved_as_by_brute_force(size: tuple[int, int], most_empty: int, count: int) -> None:
    geometry = Geometry(*size)
    for position in mixed_late(count, seed=2, geometry=geometry, most_empty=most_empty):
        assert_solved(position, solver_of(geometry).solve(position, distance=True))


@pytest.mark.parametrize("size", [(7, 7), (8, 8), (13, 4)])
def test_positions_in_which_the_empty_squares_hang_together_are_solved_as_by_brute_force(
    size: tuple[int, int],
) -> None:
    chance, geometry = random.Random(3), Geometry(*size)
    for _ in range(60):
        position = clustered(chance, geometry, chance.randint(6, 20))
        assert_solved(position, solver_of(geometry).solve(position, distance=True))


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "most_empty", "count"), [((5, 5), 21, 1_000), ((6, 5), 22, 1_500), ((7, 7), 22, 2_500)]
)
def test_thousands_of_random_positions_are_solved_as_by_brute_force(
    size: tuple[int, int], most_empty: int, count: int
) -> None:
    geometry = Geometry(*size)
    for position in mixed_late(count, seed=4, geometry=geometry, most_empty=most_empty):
        assert_solved(position, solver_of(geometry).solve(position, distance=True))


@pytest.mark.parametrize("size", [(11, 9), (9, 8), (13, 9), (11, 11), (16, 8), (25, 5), (3, 40), (65, 1)])
def test_late_positions_of_wide_boards_are_solved_as_by_brute_force(size: tuple[int, int]) -> None:
    # Sets of more than 64 squares have code of their own, and a table of their own.
    chance, geometry = random.Random(5), Geometry(*size)
    for _ in range(40):
        position = scattered(chance, geometry, chance.randint(0, min(30, geometry.size - 2)))
        assert_solved(position, solver_of(geometry).solve(position, distance=True))
        if geometry.height > 1:
            position = clustered(chance, geometry, chance.randint(6, 18))
            assert_solved(position, solver_of(geometry).solve(position, distance=True))


def test_a_wide_board_with_many_empty_squares_is_solved_as_the_narrow_one_inside_it() -> None:
    # The 7x7 board in a corner of 11x9, all else used: the two kinds of code must agree where brute force is slow.
    chance, wide = random.Random(6), Geometry(11, 9)
    place = [wide.square(*SEVEN.coordinates(square)) for square in range(SEVEN.size)]
    for _ in range(25):
        inner = played(chance, SEVEN, chance.randint(15, 20))
        first, second = inner.locations
        assert first is not None
        assert second is not None
        empty = sum(1 << place[square] for square in range(SEVEN.size) if square not in inner.used)
        used = ((1 << wide.size) - 1) & ~empty
        outer = Position(wide, (place[first], place[second]), used, inner.to_move)
        one = solver_of(SEVEN).solve(inner, distance=True)
        two = solver_of(wide).solve(outer, distance=True)
        assert (one.winner, one.distance) == (two.winner, two.distance)
        assert {place[square]: wins for square, wins in one.moves.items()} == two.moves
        assert {place[square]: length for square, length in one.distances.items()} == two.distances
