"""Positions for search tests, and checks of an agent's choice."""

from __future__ import annotations

import math
import random

import knightfall as kf
from knightfall.native.control import DEFAULT_TICKS
from knightfall.rules import Geometry, Position

Facts = tuple[int, float | None, int | None, int, int, tuple[int, ...]]


def facts(choice: kf.Choice) -> Facts:
    """Return all fields of a choice except its seconds, which differ between runs."""
    return choice.square, choice.score, choice.ends_in, choice.depth, choice.nodes, choice.line


def played(chance: random.Random, geometry: Geometry, plies: int) -> Position:
    """Return a position after this many random moves, or the last one before the game is over."""
    position = Position.start(geometry)
    for _ in range(plies):
        after = position.play(chance.choice(position.legal_moves()))
        if after.is_over:
            break
        position = after
    return position


def set_up(chance: random.Random, geometry: Geometry) -> Position:
    """Return an unfinished position with any squares used, knights anywhere, either player to move.

    It need not be reachable.
    """
    while True:
        density = chance.random()
        used = sum(1 << square for square in range(geometry.size) if chance.random() < density)
        first, second = chance.sample(range(geometry.size), 2)
        position = Position(geometry, (first, second), used | 1 << first | 1 << second, chance.choice((1, 2)))
        if not position.is_over:
            return position


def mixed_positions(count: int, seed: int, sizes: tuple[tuple[int, int], ...]) -> list[Position]:
    """Return positions with both knights placed: two thirds from random games at any stage, the others set up."""
    chance = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        geometry = Geometry(*sizes[len(found) % len(sizes)])
        if len(found) % 9 >= 6:
            found.append(set_up(chance, geometry))
            continue
        position = played(chance, geometry, chance.randrange(2, geometry.size))
        if position.ply >= 2:
            found.append(position)
    return found


def symmetric_positions(count: int, seed: int, geometry: Geometry) -> list[Position]:
    """Return unfinished positions that a symmetry of the board maps to themselves.

    The knights are on squares that the symmetry does not move.
    """
    chance = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        image = chance.choice(geometry.symmetries[1:]).squares
        fixed = [square for square in range(geometry.size) if image[square] == square]
        chance.shuffle(fixed)
        knights = fixed[: chance.randrange(3)]
        density = chance.choice((0.0, 0.1, 0.3))
        used = 0
        for square in range(geometry.size):
            if chance.random() < density:
                while not used >> square & 1:  # and all its images
                    used |= 1 << square
                    square = image[square]
        for square in knights:
            used |= 1 << square
        first, second = [*knights, None, None][:2]
        to_move = len(knights) + 1 if len(knights) < 2 else chance.choice((1, 2))
        position = Position(geometry, (first, second), used, to_move)
        if not position.is_over:
            found.append(position)
    return found


def after_line(position: Position, choice: kf.Choice) -> Position:
    """Return the position at the end of the expected line.

    Check that the line begins with the chosen move, and that every move is legal.
    """
    assert choice.line[0] == choice.square
    for square in choice.line:
        position = position.play(square)
    return position


def assert_line_explains_score(position: Position, choice: kf.Choice, heuristic: kf.Heuristic, horizon: str) -> None:
    """Check that the score of a complete line is the value of the position at its end."""
    end = after_line(position, choice)
    assert choice.score is not None
    assert len(choice.line) <= max(choice.depth, 1)
    if choice.ends_in is not None:
        assert len(choice.line) <= choice.ends_in
        if len(choice.line) == choice.ends_in:
            assert choice.score == (math.inf if end.winner == position.to_move else -math.inf)
    elif len(choice.line) == choice.depth:
        assert horizon == "heuristic" or not end.is_over
        value = heuristic.value(end, position.to_move, ticks=DEFAULT_TICKS)
        assert is_same(choice.score, value), (choice, value)


def is_same(a: float | None, b: float | None) -> bool:
    """Return whether two values are equal, except for digits that depend on the order of additions."""
    if a is None or b is None or math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= 1e-9
