"""The solver against brute force in plain Python, against itself, and against what is known about whole boards."""

from __future__ import annotations

import random
import signal
import sys
from functools import cache
from typing import Any

import numpy as np
import pytest
from brute_force import brute, clustered, late, mixed_late, reachable, scattered
from commands import started
from games import played
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from strategies import positions

import knightfall as kf
from knightfall.native.search.block import block_at
from knightfall.native.solve.block import Field, SolverBlock
from knightfall.native.solve.book import Book, book_of, make_book, positions_at, verdicts
from knightfall.native.solve.facts import find_key, least_bits, scrambled
from knightfall.native.solve.openings import Openings, openings_of, solve_openings
from knightfall.native.solve.solution import Progress, SolverError
from knightfall.native.state import State
from knightfall.rules import Geometry, Position
from knightfall.rules.theory import mirror_verdict

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


# Against brute force


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


# Against itself


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


# Whole boards


@pytest.mark.parametrize("size", [(5, 5), (7, 7)])
def test_the_second_player_wins_from_the_empty_board(size: tuple[int, int]) -> None:
    solution = kf.solve(Position.start(Geometry(*size)))
    assert solution.winner == 2
    assert solution.winning_moves == ()
    assert solution.is_complete
    assert solution.nodes > 0


@pytest.mark.parametrize("size", [(6, 6), (8, 8), (10, 10), (10, 9), (16, 8), (2, 1)])
def test_boards_with_an_even_side_are_solved_by_the_mirror_argument(size: tuple[int, int]) -> None:
    solution = kf.solve(Position.start(Geometry(*size)))
    assert (solution.winner, solution.reason, solution.nodes) == (2, "mirror", 0)
    assert solution.is_complete


@pytest.mark.parametrize("size", [(6, 6), (6, 5), (4, 4), (4, 3), (2, 1), (1, 1), (3, 3)])
def test_small_boards_are_solved_by_search_too(size: tuple[int, int]) -> None:
    start = Position.start(Geometry(*size))
    solution = kf.solve(start, theory=False)
    assert solution.reason == "search"
    if size == (3, 3):  # no knight gets to the centre or away from it: who stands there loses
        assert solution.winner == (1 if brute(start.geometry).wins(start) else 2)
    else:
        assert solution.winner == (1 if size == (1, 1) else 2)
    if start.geometry.size < 16:
        assert {square: brute(start.geometry).wins(start.play(square)) for square in start.legal_moves()} == {
            square: not wins for square, wins in solution.moves.items()
        }


# The mirror argument


def test_the_mirror_argument_is_right_on_every_small_position() -> None:
    told = 0
    for size in ((4, 4), (3, 4), (4, 3), (2, 5), (3, 3), (3, 5)):
        geometry = Geometry(*size)
        for position in reachable(geometry):
            verdict = mirror_verdict(position)
            if verdict is not None:
                told += 1
                assert verdict == brute(geometry).wins(position), position
    assert told > 100


@pytest.mark.long
def test_the_mirror_argument_is_right_on_every_position_of_5x4() -> None:
    geometry = Geometry(5, 4)
    told = [position for position in reachable(geometry) if mirror_verdict(position) is not None]
    assert len(told) > 100
    for position in told:
        assert mirror_verdict(position) == brute(geometry).wins(position)


MIRRORED = [(3, 3), (3, 4), (4, 3), (4, 4), (3, 5), (5, 3), (5, 5), (1, 6), (2, 3)]


@st.composite
def nearly_mirrored(draw: st.DrawFn) -> Position:
    """Positions that a half turn leaves nearly as they are, knights placed or not, of small boards."""
    geometry = Geometry(*draw(st.sampled_from(MIRRORED)))
    last = geometry.size - 1
    used = draw(st.integers(0, (1 << geometry.size) - 1))
    if geometry.size == 25:  # brute force of a board with so many empty squares takes too long
        used |= draw(st.integers(0, (1 << geometry.size) - 1))
    for square in range(geometry.size):
        if used >> square & 1:
            used |= 1 << last - square
    if draw(st.booleans()):
        used ^= 1 << draw(st.integers(0, last))
    if draw(st.booleans()):
        used |= 1 << last // 2
    if geometry.size == 25 and used.bit_count() < 7:
        used |= 0b1111111
    count = draw(st.integers(0, 2))
    if count == 0:
        return Position(geometry, (None, None), used, 1)
    first = draw(st.integers(0, last))
    if count == 1:
        return Position(geometry, (first, None), used | 1 << first, 2)
    second = draw(st.sampled_from([last - first, draw(st.integers(0, last))]))
    if second == first:
        second = (first + 1) % geometry.size
    return Position(geometry, (first, second), used | 1 << first | 1 << second, draw(st.sampled_from((1, 2))))


@settings(max_examples=500, deadline=None)
@given(nearly_mirrored())
def test_the_mirror_argument_is_right_wherever_it_says_something(position: Position) -> None:
    if None in position.locations and position.geometry.size - position.ply > 14:
        return
    verdict = mirror_verdict(position)
    if verdict is not None:
        assert verdict == brute(position.geometry).wins(position)


def test_the_mirror_argument_needs_a_centre_that_is_used() -> None:
    # Knights opposite each other: with the centre free the first to get there breaks the symmetry.
    assert mirror_verdict(Position.from_fen("N4/5/5/5/4n w")) is None
    assert mirror_verdict(Position.from_fen("N4/5/2*2/5/4n w")) is False
    assert mirror_verdict(Position.from_fen("N4/5/2*2/5/5 b")) is True
    # The centre is used by the first knight itself: there is no square opposite it.
    assert mirror_verdict(Position.from_fen("5/5/2N2/5/5 b")) is None


@settings(max_examples=300, deadline=None)
@given(nearly_mirrored())
def test_theory_and_search_give_the_same_answers(position: Position) -> None:
    if position.geometry.size - position.ply > 14:
        return
    solver = solver_of(position.geometry)
    with_it, without = (solver.solve(position, theory=theory) for theory in (True, False))
    assert with_it.winner == without.winner
    assert with_it.moves == without.moves


# Budgets


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
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors[-300:]


def test_a_solution_before_placement_has_no_distance() -> None:
    for position in (Position.start(Geometry(3, 4)), Position.start(Geometry(3, 4)).play(0)):
        solution = kf.solve(position, distance=True)
        assert solution.winner is not None
        assert solution.distance is None


# Tables and threads


def test_a_tiny_table_gives_the_same_answers() -> None:
    chance = random.Random(16)
    tiny = kf.Solver(SEVEN, memory=2**20)
    for ply in (4, 7, 10, 12, 14, 16, 18):
        position = played(chance, SEVEN, ply)
        known, again = (s.solve(position, distance=ply >= 10) for s in (solver_of(SEVEN), tiny))
        assert (known.winner, known.moves) == (again.winner, again.moves)
        assert (known.distance, known.distances) == (again.distance, again.distances)
    # What it proved while its table was overwritten again and again is still right.
    for position in mixed_late(60, seed=17, geometry=SEVEN, most_empty=24):
        assert_solved(position, tiny.solve(position, distance=True))


@pytest.mark.parametrize("size", [(7, 7), (8, 8), (9, 8)])
def test_a_table_that_grew_gives_the_same_answers(size: tuple[int, int]) -> None:
    # A question that fills the first, small table several times over, then ones that brute force can answer.
    chance, geometry = random.Random(18), Geometry(*size)
    solver = kf.Solver(geometry)
    solver.solve(played(chance, geometry, geometry.size // 5), nodes=3_000_000, distance=True)
    assert solver._fact_bits > 12
    assert 0 < solver.state().fill <= 1
    for number in range(60):
        position = (clustered if number % 2 else scattered)(chance, geometry, chance.randint(8, 20))
        assert_solved(position, solver.solve(position, distance=True))


def test_facts_move_into_a_larger_table_without_loss() -> None:
    chance = random.Random(19)
    solver = kf.Solver(SEVEN)
    position = played(chance, SEVEN, 8)
    solver.solve(position)
    stored = sum(block[Field.STORED] for block in solver._blocks)
    before = solver._fact_bits
    solver._grow_facts()
    assert solver._fact_bits > before
    assert solver._blocks[0][Field.STORED] == stored
    # Every answer is in the table: not one node is needed.
    again = solver.solve(position)
    assert again.nodes == 0
    assert again.moves == solver_of(SEVEN).solve(position).moves


@pytest.mark.parametrize(("size", "memory"), [((7, 7), 2**21), ((8, 8), 2**24), ((11, 9), 2**21)])
def test_tables_take_no_more_memory_than_they_may(size: tuple[int, int], memory: int) -> None:
    geometry = Geometry(*size)
    solver = kf.Solver(geometry, memory=memory)
    position = played(random.Random(20), geometry, geometry.size // 4)
    solver.solve(position, distance=True, nodes=3_000_000)
    solver.distance(late(random.Random(20), geometry, geometry.size // 2))
    assert solver._facts is not None
    assert solver._distances is not None
    assert solver._facts.size + solver._distances.size <= memory


@pytest.mark.long
def test_two_threads_give_the_same_answers_as_one() -> None:
    chance = random.Random(21)
    two = kf.Solver(SEVEN, threads=2)
    for number in range(30):
        position = played(chance, SEVEN, 3 + number % 12)
        one = solver_of(SEVEN).solve(position)
        both = two.solve(position)
        assert (one.winner, one.moves) == (both.winner, both.moves)
        assert both.is_complete
    fresh = kf.solve(played(chance, SEVEN, 2), threads=2)
    assert fresh.moves == solver_of(SEVEN).solve(fresh.position).moves


def test_two_threads_keep_to_a_budget_of_nodes() -> None:
    position = played(random.Random(22), SEVEN, 3)
    truth = solver_of(SEVEN).solve(position)
    for nodes in (1, 100, 5_000, *[40_000] * 10):
        solution = kf.solve(position, nodes=nodes, threads=2)
        assert solution.nodes <= nodes
        known = {square: wins for square, wins in solution.moves.items() if wins is not None}
        assert known.items() <= truth.moves.items()


def test_a_long_solve_tells_how_far_it_is() -> None:
    seen: list[Progress] = []
    solution = kf.solve(Position.start(Geometry(9, 9)), ms=2_500, progress=seen.append)
    assert solution.winner is None
    assert len(seen) >= 2
    assert [p.nodes for p in seen] == sorted(p.nodes for p in seen)
    assert seen[-1].nodes <= solution.nodes
    assert all(0 <= p.done <= p.moves == 81 for p in seen)
    assert all(0 <= p.fill <= 1 for p in seen)


def test_a_long_solve_of_many_short_ones_tells_how_far_it_is() -> None:
    # No question about one pair of placements takes half a second; together they take two seconds and more.
    seen: list[Progress] = []
    solution = kf.solve(Position.start(SEVEN), progress=seen.append)
    assert solution.winner == 2
    assert seen or solution.seconds < 1


INTERRUPTED = """
import sys, knightfall as kf
from knightfall.native.solve.solution import Interrupted
threads = int(sys.argv[1])
board = kf.Geometry(9, 7)
solver = kf.Solver(board, threads=threads)
small = kf.Position.from_fen("*n*2/2*2/N*3/5/3*1 w")
known = kf.solve(small, threads=threads).winner
start = kf.Position.start(board).play(0).play(22)
position = start.play(start.legal_moves()[0])
print("ready", flush=True)
try:
    solver.solve(position, progress=lambda progress: print("working", flush=True))
except Interrupted as error:
    told = error.solution
    legal = sorted(told.moves) == sorted(position.legal_moves())
    print("interrupted", told.winner, legal, told.nodes > 0, flush=True)
# The same solver, and then another one.
late = kf.Position.from_fen("N********/*********/2*******/*********/*********/*********/********n w")
print(solver.solve(late, distance=True).distance, kf.solve(small, threads=threads).winner == known, flush=True)
"""


@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_leaves_what_was_proved_and_a_process_that_goes_on(threads: str) -> None:
    with started([sys.executable, "-c", INTERRUPTED, threads]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert process.stdout.readline() == "working\n"
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        lines = [line for line in output.splitlines() if line != "working"]
        assert lines == ["interrupted None True True", "1 True"], errors
        assert process.returncode == 0


# Exact keys


def _scrambled_all(squares: Any) -> Any:
    """What becomes of every number of that many bits."""
    found = np.zeros(1 << squares, np.uint64)
    for word in range(1 << squares):
        found[word] = scrambled(np.uint64(word), squares)
    return found


def _scrambled_each(words: Any, squares: Any) -> Any:
    """What becomes of each of these numbers."""
    found = np.zeros(len(words), np.uint64)
    for at in range(len(words)):
        found[at] = scrambled(words[at], squares)
    return found


def _key(address: Any, state: Any) -> Any:
    """The index and the mark of a position."""
    return find_key(block_at(address), state.empty, state.mover, state.other)


# Compiled as values and not by a decorator: mypy knows nothing of Numba's.
scrambled_all: Any = njit(_scrambled_all)
scrambled_each: Any = njit(_scrambled_each)
key: Any = njit(_key)


@pytest.mark.parametrize("squares", range(2, 19))
def test_no_two_sets_of_a_small_board_are_scrambled_alike(squares: int) -> None:
    found = scrambled_all(squares).tolist()
    assert sorted(found) == list(range(1 << squares))


@pytest.mark.parametrize("squares", [25, 30, 36, 48, 49, 50, 56, 63, 64])
def test_no_two_sets_of_a_large_board_are_scrambled_alike(squares: int) -> None:
    chance = random.Random(squares)
    words = [chance.getrandbits(squares) for _ in range(20_000)]
    # Sets that differ in one square are the likeliest to meet.
    words += [word ^ 1 << chance.randrange(squares) for word in words] + [1 << square for square in range(squares)]
    words += [0, (1 << squares) - 1]
    found = scrambled_each(np.array(words, np.uint64), squares).tolist()
    assert len(set(found)) == len(set(words))
    assert max(found) < 1 << squares
    assert [unscrambled(word, squares) for word in found] == words


def unscrambled(word: int, squares: int) -> int:
    """The word back from what it was scrambled to: that this can be done shows that no two are scrambled alike."""
    mask = (1 << squares) - 1
    for factor in (0xD6E8FEB86659FD93, 0x9E3779B97F4A7C15):
        word = unshifted(word, squares // 2) * pow(factor, -1, 1 << squares) & mask
    return word


def unshifted(word: int, by: int) -> int:
    """The number that, xor itself shifted to the right, gives this one."""
    found = word
    for _ in range(64 // by):
        found = word ^ found >> by
    return found


NARROW = [(7, 7), (8, 8), (5, 5), (3, 4), (9, 7), (64, 1), (2, 1)]


@pytest.mark.parametrize("size", NARROW, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("more", [0, 1, 7])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_index_and_mark_tell_the_position(size: tuple[int, int], more: int, data: st.DataObject) -> None:
    geometry = Geometry(*size)
    bits = least_bits(geometry.size) + more
    block = SolverBlock(geometry)
    block[Field.FACT_BITS] = bits
    position = data.draw(positions(geometry, placed=True))
    state = State.of(position)
    index, mark = key(block.address, state)
    assert 0 <= index < 1 << bits
    assert 0 <= mark < 1 << 58  # six bits of a word are for the verdict
    mover, other = mark >> 6 & 63, mark & 63
    spread = ((mark & 4095) * 0xC2B2AE3D27D4EB4F & (1 << 64) - 1) >> 20
    word = (mark >> 12) << bits | (index ^ spread) & (1 << bits) - 1
    assert (unscrambled(word, geometry.size), mover, other) == (state.low, state.mover, state.other)


@pytest.mark.parametrize("size", NARROW[:4], ids=lambda size: f"{size[0]}x{size[1]}")
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_two_positions_never_share_index_and_mark(size: tuple[int, int], data: st.DataObject) -> None:
    geometry = Geometry(*size)
    block = SolverBlock(geometry)
    block[Field.FACT_BITS] = least_bits(geometry.size)
    position = data.draw(positions(geometry, placed=True))
    first, second = position.locations
    assert first is not None
    assert second is not None
    # The nearest ones: another square used or not, the knights changed about, a knight elsewhere.
    near = {position}
    for square in range(geometry.size):
        if square not in (first, second):
            used = position.used_bits | 1 << square
            near.add(Position(geometry, position.locations, position.used_bits ^ 1 << square, position.to_move))
            near.add(Position(geometry, (square, second), used, position.to_move))
            near.add(Position(geometry, (second, square), used, position.to_move))
    states = [State.of(each) for each in near]
    told = {(state.low, state.mover, state.other) for state in states}
    assert len({key(block.address, state) for state in states}) == len(told)


# The book


def assert_book_is_right(book: Book, position: Position, solver: kf.Solver) -> None:
    """What a book says of a position, if anything, is what the solver proves."""
    told = book.wins(position)
    assert told is None or told == solver.verdict(position), position


@cache
def small_book() -> Book:
    board = Geometry(5, 5)
    last = positions_at(board, 5)
    return make_book(board, last, list(verdicts(last, solver_of(board))))


def test_a_book_of_5x5_says_of_every_position_what_the_solver_says() -> None:
    book, board = small_book(), Geometry(5, 5)
    assert len(book.counts) == 4
    for ply in range(2, 6):
        found = positions_at(board, ply)
        assert len(found) == book.counts[ply - 2]
        for position in found:
            image = position.transform(board.symmetries[len(position.fen()) % 8])
            assert book.wins(position) == book.wins(image) == solver_of(board).verdict(position)
    start = Position.start(board)
    assert book.wins(start) is False
    for square in range(board.size):
        assert book.wins(start.play(square)) is True
    assert book.wins(positions_at(board, 6)[0]) is None
    assert book.wins(Position.start(SEVEN)) is None
    assert Book.from_text(book.to_text()) == book


def test_a_book_says_nothing_wrong_about_positions_that_no_play_leads_to() -> None:
    # Someone may set up a position by hand: with squares used by no one, or with the other player to move.
    book, board, chance = small_book(), Geometry(5, 5), random.Random(23)
    wrong = []
    for _ in range(2_000):
        position = scattered(chance, board, board.size - chance.randint(2, book.plies))
        told = book.wins(position)
        if told is not None and told != solver_of(board).verdict(position):
            wrong.append(position.fen())
    assert not wrong, (len(wrong), wrong[:3])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "x",
        "[]",
        "{}",
        "3",
        '{"format": 2, "board": "5x5", "plies": 6, "counts": []}',
        '{"format": 1, "board": "5by5", "plies": 6, "counts": []}',
        '{"format": 1, "board": "5x5", "plies": "many", "counts": []}',
        '{"format": 1, "board": "5x5", "plies": 6, "counts": 5}',
        '{"format": 1, "board": 5, "plies": 6, "counts": []}',
        '{"format": 1, "board": "5x5", "plies": 6}',
        '{"format": 1, "board": "5x5", "plies": 6, "counts": [1]}\nnothing',
        '{"format": 1, "board": "5x5", "plies": 6, "counts": [1]}\nN5/6/6/5n w',
    ],
)
def test_what_is_no_book_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(kf.KnightfallError) as error:
        Book.from_text(text)
    assert "\n" not in str(error.value)
    assert str(error.value)


def test_the_book_of_7x7_is_right_on_a_random_sample() -> None:
    book = book_of(SEVEN)
    assert book is not None, "src/knightfall/data/book_7x7.txt is missing"
    assert book.plies >= 2
    assert len(book.counts) == book.plies - 1
    assert book.counts[0] == 315
    chance = random.Random(24)
    for number in range(15):
        position = played(chance, SEVEN, 2 + number % (book.plies - 1))
        assert book.wins(position) is not None
        assert_book_is_right(book, position, solver_of(SEVEN))
    for fen in chance.sample(book.exceptions, min(15, len(book.exceptions))):
        position = Position.from_fen(fen)
        assert position.canonical() == position
        assert 2 <= position.ply <= book.plies
        assert book.wins(position) == (position.attacker != position.to_move)
        assert_book_is_right(book, position, solver_of(SEVEN))
    assert book.wins(Position.start(SEVEN)) is False
    assert book.exceptions == tuple(sorted(set(book.exceptions)))


# Openings


@pytest.mark.parametrize(("size", "pairs", "firsts"), [((5, 5), 85, 6), ((6, 6), 165, 6), ((7, 7), 315, 10)])
def test_solved_openings_are_right_on_a_random_sample(size: tuple[int, int], pairs: int, firsts: int) -> None:
    geometry = Geometry(*size)
    openings = openings_of(geometry)
    assert openings is not None, f"src/knightfall/data/openings_{geometry}.json is missing"
    assert set(openings.first_wins) == {(a, b) for a in range(geometry.size) for b in range(geometry.size) if a != b}
    assert len(openings.inequivalent()) == pairs
    assert len({first for first, _ in openings.inequivalent()}) == firsts
    assert openings.winner == 2
    assert Openings.from_text(openings.to_text()) == openings
    for first, second in random.Random(25).sample(openings.inequivalent(), 30):
        position = Position.start(geometry).play(first).play(second)
        assert solver_of(geometry).verdict(position) == openings.first_wins[first, second]
    for first in range(geometry.size):
        for second in openings.winning_replies(first):
            assert not openings.first_wins[first, second]


@pytest.mark.parametrize("size", [(3, 3), (4, 4), (3, 4), (4, 3)])
def test_openings_of_small_boards_are_as_by_brute_force(size: tuple[int, int]) -> None:
    geometry = Geometry(*size)
    done: list[tuple[int, int]] = []
    openings = solve_openings(geometry, progress=lambda now, most: done.append((now, most)))
    assert done[-1] == (len(openings.inequivalent()),) * 2
    start = Position.start(geometry)
    for (first, second), won in openings.first_wins.items():
        assert won == brute(geometry).wins(start.play(first).play(second))
    assert openings.winner == (1 if brute(geometry).wins(start) else 2)


@pytest.mark.parametrize("size", [(2, 2), (2, 1)])
def test_openings_of_the_smallest_boards_are_lost_for_the_first_player(size: tuple[int, int]) -> None:
    openings = solve_openings(Geometry(*size))
    assert not any(openings.first_wins.values())
    assert openings.winner == 2


def test_openings_of_5x5_are_solved_again_as_they_are_shipped() -> None:
    assert solve_openings(Geometry(5, 5)) == openings_of(Geometry(5, 5))
