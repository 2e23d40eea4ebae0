"""The solver's tables and threads: no answer depends on them; Ctrl-C leaves what was proved."""

from __future__ import annotations

import random
import signal
import sys

import pytest
from brute_force import clustered, late, mixed_late, scattered
from commands import started
from games import played
from solvers import SEVEN, assert_solved, solver_of

import knightfall as kf
from knightfall.native.solve.block import Field
from knightfall.native.solve.solution import Progress
from knightfall.rules import Geometry, Position


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
    assert solver._tables.fact_bits > 12
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
    before = solver._tables.fact_bits
    solver._tables.grow_facts()
    assert solver._tables.fact_bits > before
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
    assert solver._tables.facts is not None
    assert solver._tables.distances is not None
    assert solver._tables.facts.size + solver._tables.distances.size <= memory


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
        output, errors = process.communicate(timeout=900)
        lines = [line for line in output.splitlines() if line != "working"]
        assert lines == ["interrupted None True True", "1 True"], errors
        assert process.returncode == 0
