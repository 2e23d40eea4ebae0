"""The interpreted twin: the same game view in plain Python, over a ``Position``.

For debugging, for what will not compile, and as the reference in tests. A player is any hashable token here and the
numbers 1 and 2 in the compiled view; a heuristic cannot tell.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from knightfall.native.control import DEFAULT_TICKS, OutOfTicks, OutOfTime, work_for
from knightfall.rules import Geometry, Position

Place = tuple[int, int]
_GRACE = 0.001


class Squares(list[Place]):
    """A list of squares that also has set arithmetic; the result keeps the left one's order."""

    def __and__(self, other: Iterable[Place]) -> Squares:
        keep = set(other)
        return Squares(place for place in self if place in keep)

    def __sub__(self, other: Iterable[Place]) -> Squares:
        drop = set(other)
        return Squares(place for place in self if place not in drop)

    def __or__(self, other: Iterable[Place]) -> Squares:
        return Squares([*self, *(place for place in other if place not in self)])

    def __xor__(self, other: Iterable[Place]) -> Squares:
        theirs = Squares(other)
        return Squares([*(self - theirs), *(theirs - self)])


class TwinControl:
    """The budget of one evaluation; see :mod:`knightfall.native.control`."""

    def __init__(self, ticks: int = DEFAULT_TICKS, seconds: float | None = None, seed: int = 0) -> None:
        self.ticks = ticks
        self.work = work_for(ticks)
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.random_state = seed

    def tick(self) -> None:
        """Count one round of a loop, or one call of a recursion, that cannot be trusted to end."""
        self.work -= 1
        if self.work < 0:
            raise OutOfTicks("it does not end: out of ticks")
        if self.deadline is not None and self.work & 63 == 0 and time.monotonic() > self.deadline + _GRACE:
            raise OutOfTime("it does not end: out of time")

    def out_of_time(self) -> bool:
        """Whether the evaluation should come to an end."""
        self.ticks -= 1
        if self.deadline is not None:
            return time.monotonic() >= self.deadline
        return self.ticks < 0

    def time_left(self) -> float:
        """Milliseconds left; under a budget of ticks, thousands of ticks."""
        self.ticks -= 1
        if self.deadline is not None:
            return (self.deadline - time.monotonic()) * 1e3
        return self.ticks / 1e3

    def random_word(self) -> int:
        """The next number of a generator that is seeded by the position (splitmix64), 53 bits of it."""
        mask = (1 << 64) - 1
        self.random_state = (self.random_state + 0x9E3779B97F4A7C15) & mask
        z = self.random_state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return (z ^ (z >> 31)) >> 11


@dataclass
class TwinGame:
    """AIND's board, word for word, and faster words of our own."""

    geometry: Geometry
    players: tuple[Hashable, Hashable]
    locations: tuple[int | None, int | None]
    used_bits: int
    active: int
    move_count: int
    control: TwinControl

    @classmethod
    def of(cls, position: Position, control: TwinControl, players: tuple[Hashable, Hashable] = (1, 2)) -> TwinGame:
        """The twin of a position."""
        return cls(
            position.geometry,
            players,
            position.locations,
            position.used_bits,
            position.to_move - 1,
            position.ply,
            control,
        )

    def __getattr__(self, name: str) -> object:
        raise AttributeError(f"the game has no {name!r}")

    def _index(self, player: Hashable) -> int:
        for index in (0, 1):
            if self.players[index] == player:
                return index
        raise RuntimeError(f"unknown player {player!r}")

    # --- AIND's attributes

    @property
    def width(self) -> int:
        return self.geometry.width

    @property
    def height(self) -> int:
        return self.geometry.height

    @property
    def active_player(self) -> Hashable:
        return self.players[self.active]

    @property
    def inactive_player(self) -> Hashable:
        return self.players[1 - self.active]

    _active_player = __active_player__ = active_player
    _inactive_player = __inactive_player__ = inactive_player

    @property
    def _player_1(self) -> Hashable:
        return self.players[0]

    @property
    def _player_2(self) -> Hashable:
        return self.players[1]

    __player_1__ = _player_1
    __player_2__ = _player_2

    # --- AIND's methods

    def _empty(self, square: int) -> bool:
        return not self.used_bits >> square & 1

    def _moves(self, index: int) -> Squares:
        location = self.locations[index]
        if location is None:
            return self.get_blank_spaces()
        coordinates = self.geometry.coordinates
        return Squares(coordinates(square) for square in self.geometry.jumps[location] if self._empty(square))

    def get_legal_moves(self, player: Hashable = None) -> Squares:
        return self._moves(self.active if player is None else self._index(player))

    def get_blank_spaces(self) -> Squares:
        return Squares(
            (row, column)
            for column in range(self.width)
            for row in range(self.height)
            if self._empty(row * self.width + column)
        )

    def get_opponent(self, player: Hashable) -> Hashable:
        return self.players[1 - self._index(player)]

    def get_player_location(self, player: Hashable) -> Place | None:
        square = self.locations[self._index(player)]
        return None if square is None else self.geometry.coordinates(square)

    def move_is_legal(self, move: Place) -> bool:
        row, column = move
        return 0 <= row < self.height and 0 <= column < self.width and self._empty(row * self.width + column)

    def forecast_move(self, move: Place) -> TwinGame:
        after = self.copy()
        after.apply_move(move)
        return after

    def apply_move(self, move: Place) -> None:
        row, column = move
        if not (0 <= row < self.height and 0 <= column < self.width):
            raise IndexError("the move is not on the board")
        square = row * self.width + column
        first, second = self.locations
        self.locations = (square, second) if self.active == 0 else (first, square)
        self.used_bits |= 1 << square
        self.active = 1 - self.active
        self.move_count += 1

    def copy(self) -> TwinGame:
        return replace(self)

    def is_winner(self, player: Hashable) -> bool:
        return player == self.inactive_player and not self._moves(self.active)

    def is_loser(self, player: Hashable) -> bool:
        return player == self.active_player and not self._moves(self.active)

    def utility(self, player: Hashable) -> float:
        if self._moves(self.active):
            return 0.0
        return float("-inf") if player == self.active_player else float("inf")

    # --- our own words

    def reach(self, player: Hashable, k: int) -> Squares:
        """The squares a player can get to within its next 1 … k moves over empty squares."""
        location = self.locations[self._index(player)]
        reached: set[int] = set()
        edge = set() if location is None else {location}
        for _ in range(k):
            edge = {t for square in edge for t in self.geometry.jumps[square] if self._empty(t)} - reached
            if not edge:
                break
            reached |= edge
        return Squares(self.geometry.coordinates(square) for square in sorted(reached))

    def region(self, player: Hashable) -> Squares:
        """The squares a player can ever get to over squares that are empty now."""
        return self.reach(player, self.geometry.size)

    def jumps(self, squares: Place | Squares) -> Squares:
        """The squares that are a knight's jump away from a square, or from one of several, empty or not."""
        found: set[int] = set()
        for row, column in [squares] if isinstance(squares, tuple) else squares:
            if not (0 <= row < self.height and 0 <= column < self.width):
                raise IndexError("the square is not on the board")
            found.update(self.geometry.jumps[row * self.width + column])
        return Squares(self.geometry.coordinates(square) for square in sorted(found))

    def links(self, squares: Squares) -> int:
        """How many jumps there are between two of these squares; there and back is one."""
        return sum(len(self.jumps(square) & squares) for square in squares) // 2

    @property
    def attacker(self) -> Hashable:
        """The player whose turn comes while both knights stand on one colour; None until both are placed."""
        first, second = self.locations
        if first is None or second is None:
            return None
        same = self.geometry.colour(first) == self.geometry.colour(second)
        return self.players[self.active if same else 1 - self.active]

    def colour(self, square: Place) -> int:
        """0 or 1; a knight's jump always changes it."""
        return (square[0] + square[1]) % 2

    def neighbours(self, square: Place) -> Squares:
        """The up to eight squares that touch one, empty or not."""
        row, column = square
        if not (0 <= row < self.height and 0 <= column < self.width):
            raise IndexError("the square is not on the board")
        return Squares(
            (r, c)
            for r in range(max(row - 1, 0), min(row + 2, self.height))
            for c in range(max(column - 1, 0), min(column + 2, self.width))
            if (r, c) != (row, column)
        )

    def out_of_time(self) -> bool:
        """Whether the evaluation should come to an end; counts one tick."""
        return self.control.out_of_time()

    def time_left(self) -> float:
        """Milliseconds left; under a budget of ticks, thousands of ticks."""
        return self.control.time_left()
