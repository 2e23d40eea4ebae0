"""Positions as one line of text, similar to the FEN of chess programs.

The rows come first, from the top, separated by ``/``. In a row, a number is a run of empty squares (``11`` is
eleven), ``N`` is the first player's knight, ``n`` the second player's knight, and ``*`` a used square. A space and
``w`` or ``b`` for the player to move follow. A knight that is not placed yet is absent. Chess programs that play
Joust append ``- - 0 1``; this suffix is accepted and ignored.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from knightfall.rules.errors import FenError
from knightfall.rules.formatting import plural
from knightfall.rules.geometry import MAX_SQUARES, Geometry

_DIGITS = "0123456789"
_SPACE = " \t\r\n"
_JOUST_TAIL = re.compile("- - [0-9]+ [0-9]+")
_ALLOWED = "a number, N, n or *"


class FenParts(NamedTuple):
    """The contents of a position text."""

    geometry: Geometry
    locations: tuple[int | None, int | None]
    used_bits: int
    to_move: int


def write_fen(parts: FenParts) -> str:
    """Return the canonical text of a position, the inverse of :func:`read_fen`."""
    geometry, (first, second), used_bits, to_move = parts
    width = geometry.width
    rows = []
    for row in range(geometry.height):
        begin = row * width
        at = [None if knight is None else knight - begin for knight in (first, second)]
        columns = (None if column is None or not 0 <= column < width else column for column in at)
        rows.append(_row_text(width, used_bits >> begin & (1 << width) - 1, *columns))
    return "/".join(rows) + (" w" if to_move == 1 else " b")


@lru_cache(maxsize=4096)
def _row_text(width: int, used_bits: int, first: int | None, second: int | None) -> str:
    """Return one row from its used columns. Cached, because most rows of many positions are the same."""
    symbols = ("N" if c == first else "n" if c == second else "*" if used_bits >> c & 1 else " " for c in range(width))
    runs = ((symbol, len(list(run))) for symbol, run in groupby(symbols))
    return "".join(str(n) if symbol == " " else symbol * n for symbol, n in runs)


def read_fen(text: str) -> FenParts:
    """Return the contents of a position text; raise :class:`FenError` at the first error."""
    return _Reader(text).read()


class _Reader:
    """Reads one text from left to right and keeps track of the board square that it has reached."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.row = 0
        self.column = 0
        self.width: int | None = None
        self.squares = 0
        self.used: list[tuple[int, int]] = []
        self.knights: dict[str, tuple[int, int]] = {}
        self.knight_at: dict[str, int] = {}

    def fault(self, cause: str, at: int | None = None, square: tuple[int, int] | None = None) -> FenError:
        row, column = square or (self.row, self.column)
        return FenError(cause, row + 1, column + 1, (self.at if at is None else at) + 1)

    def read(self) -> FenParts:
        text = self.text
        if not text.strip(_SPACE):
            raise self.fault("the text is empty")
        while text[self.at] in _SPACE:
            self.at += 1
        while self.at < len(text) and text[self.at] not in _SPACE:
            self._read_item()
        self._end_row()
        assert self.width is not None  # _end_row sets it
        geometry = Geometry(self.width, self.row + 1)
        used_bits = sum(1 << geometry.square(row, column) for row, column in self.used)
        first = self.knights.get("N")
        second = self.knights.get("n")
        self.column = self.width
        to_move = self._read_side()
        return FenParts(
            geometry,
            (first and geometry.square(*first), second and geometry.square(*second)),
            used_bits,
            to_move,
        )

    def _read_item(self) -> None:
        character = self.text[self.at]
        if character == "/":
            self._end_row()
            self.row += 1
            self.column = 0
            self.at += 1
        elif character in _DIGITS:
            self._read_run()
        elif character in "Nn*":
            self._read_used(character)
        elif not character.isascii():
            raise self.fault(f"{character!r} is not ASCII; {_ALLOWED} is expected")
        else:
            raise self.fault(f"unknown character {character!r}; {_ALLOWED} is expected")

    def _read_run(self) -> None:
        start = self.at
        end = start
        while end < len(self.text) and self.text[end] in _DIGITS:
            end += 1
        digits = self.text[start:end]
        if digits[0] == "0":
            raise self.fault("a run of empty squares cannot begin with 0")
        # A number with five digits is too large for any board, so there is no need to convert it.
        self._step(int(digits) if len(digits) < 5 else MAX_SQUARES + 1)
        self.at = end

    def _read_used(self, character: str) -> None:
        square = (self.row, self.column)
        if character in self.knights:
            row, column = self.knights[character]
            raise self.fault(f"a second {character}; the first is at row {row + 1}, column {column + 1}")
        if character != "*":
            self.knights[character] = square
            self.knight_at[character] = self.at
        self._step(1)
        self.used.append(square)
        self.at += 1

    def _step(self, squares: int) -> None:
        if self.width is not None and self.column + squares > self.width:
            raise self.fault(f"this row is wider than the first, which has {plural(self.width, 'square')}")
        if self.squares + squares > MAX_SQUARES:
            raise self.fault(f"the board has more than {MAX_SQUARES} squares")
        self.column += squares
        self.squares += squares

    def _end_row(self) -> None:
        if self.column == 0:
            raise self.fault("this row is empty")
        if self.width is None:
            self.width = self.column
        elif self.column < self.width:
            raise self.fault(f"this row has {plural(self.column, 'square')}, the first has {self.width}")

    def _read_side(self) -> int:
        rest = self.text[self.at :]
        for offset, character in enumerate(rest):
            if not character.isascii():
                raise self.fault(f"{character!r} is not ASCII", self.at + offset)
        fields = rest.split()
        if not fields:
            raise self.fault("the side to move is missing: w or b is expected behind the rows")
        side = fields[0]
        at = self.at + rest.index(side)
        if side not in ("w", "b"):
            raise self.fault(f"the side to move is {_shown(side)}; w or b is expected", at)
        if len(fields) > 1 and not _JOUST_TAIL.fullmatch(" ".join(fields[1:])):
            at += len(side) + self.text[at + len(side) :].index(fields[1])
            raise self.fault(f"unexpected text {_shown(fields[1])} behind the side to move", at)
        if "n" in self.knights and "N" not in self.knights:
            raise self.fault(
                "n is placed although N, which is placed first, is not",
                self.knight_at["n"],
                self.knights["n"],
            )
        if side == "b" and not self.knights:
            raise self.fault("no knight is placed yet, so the first player (w) is to move", at)
        if side == "w" and "n" not in self.knights and "N" in self.knights:
            raise self.fault("n is not placed yet, so the second player (b) is to move", at)
        return 1 if side == "w" else 2


def _shown(text: str) -> str:
    return repr(text if len(text) <= 20 else text[:20] + "…")
