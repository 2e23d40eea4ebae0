"""Perft against published counts and against an independent program."""

from __future__ import annotations

import random

import pyffish
import pytest

from knightfall.native.perft import perft
from knightfall.rules import Geometry, Position

JOUST = "8/8/8/4n3/3N4/8/8/8 w - - 0 1"

pyffish.load_variant_config("""
[joust7:joust]
maxRank = 7
maxFile = g
startFen = 7/7/3n3/7/7/2N4/7 w - - 0 1
""")


@pytest.mark.parametrize(("depth", "leaves"), [*enumerate([1, 8, 62, 356, 1992, 8094, 31630, 126500, 485018])])
def test_published_counts_of_the_joust_start(depth: int, leaves: int) -> None:
    assert perft(Position.from_fen(JOUST), depth) == leaves


@pytest.mark.parametrize(
    ("size", "depth", "leaves"),
    [((7, 7), 1, 49), ((7, 7), 2, 49 * 48), ((11, 9), 2, 99 * 98), ((11, 11), 2, 121 * 120)],
)
def test_placements_on_an_empty_board(size: tuple[int, int], depth: int, leaves: int) -> None:
    assert perft(Position.start(Geometry(*size)), depth) == leaves


def random_placed(size: int, chance: random.Random) -> Position:
    """Both knights placed at random, then some random moves."""
    position = Position.start(Geometry(size, size))
    for _ in range(2 + chance.randrange(size * 3)):
        if position.is_over:
            break
        position = position.play(chance.choice(position.legal_moves()))
    return position


def count_with_pyffish(variant: str, fen: str, depth: int) -> int:
    moves = pyffish.legal_moves(variant, fen, [])
    if depth == 1:
        return len(moves)
    return sum(count_with_pyffish(variant, pyffish.get_fen(variant, fen, [move]), depth - 1) for move in moves)


@pytest.mark.parametrize(("size", "variant"), [(8, "joust"), (7, "joust7")])
def test_an_independent_program_agrees(size: int, variant: str) -> None:
    chance = random.Random(size)
    finished = 0
    for _ in range(60):
        position = random_placed(size, chance)
        fen = f"{position.fen()} - - 0 1"
        label = position.geometry.label
        theirs = {move.split(",")[0][2:]: move for move in pyffish.legal_moves(variant, fen, [])}
        assert set(theirs) == {label(square) for square in position.legal_moves()}
        for square in position.legal_moves():
            after = pyffish.get_fen(variant, fen, [theirs[label(square)]])
            assert after.split()[:2] == position.play(square).fen().split()
        assert count_with_pyffish(variant, fen, 3) == perft(position, 3)
        finished += position.is_over
    assert finished > 0
