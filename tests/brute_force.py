"""Exact values of positions from all lines of play, in plain Python over the rules, without compiled code.

It shares nothing with the solver except the rules. Sets of squares are integers, for speed: thousands of positions
with twenty empty squares have millions of successors.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from knightfall.rules import Geometry, Position

_FORGET_AT = 3_000_000  # maximum number of lengths to keep per board: a few hundred megabytes


@dataclass(frozen=True)
class Truth:
    """The exact values of a position."""

    won: bool
    winning: tuple[int, ...]
    distance: int
    distances: dict[int, int]
    """The number of plies until the end for each move, including that move."""


class Brute:
    """All lines of play on one board."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self._jumps = [sum(1 << to for to in squares) for squares in geometry.jumps]
        self._lengths: dict[int, int] = {}

    def truth(self, position: Position) -> Truth:
        """Return the exact values of a position with both knights on the board."""
        assert position.geometry == self.geometry
        mover, other = _knights(position)
        if len(self._lengths) > _FORGET_AT:
            self._lengths.clear()
        empty = (1 << self.geometry.size) - 1 & ~position.used_bits
        after = {square: self._length(empty & ~(1 << square), other, square) for square in position.legal_moves()}
        length = self._length(empty, mover, other)
        # The loser is the player who is stuck, so the winner makes the last move: the parity of the length decides
        # who wins.
        winning = tuple(square for square, plies in after.items() if plies % 2 == 0)
        return Truth(length % 2 == 1, winning, length, {square: plies + 1 for square, plies in after.items()})

    def wins(self, position: Position) -> bool:
        """Return whether the player to move wins, with or without placed knights."""
        if None not in position.locations:
            mover, other = _knights(position)
            empty = (1 << self.geometry.size) - 1 & ~position.used_bits
            return self._length(empty, mover, other) % 2 == 1
        return any(not self.wins(position.play(square)) for square in position.legal_moves())

    def _length(self, empty: int, mover: int, other: int) -> int:
        """Return the number of plies until the end, with the quickest win against the longest defence."""
        moves = self._jumps[mover] & empty
        if not moves:
            return 0
        replies = self._jumps[other] & empty
        if not replies & (replies - 1) and not replies & ~moves:
            return 1  # the opponent has no reply, or only one that the mover can take: no win is quicker
        key = (empty << 7 | mover) << 7 | other
        known = self._lengths.get(key)
        if known is not None:
            return known
        quickest, longest = 1000, 0
        while moves:
            square = moves & -moves
            moves ^= square
            length = self._length(empty ^ square, other, square.bit_length() - 1)
            if length & 1:
                if length > longest:
                    longest = length
            elif length < quickest:
                quickest = length
        found = 1 + (quickest if quickest < 1000 else longest)
        self._lengths[key] = found
        return found


def _knights(position: Position) -> tuple[int, int]:
    mover, other = position.location(position.to_move), position.location(3 - position.to_move)
    assert mover is not None
    assert other is not None
    return mover, other


@cache
def brute(geometry: Geometry) -> Brute:
    """Return the brute force of a board. All calls share it and its results."""
    return Brute(geometry)


def reachable(geometry: Geometry) -> Iterator[Position]:
    """Yield every position with both knights placed that is reachable from the empty board, up to symmetry."""
    jumps, half = geometry.jumps, 1 << geometry.size // 2
    # The image of a set is composed of the images of its lower and of its upper half.
    tables = []
    for symmetry in geometry.symmetries[1:]:
        image = symmetry.squares
        low, high = image[: geometry.size // 2], image[geometry.size // 2 :]
        tables.append((image, _images(low), _images(high)))
    shift = geometry.size // 2
    seen = {
        (1 << first | 1 << second, first, second)
        for first in range(geometry.size)
        for second in range(geometry.size)
        if first != second
    }
    waiting = sorted(seen)
    while waiting:
        known = used, first, second = waiting.pop()
        to_move = 1 + used.bit_count() % 2
        if all(
            known <= (low[used & half - 1] | high[used >> shift], image[first], image[second])
            for image, low, high in tables
        ):
            yield Position(geometry, (first, second), used, to_move)
        for square in jumps[first if to_move == 1 else second]:
            if not used >> square & 1:
                after = (used | 1 << square, square, second) if to_move == 1 else (used | 1 << square, first, square)
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)


def _images(squares: tuple[int, ...]) -> list[int]:
    """Return the image of every set of these squares, as integers."""
    found = [0]
    for square in squares:
        found += [bits | 1 << square for bits in found]
    return found


def late(chance: random.Random, geometry: Geometry, most_empty: int) -> Position:
    """Return a position of a random game with few empty squares.

    No player enters a dead end if there is another move.
    """
    while True:
        position = Position.start(geometry)
        fitting = []
        while not position.is_over:
            children = [position.play(square) for square in position.legal_moves()]
            position = chance.choice([c for c in children if c.moves_of(1) and c.moves_of(2)] or children)
            if geometry.size - position.ply <= most_empty:
                fitting.append(position)
        if fitting:
            return chance.choice(fitting)


def scattered(chance: random.Random, geometry: Geometry, empty: int) -> Position:
    """Return a position with empty squares anywhere, either player to move. It need not be reachable."""
    squares = chance.sample(range(geometry.size), geometry.size - empty)
    first, second = squares[:2]
    return Position(geometry, (first, second), sum(1 << square for square in squares), chance.choice((1, 2)))


def mixed_late(count: int, seed: int, geometry: Geometry, most_empty: int) -> list[Position]:
    """Return positions with few empty squares: three of random games for each scattered one."""
    chance = random.Random(seed)
    return [
        scattered(chance, geometry, chance.randint(0, most_empty))
        if number % 4 == 3
        else late(chance, geometry, most_empty)
        for number in range(count)
    ]


def clustered(chance: random.Random, geometry: Geometry, empty: int) -> Position:
    """Return a position of two knights with connected empty squares around them. It need not be reachable.

    On a large board random squares are seldom connected, so games would be too short.
    """
    start = chance.randrange(geometry.size)
    squares = {start}
    while len(squares) < empty + 2:
        squares.add(chance.choice(geometry.jumps[chance.choice(sorted(squares))]))
    first, second = chance.sample(sorted(squares), 2)
    used = ((1 << geometry.size) - 1) & ~sum(1 << square for square in squares - {first, second})
    return Position(geometry, (first, second), used, chance.choice((1, 2)))
