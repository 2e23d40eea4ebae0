"""The book, and the solved openings that come with the package."""

from __future__ import annotations

import os
import random
import signal
from functools import cache

import pytest
from brute_force import brute, scattered
from games import played
from solvers import SEVEN, solver_of
from test_tournament_crash import children_of

import knightfall as kf
from knightfall.lab.book import build_book
from knightfall.native.solve.book import Book, book_of, make_book, positions_at, verdicts
from knightfall.native.solve.openings import Openings, openings_of, solve_openings
from knightfall.rules import Geometry, Position


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


def test_workers_that_are_killed_do_not_change_a_book() -> None:
    known = set(children_of(os.getpid()))
    killed: list[int] = []
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        if len(killed) < 2:
            [victim, *_] = set(children_of(os.getpid())) - known - set(killed)
            killed.append(victim)
            os.kill(victim, signal.SIGKILL)

    assert build_book(Geometry(5, 5), 5, 2, progress) == small_book()
    assert len(killed) == 2
    assert told[-1] == (small_book().counts[-1],) * 2
    assert told == sorted(told)


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
