"""The solver against itself: values and distances follow from those of the children, images have one value."""

from __future__ import annotations

import random

import pytest
from games import played
from solvers import SEVEN, solver_of

import knightfall as kf
from knightfall.rules import Position


def played_at_least(chance: random.Random, least: int, most: int) -> Position:
    """A position of random play on 7x7; games that end before the first of these plies do not count."""
    while True:
        position = played(chance, SEVEN, chance.randint(least, most))
        if position.ply >= least:
            return position


def assert_won_if_a_child_is_lost(position: Position, forgetful: bool = True) -> None:
    """A position is asked about in an empty table, its children in one that many others have filled."""
    solver = kf.Solver(position.geometry) if forgetful else solver_of(position.geometry)
    won = solver.verdict(position)
    children = [solver_of(position.geometry).verdict(position.play(square)) for square in position.legal_moves()]
    assert won is (False in children), position
    assert None not in children


def assert_distance_follows(position: Position) -> None:
    """1 + the least over lost children for a winner, 1 + the most over all for a loser, 0 at the end."""
    length = kf.Solver(position.geometry).distance(position)
    solver = solver_of(position.geometry)
    children = [position.play(square) for square in position.legal_moves()]
    told = {child: (solver.verdict(child), solver.distance(child)) for child in children}
    lost = [plies for won, plies in told.values() if not won and plies is not None]
    everything = [plies for _, plies in told.values() if plies is not None]
    assert len(everything) == len(children)
    assert length == (1 + min(lost) if lost else 1 + max(everything) if everything else 0), position


def test_a_position_is_won_exactly_if_a_child_is_lost() -> None:
    chance = random.Random(7)
    for _ in range(200):
        assert_won_if_a_child_is_lost(played_at_least(chance, 8, 30))
    for _ in range(5):
        assert_won_if_a_child_is_lost(played_at_least(chance, 2, 7))


@pytest.mark.long
def test_a_position_is_won_exactly_if_a_child_is_lost_on_thousands() -> None:
    chance = random.Random(8)
    for _ in range(2_000):
        assert_won_if_a_child_is_lost(played_at_least(chance, 8, 30))
    for _ in range(50):
        assert_won_if_a_child_is_lost(played_at_least(chance, 2, 7))


@pytest.mark.long
def test_distances_follow_from_those_of_the_children() -> None:
    chance = random.Random(9)
    for _ in range(60):
        assert_distance_follows(played_at_least(chance, 12, 30))


@pytest.mark.long
def test_distances_follow_from_those_of_the_children_on_hundreds() -> None:
    chance = random.Random(10)
    for _ in range(500):
        assert_distance_follows(played_at_least(chance, 12, 30))


@pytest.mark.long
def test_images_of_a_position_have_one_value() -> None:
    chance = random.Random(11)
    for _ in range(10):
        position = played(chance, SEVEN, chance.randint(14, 22))
        told = set()
        for symmetry in SEVEN.symmetries:
            image = position.transform(symmetry)
            solution = solver_of(SEVEN).solve(image, distance=True)
            back = symmetry.inverse().squares
            told.add((solution.winner, solution.distance, frozenset(back[s] for s in solution.winning_moves)))
        assert len(told) == 1
