"""The interpreted twin: an exact copy of the AIND board in plain Python, with Knightfall's additional methods.

It is used for debugging, for functions that do not compile, and as the reference in tests. The state is a list of
cells, exactly as in AIND. So functions that read or change private members (``_board_state``, ``_active_player``) work
as they did there. The private names of the early generation 1 are also available. A player is a :class:`TwinPlayer` by
default and 1 or 2 in the compiled view; any hashable object works.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from knightfall.native.control import DEFAULT_TICKS, USUAL_MS, OutOfTicks, OutOfTime, work_for
from knightfall.rules import Geometry, Position

Place = tuple[int, int]
_GRACE = 0.001
_DIGITS = bytes.maketrans(b"01", b"\0\1")
_OFFSETS = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))


class Squares(list[Place]):
    """A list of squares with set operations; the result keeps the order of the left operand."""

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
    """The budget of one evaluation; see :mod:`knightfall.native.control`.

    ``problem`` is the first error that the function must not hide. A bare ``except:`` can catch it but not discard it.
    """

    __slots__ = ("_seed", "_state", "deadline", "problem", "score", "ticks", "work")

    def __init__(
        self, ticks: int = DEFAULT_TICKS, seconds: float | None = None, seed: int | Callable[[], int] = 0
    ) -> None:
        self.ticks = ticks
        self.work = work_for(ticks)
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.problem: Exception | None = None
        self.score: Callable[..., Any] | None = None  # the function that is evaluated, available to players as `score`
        self._seed = seed  # computed only when a random number is needed
        self._state: int | None = None

    def fail(self, problem: Exception) -> Exception:
        """Record an error and return it, so that the caller can raise it.

        A recorded error is reported even if the function catches it.
        """
        self.problem = self.problem or problem
        return problem

    def tick(self) -> None:
        """Count one loop iteration or recursive call that might never end."""
        self.work -= 1
        if self.work < 0:
            raise self.fail(OutOfTicks("it does not end: out of ticks"))
        if self.deadline is not None and self.work & 63 == 0 and time.monotonic() > self.deadline + _GRACE:
            raise self.fail(OutOfTime("it does not end: out of time"))

    def out_of_time(self) -> bool:
        """Count one tick; return whether the evaluation should end."""
        self.ticks -= 1
        if self.deadline is not None:
            return time.monotonic() >= self.deadline
        return self.ticks < 0

    def time_left(self) -> float:
        """Return the remaining milliseconds; with a budget of ticks, thousands of ticks."""
        self.ticks -= 1
        if self.deadline is not None:
            return (self.deadline - time.monotonic()) * 1e3
        return self.ticks / 1e3

    def player_time_left(self) -> float:
        """Return the remaining milliseconds for a player; see :func:`knightfall.native.control.player_time_left`."""
        left = self.time_left()
        return left + USUAL_MS if self.deadline is None and left > 0 else left

    def random_word(self) -> int:
        """Return 53 bits of the next number of a generator (splitmix64) that is seeded by the position."""
        mask = (1 << 64) - 1
        state = self._state
        if state is None:
            state = self._seed() if callable(self._seed) else self._seed
        self._state = z = (state + 0x9E3779B97F4A7C15) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return (z ^ (z >> 31)) >> 11


class TwinPlayer(int):
    """Player 1 or 2, with the attributes of AIND's player base class: ``search_depth``, ``time_left``,
    ``TIMER_THRESHOLD``.

    Attributes that a student's own class adds are missing. Accessing one is an error that the function cannot hide,
    because no substitute could have the value it has in that class.
    """

    search_depth = 3
    TIMER_THRESHOLD = 10.0

    @property
    def control(self) -> TwinControl:
        """The budget of this thread's current evaluation; the two player objects are shared by all evaluations."""
        return _evaluation.control

    @property
    def score(self) -> Callable[..., Any] | None:
        """The score function, under the name it has in AIND's players."""
        return self.control.score

    def time_left(self) -> float:
        """Return the remaining milliseconds; with a budget of ticks, AIND's usual time until the ticks are used up."""
        return self.control.player_time_left()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        problem = AttributeError(f"the player has no {name!r}: a heuristic runs without its player class")
        raise self.control.fail(problem)


class _Evaluation(threading.local):
    """The current evaluation of a thread."""

    def __init__(self) -> None:
        self.control = TwinControl()


_evaluation = _Evaluation()
PLAYERS = (TwinPlayer(1), TwinPlayer(2))


class BoardTables:
    """The data that all boards of one size share: squares and jumps by AIND's cell index, row + column · height."""

    def __init__(self, geometry: Geometry) -> None:
        width, height = geometry.width, geometry.height
        self.geometry = geometry
        self.places: list[Place] = [(row, column) for column in range(width) for row in range(height)]
        cell = {place: index for index, place in enumerate(self.places)}
        around = [[(r + dr, c + dc) for dr, dc in _OFFSETS] for r, c in self.places]
        self.jumps = [[(cell[place], place) for place in places if place in cell] for places in around]
        self.cells = [cell[geometry.coordinates(square)] for square in range(geometry.size)]  # cell index by square
        squares = [row * width + column for row, column in self.places]
        self.by_cell: Callable[[bytes], tuple[int, ...]] = (
            itemgetter(*squares) if len(squares) > 1 else lambda bits: (bits[0],)
        )

    def state(self, position: Position) -> list[Any]:
        """Return AIND's list of cells (0 blank, 1 used).

        The last three items are the mover's index (0 or 1) and the cells of players 2 and 1.
        """
        size = self.geometry.size
        bits = format(position.used_bits | 1 << size, "b")[:0:-1].encode()  # binary digits, the first square first
        state: list[Any] = list(self.by_cell(bits.translate(_DIGITS)))
        first, second = position.locations
        state.append(position.to_move - 1)
        state.append(None if second is None else self.cells[second])
        state.append(None if first is None else self.cells[first])
        return state


@lru_cache(maxsize=64)
def tables_of(geometry: Geometry) -> BoardTables:
    """Return the tables of a board; they are created once per size."""
    return BoardTables(geometry)


class TwinGame:
    """AIND's board with identical behaviour, and Knightfall's faster methods.

    It has no ``__getattr__``, because that would slow down every attribute access.
    """

    __slots__ = (
        "_active_player",
        "_board_state",
        "_inactive_player",
        "_places",
        "_player_1",
        "_player_2",
        "_tables",
        "control",
        "height",
        "move_count",
        "width",
    )

    BLANK = 0
    NOT_MOVED = None

    _active_player: Hashable
    _board_state: list[Any]
    _inactive_player: Hashable
    _places: list[Place]
    _player_1: Hashable
    _player_2: Hashable
    _tables: BoardTables
    control: TwinControl
    height: int
    move_count: int
    width: int

    @classmethod
    def of(cls, position: Position, control: TwinControl, players: tuple[Hashable, Hashable] | None = None) -> TwinGame:
        """Return the twin of a position."""
        made = cls.__new__(cls)
        tables = tables_of(position.geometry)
        made._tables, made._places = tables, tables.places
        made.width, made.height = position.geometry.width, position.geometry.height
        first, second = players or PLAYERS
        _evaluation.control = control
        made._player_1, made._player_2 = first, second
        made._active_player, made._inactive_player = (first, second) if position.to_move == 1 else (second, first)
        made._board_state = tables.state(position)
        made.move_count = position.ply
        made.control = control
        return made

    def player(self, number: int) -> Hashable:
        """Return the player object with this number."""
        return self._player_1 if number == 1 else self._player_2

    def _location(self, player: Hashable) -> int | None:
        """Return the cell that a player occupies."""
        # The identity checks come first: they are faster than comparisons, and nearly always sufficient.
        if player is self._player_1:
            return self._board_state[-1]  # type: ignore[no-any-return]
        if player is self._player_2:
            return self._board_state[-2]  # type: ignore[no-any-return]
        if player == self._player_1:
            return self._board_state[-1]  # type: ignore[no-any-return]
        if player == self._player_2:
            return self._board_state[-2]  # type: ignore[no-any-return]
        raise RuntimeError(f"unknown player {player!r}")

    # --- AIND's attributes

    @property
    def active_player(self) -> Hashable:
        return self._active_player

    @property
    def inactive_player(self) -> Hashable:
        return self._inactive_player

    @property
    def __active_player__(self) -> Hashable:
        return self._active_player

    @__active_player__.setter
    def __active_player__(self, player: Hashable) -> None:
        self._active_player = player

    @property
    def __inactive_player__(self) -> Hashable:
        return self._inactive_player

    @__inactive_player__.setter
    def __inactive_player__(self, player: Hashable) -> None:
        self._inactive_player = player

    @property
    def __player_1__(self) -> Hashable:
        return self._player_1

    @property
    def __player_2__(self) -> Hashable:
        return self._player_2

    @property
    def __board_state__(self) -> list[list[int]]:
        """The rows of cells: 0 blank, otherwise used.

        AIND recorded which player had used a cell, which a position does not. So used cells contain 1, except that the
        cell of the second player's knight contains 2.
        """
        state, height = self._board_state, self.height
        rows = [[state[row + column * height] for column in range(self.width)] for row in range(height)]
        if state[-2] is not None:
            rows[state[-2] % height][state[-2] // height] = 2
        return rows

    @property
    def __last_player_move__(self) -> dict[Hashable, Place | None]:
        return {player: self.get_player_location(player) for player in (self._player_1, self._player_2)}

    @property
    def __player_symbols__(self) -> dict[Hashable, int]:
        return {0: 0, self._player_1: 1, self._player_2: 2}

    # --- AIND's methods

    def get_legal_moves(self, player: Hashable = None) -> Squares:
        at = self._location(self._active_player if player is None else player)
        if at is None:
            return self.get_blank_spaces()
        state = self._board_state
        return Squares([place for cell, place in self._tables.jumps[at] if not state[cell]])

    def get_blank_spaces(self) -> Squares:
        return Squares([place for place, used in zip(self._tables.places, self._board_state, strict=False) if not used])

    def _Board__get_moves(self, location: Place | None) -> Squares:  # noqa: N802 - AIND's own name, as Python mangles it
        if location is None:
            return self.get_blank_spaces()
        row, column = location
        return Squares(place for down, right in _OFFSETS if self.move_is_legal(place := (row + down, column + right)))

    __get_moves__ = _Board__get_moves

    def get_opponent(self, player: Hashable) -> Hashable:
        if player is self._active_player:
            return self._inactive_player
        if player is self._inactive_player:
            return self._active_player
        if player == self._active_player:
            return self._inactive_player
        if player == self._inactive_player:
            return self._active_player
        raise RuntimeError(f"unknown player {player!r}")

    def get_player_location(self, player: Hashable) -> Place | None:
        if player is self._player_1:
            at = self._board_state[-1]
        elif player is self._player_2:
            at = self._board_state[-2]
        else:
            at = self._location(player)
        return None if at is None else self._places[at]

    def move_is_legal(self, move: Place) -> bool:
        row, column = move
        return 0 <= row < self.height and 0 <= column < self.width and not self._board_state[row + column * self.height]

    def forecast_move(self, move: Place) -> TwinGame:
        after = self.copy()
        after.apply_move(move)
        return after

    def apply_move(self, move: Place) -> None:
        state = self._board_state
        at = move[0] + move[1] * self.height
        active = self._active_player
        state[-1 if active is self._player_1 or active == self._player_1 else -2] = at
        state[at] = 1
        state[-3] ^= 1
        self._active_player, self._inactive_player = self._inactive_player, self._active_player
        self.move_count += 1

    def copy(self) -> TwinGame:
        new = TwinGame.__new__(TwinGame)
        new._tables, new._places, new.width, new.height = self._tables, self._places, self.width, self.height
        new._player_1, new._player_2 = self._player_1, self._player_2
        new._active_player, new._inactive_player = self._active_player, self._inactive_player
        new._board_state = self._board_state[:]
        new.move_count = self.move_count
        new.control = self.control
        return new

    def __deepcopy__(self, memo: dict[int, Any]) -> TwinGame:
        return self.copy()  # functions compare player objects, so they are not copied

    __copy__ = copy

    def _is_over(self) -> bool:
        """Return whether the active player cannot move."""
        state = self._board_state
        at = self._location(self._active_player)
        if at is None:
            return 0 not in state[: self.width * self.height]
        for cell, _ in self._tables.jumps[at]:  # noqa: SIM110 - a generator would take twice as long
            if not state[cell]:
                return False
        return True

    def is_winner(self, player: Hashable) -> bool:
        return player == self._inactive_player and self._is_over()

    def is_loser(self, player: Hashable) -> bool:
        return player == self._active_player and self._is_over()

    def utility(self, player: Hashable) -> float:
        if not self._is_over():
            return 0.0
        if player == self._inactive_player:
            return float("inf")
        return float("-inf") if player == self._active_player else 0.0

    def hash(self) -> int:
        return hash(str(self._board_state))

    def to_string(self, symbols: Sequence[str] = ("1", "2")) -> str:
        state, height = self._board_state, self.height
        marks = ["-" if used else " " for used in state[: self.width * height]]
        for at, symbol in ((state[-2], symbols[1]), (state[-1], symbols[0])):
            if at is not None:
                marks[at] = symbol
        margin = len(str(height - 1)) + 1
        head = " " * (margin + 3) + "   ".join(map(str, range(self.width))) + "\n\r"
        rows = (
            f"{row:<{margin}} | " + "".join(f"{mark} | " for mark in marks[row::height]) + "\n\r"
            for row in range(height)
        )
        return head + "".join(rows)

    def print_board(self) -> None:
        print(self.to_string())

    # --- Knightfall's own methods

    def _free(self, square: int) -> bool:
        return not self._board_state[self._tables.cells[square]]

    def _square(self, player: Hashable) -> int | None:
        at = self._location(player)
        return None if at is None else at % self.height * self.width + at // self.height

    @property
    def geometry(self) -> Geometry:
        """The board's geometry."""
        return self._tables.geometry

    def reach(self, player: Hashable, k: int) -> Squares:
        """Return the squares that a player can reach within its next k moves over empty squares."""
        location = self._square(player)
        reached: set[int] = set()
        edge = set() if location is None else {location}
        for _ in range(k):
            edge = {t for square in edge for t in self.geometry.jumps[square] if self._free(t)} - reached
            if not edge:
                break
            reached |= edge
        return Squares(self.geometry.coordinates(square) for square in sorted(reached))

    def region(self, player: Hashable) -> Squares:
        """Return the squares that a player can reach with any number of moves over currently empty squares."""
        return self.reach(player, self.geometry.size)

    def jumps(self, squares: Place | Squares) -> Squares:
        """Return the squares that are a knight's jump away from one square or any of several, empty or not."""
        found: set[int] = set()
        for row, column in [squares] if isinstance(squares, tuple) else squares:
            if not (0 <= row < self.height and 0 <= column < self.width):
                raise IndexError("the square is not on the board")
            found.update(self.geometry.jumps[row * self.width + column])
        return Squares(self.geometry.coordinates(square) for square in sorted(found))

    def links(self, squares: Squares) -> int:
        """Return the number of knight's jumps between these squares; both directions count as one."""
        return sum(len(self.jumps(square) & squares) for square in squares) // 2

    @property
    def attacker(self) -> Hashable:
        """The player who is to move whenever both knights are on one colour; None until both are placed."""
        first, second = self._square(self._player_1), self._square(self._player_2)
        if first is None or second is None:
            return None
        same = self.geometry.colour(first) == self.geometry.colour(second)
        return self._active_player if same else self._inactive_player

    def colour(self, square: Place) -> int:
        """Return the colour of a square, 0 or 1; a knight's jump always changes it."""
        return (square[0] + square[1]) % 2

    def neighbours(self, square: Place) -> Squares:
        """Return the up to eight squares that touch this square, empty or not."""
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
        """Count one tick; return whether the evaluation should end."""
        return self.control.out_of_time()

    def time_left(self) -> float:
        """Return the remaining milliseconds; with a budget of ticks, thousands of ticks."""
        return self.control.time_left()
