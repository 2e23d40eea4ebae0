"""Boards and positions for property tests."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from knightfall.rules import Geometry, Position

SMALL_SIZES = [(width, height) for width in range(1, 12) for height in range(1, 12)]
ODD_SIZES = [(3, 40), (40, 3), (128, 1), (1, 128), (2, 64), (64, 1), (1, 64), (13, 5), (16, 8), (5, 25)]
ALL_SIZES = SMALL_SIZES + ODD_SIZES


def geometries() -> st.SearchStrategy[Geometry]:
    """Generate any board of 1 to 128 squares."""
    return st.integers(1, 128).flatmap(lambda w: st.integers(1, 128 // w).map(lambda h: Geometry(w, h)))


@st.composite
def positions(draw: st.DrawFn, geometry: Geometry | None = None, placed: bool = False) -> Position:
    """Generate any position: few or most squares used, knights placed or not, either player to move."""
    board = geometry if geometry is not None else draw(geometries())
    everything = (1 << board.size) - 1
    used = draw(st.integers(0, everything))
    sparser = draw(st.sampled_from(("as it is", "sparse", "nearly full")))
    if sparser == "sparse":
        used &= draw(st.integers(0, everything))
    elif sparser == "nearly full":
        used |= draw(st.integers(0, everything))
    most = min(2, board.size)
    knights = draw(st.lists(st.integers(0, board.size - 1), min_size=2 if placed else 0, max_size=most, unique=True))
    for square in knights:
        used |= 1 << square
    if len(knights) == 2:
        return Position(board, (knights[0], knights[1]), used, draw(st.sampled_from((1, 2))))
    if len(knights) == 1:
        return Position(board, (knights[0], None), used, 2)
    return Position(board, (None, None), used, 1)


def random_positions(count: int, seed: int) -> list[Position]:
    """Return positions from random games on boards of all sizes, always the same for one seed."""
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        position = Position.start(Geometry(*chance.choice(ALL_SIZES)))
        for _ in range(chance.randrange(position.geometry.size)):
            if not position.is_over:
                position = position.play(chance.choice(position.legal_moves()))
        found.append(position)
    return found


@st.composite
def nearly(draw: st.DrawFn, valid: list[str], pieces: tuple[str, ...]) -> str:
    """Generate a valid string with up to three changes, each of which replaces up to three characters.

    The valid strings come from a fixed list, because generating them piece by piece would take most of the time.
    """
    text = draw(st.sampled_from(valid))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        put = draw(st.sampled_from(pieces) | st.characters())
        text = text[:at] + put + text[at + draw(st.integers(0, 3)) :]
    return text
