"""The games section: a few games to step through."""

from __future__ import annotations

from collections.abc import Sequence

from knightfall.arena.results import Results
from knightfall.reporting.document import Board, Section, Text
from knightfall.reporting.output.boards import board, notable


def game_section(many: Sequence[Results], favourites: Sequence[str], db: str) -> Section | None:
    """Return the section, or None if no game is notable."""
    found: list[Board] = [board(game, db) for game in notable(many, favourites)]
    if not found:
        return None
    text = (
        "Each board shows the end of a game; the numbers tell in which order squares were used, light ones by the "
        "first player, dark ones by the second, a dot those of the opening. Buttons, or the arrow keys, go through "
        "the moves."
    )
    return Section("games", "Games worth a look", (Text(text), *found))
