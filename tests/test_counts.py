"""Published counts of small boards, knights in opposite corners, by brute force over the rules."""

from __future__ import annotations

import pytest

from knightfall.rules import Position


def explore(start: Position) -> dict[Position, bool]:
    """Every position that can be reached, with whether the player to move wins it."""
    wins: dict[Position, bool] = {}

    def visit(position: Position) -> bool:
        if position not in wins:
            # All children are visited, also those behind a winning move.
            children = [visit(position.play(square)) for square in position.legal_moves()]
            wins[position] = not all(children)
        return wins[position]

    visit(start)
    return wins


@pytest.mark.parametrize(
    ("fen", "reached", "terminal"),
    [("N3/4/4/3n w", 521, 154), ("N4/5/5/4n w", 16_211, 4_844), ("N3/4/4/4/3n w", 16_211, 4_844)],
)
def test_positions_from_opposite_corners(fen: str, reached: int, terminal: int) -> None:
    start = Position.from_fen(fen)
    wins = explore(start)
    assert len(wins) == reached
    assert sum(position.is_over for position in wins) == terminal
    assert not wins[start]  # the player to move loses on both boards


def test_won_and_lost_on_4x4() -> None:
    wins = explore(Position.from_fen("N3/4/4/3n w"))
    assert sum(wins.values()) == 234
    assert len(wins) - sum(wins.values()) == 287
