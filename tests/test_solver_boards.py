"""What is known about whole boards, and the mirror argument."""

from __future__ import annotations

import pytest
from brute_force import brute, reachable
from hypothesis import given, settings
from hypothesis import strategies as st
from solvers import solver_of

import knightfall as kf
from knightfall.rules import Geometry, Position
from knightfall.rules.theory import mirror_verdict


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
