"""A position drawn with characters, for terminals."""

from __future__ import annotations

from typing import NamedTuple

from knightfall.rules.geometry import BySquare, SquareLike
from knightfall.rules.position import Position


class _Characters(NamedTuple):
    knights: tuple[str, str]
    used: str
    bar: str
    top: tuple[str, str, str, str]
    between: tuple[str, str, str, str]
    bottom: tuple[str, str, str, str]


_UNICODE = _Characters(("♘", "♞"), "░░░", "│", ("┌", "───", "┬", "┐"), ("├", "───", "┼", "┤"), ("└", "───", "┴", "┘"))
_ASCII_RULE = ("+", "---", "+", "+")
_ASCII = _Characters(("N", "n"), " * ", "|", _ASCII_RULE, _ASCII_RULE, _ASCII_RULE)

_FIRST, _SECOND, _FAINT, _MARKED, _PLAIN = "\x1b[1;36m", "\x1b[1;35m", "\x1b[2m", "\x1b[32m", "\x1b[0m"


def draw_text(
    position: Position,
    *,
    ascii: bool = False,
    colour: bool = False,
    last_move: SquareLike | None = None,
    marks: BySquare[str] | None = None,
) -> str:
    """Return the board as lines of text. The last line says who is to move.

    ``marks`` puts up to three characters on empty squares. The knight that went to ``last_move`` is shown in
    parentheses. Squares are labels, (row, column) pairs or indices. ``ascii`` uses ASCII characters only, and
    ``colour`` adds terminal colours.

    >>> print(draw_text(Position.from_fen("*N2/3n/4 w"), ascii=True))
      +---+---+---+---+
    3 | * | N |   |   |
      +---+---+---+---+
    2 |   |   |   | n |
      +---+---+---+---+
    1 |   |   |   |   |
      +---+---+---+---+
        a   b   c   d
    N first (to move)   n second
    """
    characters = _ASCII if ascii else _UNICODE
    geometry = position.geometry
    marked = geometry.by_index(marks or {})
    last = None if last_move is None else geometry.square(last_move)
    margin = len(str(geometry.height))

    def rule(parts: tuple[str, str, str, str]) -> str:
        left, line, cross, right = parts
        return f"{' ' * margin} {left}{cross.join([line] * geometry.width)}{right}"

    def paint(text: str, code: str) -> str:
        return f"{code}{text}{_PLAIN}" if colour else text

    def cell(square: int) -> str:
        for player in (1, 2):
            if position.location(player) == square:
                knight = characters.knights[player - 1]
                shown = f"({knight})" if square == last else f" {knight} "
                return paint(shown, (_FIRST, _SECOND)[player - 1])
        if position.used_bits >> square & 1:
            return paint(characters.used, _FAINT)
        mark = marked.get(square, "")[:3]
        return paint(mark.center(3), _MARKED) if mark else "   "

    lines = [rule(characters.top)]
    for row in range(geometry.height):
        cells = (cell(geometry.square(row, column)) for column in range(geometry.width))
        bar = characters.bar
        lines.append(f"{geometry.height - row:{margin}} {bar}{bar.join(cells)}{bar}")
        lines.append(rule(characters.between if row + 1 < geometry.height else characters.bottom))
    names = "".join(f" {geometry.column_label(column):^3}" for column in range(geometry.width))
    lines.append(f"{' ' * margin} {names}".rstrip())
    lines.append(_status(position, characters))
    return "\n".join(lines)


def _status(position: Position, characters: _Characters) -> str:
    words = []
    for player, name in ((1, "first"), (2, "second")):
        state = ""
        if position.winner == player:
            state = " (has won)"
        elif position.to_move == player:
            state = " (stuck)" if position.is_over else " (to move)"
        words.append(f"{characters.knights[player - 1]} {name}{state}")
    return "   ".join(words)
