"""The board as the terminal can show it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TextIO

from knightfall.cli.common import can_show_unicode, wants_colour
from knightfall.rules import Position, draw_text


def draw(
    position: Position,
    ascii: bool,
    *,
    stream: TextIO | None = None,
    last_move: int | None = None,
    dots: Iterable[int] = (),
    marks: Mapping[int, str] | None = None,
) -> str:
    """Return the board as the stream can show it.

    ``dots`` are squares to mark with a dot. ``marks`` contains up to three characters for a square.
    """
    stream = stream or sys.stdout
    plain = ascii or not can_show_unicode(stream)
    all_marks = {**dict.fromkeys(dots, "." if plain else "·"), **(marks or {})}
    return draw_text(position, ascii=plain, colour=wants_colour(stream), last_move=last_move, marks=all_marks)
