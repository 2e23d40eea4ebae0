"""The rules of the game in plain Python, and the reference that everything native is tested against.

Geometry, position, game record, their text forms, and drawing. No third-party import.
"""

from knightfall.rules.errors import (
    FenError,
    GameError,
    GameJsonError,
    GameTextError,
    IllegalMove,
    KnightfallError,
)
from knightfall.rules.game import REASONS, Game, MoveData, Outcome
from knightfall.rules.geometry import MAX_SQUARES, Geometry, SquareLike, Symmetry
from knightfall.rules.position import Player, Position, other_player
from knightfall.rules.svg import draw_svg
from knightfall.rules.terminal import draw_text

__all__ = [
    "MAX_SQUARES",
    "REASONS",
    "FenError",
    "Game",
    "GameError",
    "GameJsonError",
    "GameTextError",
    "Geometry",
    "IllegalMove",
    "KnightfallError",
    "MoveData",
    "Outcome",
    "Player",
    "Position",
    "SquareLike",
    "Symmetry",
    "draw_svg",
    "draw_text",
    "other_player",
]
