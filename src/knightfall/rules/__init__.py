"""The rules of the game in plain Python. All native code is tested against this package.

It contains geometry, positions, game records, their text forms, and drawing. It imports no third-party package.
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
