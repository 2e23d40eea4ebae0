"""Parses the text of an agent: a name, and in brackets values and ``name=value``, separated by commas.

>>> call = parse("alphabeta(central_mobility(peak=5), ms=2)")
>>> call.name, [(argument.name, argument.value) for argument in call.arguments]
('alphabeta', [(None, 'central_mobility(peak=5)'), ('ms', '2')])
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from knightfall.agents.errors import at_character

_NAMED = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*")


@dataclass(frozen=True)
class Argument:
    """One value, with its name if it has one. ``at`` is the index in the whole text where the value begins."""

    name: str | None
    value: str
    at: int


@dataclass(frozen=True)
class Call:
    """The parts of an agent's text. ``at`` is the index where the name begins."""

    text: str
    name: str
    at: int
    arguments: tuple[Argument, ...]


def parse(text: str) -> Call:
    """Parse an agent's text; raise an error that points at the character if it is invalid."""
    stripped = text.strip()
    begin = len(text) - len(text.lstrip())
    if not stripped:
        raise at_character(text, 0, "an agent is expected, as in alphabeta(improved, nodes=5000)")
    name, bracket, _ = stripped.partition("(")
    if not bracket:
        stray = next((at for at, character in enumerate(stripped) if character in ",)="), None)
        if stray is not None:
            raise at_character(text, begin + stray, f"{stripped[stray]!r} is not expected here")
        return Call(text, stripped, begin, ())
    if not name.strip():
        raise at_character(text, begin, "the name of an agent is expected before (")
    return Call(text, name.rstrip(), begin, tuple(_arguments(text, begin + len(name))))


def _arguments(text: str, opening: int) -> list[Argument]:
    """Return the arguments between the bracket at ``opening`` and its closing bracket, which must end the text."""
    depth = 0
    pieces: list[tuple[str, int]] = []
    start = opening + 1
    for at in range(opening, len(text)):
        character = text[at]
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                if text[at + 1 :].strip():
                    follows = at + 1 + len(text[at + 1 :]) - len(text[at + 1 :].lstrip())
                    raise at_character(text, follows, f"nothing is expected behind the last ), not {text[follows]!r}")
                if text[start:at].strip() or pieces:
                    pieces.append((text[start:at], start))
                return [_argument(text, piece, where) for piece, where in pieces]
        elif character == "," and depth == 1:
            pieces.append((text[start:at], start))
            start = at + 1
    raise at_character(text, len(text.rstrip()), ") is expected")


def _argument(text: str, piece: str, at: int) -> Argument:
    if not piece.strip():
        raise at_character(text, at, "a value is missing")
    named = _NAMED.match(piece)
    if named is None:
        return Argument(None, piece.strip(), at + len(piece) - len(piece.lstrip()))
    if not piece[named.end() :].strip():
        raise at_character(text, at + named.end(), f"a value for {named[1]} is missing")
    return Argument(named[1], piece[named.end() :].strip(), at + named.end())
