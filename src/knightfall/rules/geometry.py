"""The board: its size, the knight's jumps on it, its symmetries, colours and square names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any, ClassVar, TypeVar, overload

from knightfall.rules.errors import KnightfallError

MAX_SQUARES = 128

# In this order the squares that a knight can jump to are ascending: row by row, left to right.
JUMPS = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))

SquareLike = int | str | tuple[int, int]
"""A square in any form that callers may use: its index, its label ("d4"), or its (row, column) from the top left.

Row and column count from 0. :meth:`Geometry.square` converts any of the three forms to the index.
"""

T = TypeVar("T")
BySquare = Mapping[int, T] | Mapping[str, T] | Mapping[tuple[int, int], T]
"""A mapping from squares to values. The squares may have any of the three forms of :data:`SquareLike`."""


@dataclass(frozen=True, slots=True)
class Symmetry:
    """One rotation or reflection of a board. Square ``old`` moves to ``squares[old]``."""

    name: str
    squares: tuple[int, ...]

    def inverse(self) -> Symmetry:
        """Return the symmetry that undoes this one."""
        back = [0] * len(self.squares)
        for old, new in enumerate(self.squares):
            back[new] = old
        return Symmetry(f"inverse of {self.name}" if back != list(self.squares) else self.name, tuple(back))


class Geometry:
    """A board of ``width`` columns and ``height`` rows, 1 to 128 squares. There is one object per size.

    Raise :class:`KnightfallError` if the size is invalid.

    A square is an index, counted row by row from the top left. Methods that take a square also accept its label
    or its (row, column).

    >>> board = Geometry(7, 7)
    >>> board.square("d4"), board.square((3, 3)), board.square(3, 3), board.square(24)
    (24, 24, 24, 24)
    >>> board.coordinates("d4"), board.label(24)
    ((3, 3), 'd4')
    >>> [board.label(square) for square in board.jumps[board.square("a1")]]
    ['b3', 'c2']
    >>> board is Geometry(7, 7)
    True
    """

    width: int
    height: int

    _known: ClassVar[dict[tuple[int, int], Geometry]] = {}

    def __new__(cls, width: int, height: int) -> Geometry:
        known = cls._known.get((width, height))
        if known is not None and type(width) is int and type(height) is int:
            return known
        for name, value in (("width", width), ("height", height)):
            if not isinstance(value, int) or isinstance(value, bool):
                raise KnightfallError(f"bad board: {name} must be a whole number, not {value!r}")
            if value < 1:
                raise KnightfallError(f"bad board: {name} must be at least 1, not {value}")
        if width * height > MAX_SQUARES:
            raise KnightfallError(f"bad board: {width}x{height} has {width * height} squares, more than {MAX_SQUARES}")
        made = super().__new__(cls)
        object.__setattr__(made, "width", width)
        object.__setattr__(made, "height", height)
        # setdefault, so that two threads that create this size at the same time get one object
        return cls._known.setdefault((width, height), made)

    @classmethod
    def parse(cls, text: str) -> Geometry:
        """Return the board written as ``WxH``; raise :class:`KnightfallError` if the text is invalid.

        >>> Geometry.parse("11x9")
        Geometry(11, 9)
        """
        match = re.fullmatch(r"([0-9]{1,6})[xX×]([0-9]{1,6})", text.strip())
        if match is None:
            numbers = re.findall("[0-9]{1,3}", text)[:2]
            meant = "x".join(numbers * 2 if len(numbers) == 1 else numbers)
            hint = f"; did you mean {meant}?" if meant else ", as in 7x7"
            raise KnightfallError(f"bad board: {text!r} is not of the form WxH{hint}")
        return cls(int(match[1]), int(match[2]))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Geometry cannot be changed: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Geometry cannot be changed: {name}")

    def __reduce__(self) -> tuple[type[Geometry], tuple[int, int]]:
        return (Geometry, (self.width, self.height))

    def __repr__(self) -> str:
        return f"Geometry({self.width}, {self.height})"

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"

    @cached_property
    def size(self) -> int:
        """The number of squares."""
        return self.width * self.height

    @overload
    def square(self, where: SquareLike, /) -> int: ...

    @overload
    def square(self, row: int, column: int, /) -> int: ...

    def square(self, where: SquareLike, column: int | None = None, /) -> int:
        """Return the index of a square given by its label, its (row, column), or its index.

        Row and column may also be two arguments. Both count from 0 at the top left. Raise :class:`KnightfallError`
        if the board does not have this square.
        """
        if column is not None:
            return self._at((where, column))
        if type(where) is int and 0 <= where < self.size:
            return where
        if isinstance(where, str):
            return self.parse_label(where)
        if isinstance(where, tuple | list):
            return self._at(tuple(where))
        square = _whole(where)
        if square is None:
            raise KnightfallError(f"not a square: {where!r:.60}; use a label such as 'd4', (row, column) or an index")
        if not 0 <= square < self.size:
            raise KnightfallError(f"no square {square} on a {self} board; squares are 0 to {self.size - 1}")
        return square

    def _at(self, pair: tuple[object, ...]) -> int:
        """Return the index of the square at a (row, column)."""
        row, column = (_whole(part) for part in pair) if len(pair) == 2 else (None, None)
        if row is None or column is None:
            raise KnightfallError(f"not a square: {pair!r:.60}; (row, column) are two whole numbers, as in (3, 3)")
        if not (0 <= row < self.height and 0 <= column < self.width):
            raise KnightfallError(
                f"no square at row {row}, column {column} on a {self} board; "
                f"rows are 0 to {self.height - 1}, columns 0 to {self.width - 1}"
            )
        return row * self.width + column

    def coordinates(self, square: SquareLike) -> tuple[int, int]:
        """Return the (row, column) of a square."""
        if type(square) is not int or not 0 <= square < self.size:
            square = self.square(square)
        return divmod(square, self.width)

    def check(self, square: SquareLike) -> None:
        """Raise :class:`KnightfallError` if the board does not have this square."""
        self.square(square)

    def label(self, square: SquareLike) -> str:
        """Return the square's label: a letter for the column and a number counted from the bottom row.

        Columns after the 26th have two letters, as in a spreadsheet.
        """
        if type(square) is not int or not 0 <= square < self.size:
            square = self.square(square)
        return self._labels[square]

    def labels(self, squares: Iterable[SquareLike]) -> list[str]:
        """Return the labels of several squares."""
        return [self.label(square) for square in squares]

    def by_index(self, values: BySquare[T]) -> dict[int, T]:
        """Return the same mapping with indices as keys.

        >>> Geometry(7, 7).by_index({"d4": "good", "a1": "bad"})
        {24: 'good', 42: 'bad'}
        """
        items: Iterable[tuple[Any, T]] = values.items()
        return {self.square(square): value for square, value in items}

    def parse_label(self, text: str) -> int:
        """Return the index of the square with this label; raise :class:`KnightfallError` if not found."""
        square = self._squares_by_label.get(text.strip().lower())
        if square is None:
            corners = f"{self._labels[-self.width]} to {self._labels[self.width - 1]}"
            raise KnightfallError(f"no square {text.strip()!r:.60} on a {self} board; squares are {corners}")
        return square

    def column_label(self, column: int) -> str:
        """Return the letters of a column: a … z, aa, ab …"""
        if column < 26:
            return chr(ord("a") + column)
        return chr(ord("a") + column // 26 - 1) + chr(ord("a") + column % 26)

    def colour(self, square: SquareLike) -> int:
        """Return the colour of a square, 0 or 1.

        A knight's jump always changes the colour. The top left square has colour 0.
        """
        row, column = self.coordinates(square)
        return (row + column) % 2

    @cached_property
    def jumps(self) -> tuple[tuple[int, ...], ...]:
        """For each square, the squares a knight's jump away in ascending order."""
        return tuple(
            tuple(
                (row + down) * self.width + column + right
                for down, right in JUMPS
                if 0 <= row + down < self.height and 0 <= column + right < self.width
            )
            for row in range(self.height)
            for column in range(self.width)
        )

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """The 8 symmetries of a square board or the 4 of any other board. The identity comes first.

        On boards that are one square wide, some of them are the same permutation. The tuple still contains all of them.
        """
        last_row, last_column = self.height - 1, self.width - 1

        def symmetry(name: str, image: Callable[[int, int], tuple[int, int]]) -> Symmetry:
            squares = []
            for square in range(self.size):
                row, column = image(*divmod(square, self.width))
                squares.append(row * self.width + column)
            return Symmetry(name, tuple(squares))

        found = [
            symmetry("identity", lambda r, c: (r, c)),
            symmetry("half turn", lambda r, c: (last_row - r, last_column - c)),
            symmetry("mirror left-right", lambda r, c: (r, last_column - c)),
            symmetry("mirror top-bottom", lambda r, c: (last_row - r, c)),
        ]
        if self.width == self.height:
            found += [
                symmetry("quarter turn right", lambda r, c: (c, last_row - r)),
                symmetry("quarter turn left", lambda r, c: (last_column - c, r)),
                symmetry("main diagonal", lambda r, c: (c, r)),
                symmetry("other diagonal", lambda r, c: (last_column - c, last_row - r)),
            ]
        return tuple(found)

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        return tuple(
            f"{self.column_label(column)}{self.height - row}"
            for row in range(self.height)
            for column in range(self.width)
        )

    @cached_property
    def _squares_by_label(self) -> dict[str, int]:
        return {label: square for square, label in enumerate(self._labels)}


def _whole(value: object) -> int | None:
    """Return an integer of any type as an int; return None for any other value, including a bool."""
    if isinstance(value, bool):
        return None
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        return None
