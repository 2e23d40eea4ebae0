"""The speed of the interpreted board compared with the AIND board in plain Python, as ratios in one run.

    python benchmarks/interpreted_board.py

Both do the same work on the same 64 positions. Each figure is the best of nine alternating rounds, in CPU time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import aind_board
from test_student_idioms import board_of

from knightfall.catalogue.timing import typical_positions
from knightfall.compiler.interpreted import TwinControl, TwinGame

ROUNDS, REPEATS = 9, 40


def in_middle(game: Any, player: Any) -> float:
    """Return a typical student's score: look-ahead, loops, distances."""
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    own = game.get_legal_moves(player)
    opponent = game.get_opponent(player)
    row, column = game.get_player_location(player)
    ahead = sum(len(game.forecast_move(move).get_legal_moves(player)) for move in own)
    return float(ahead - len(game.get_legal_moves(opponent)) - abs(row - 3) - abs(column - 3))


CASES: dict[str, Callable[[Any, Any], Any]] = {
    "get_legal_moves": lambda game, player: game.get_legal_moves(player),
    "forecast_move": lambda game, player: game.forecast_move((3, 3)),
    "move_is_legal": lambda game, player: game.move_is_legal((3, 3)),
    "get_opponent": lambda game, player: game.get_opponent(player),
    "get_blank_spaces": lambda game, player: game.get_blank_spaces(),
    "get_player_location": lambda game, player: game.get_player_location(player),
    "is_loser": lambda game, player: game.is_loser(player),
    "utility": lambda game, player: game.utility(player),
    "copy": lambda game, player: game.copy(),
    "a whole score function": in_middle,
}


def seconds(function: Callable[[Any, Any], Any], games: list[tuple[Any, Any]]) -> float:
    began = time.process_time()
    for _ in range(REPEATS):
        for game, player in games:
            function(game, player)
    return (time.process_time() - began) / REPEATS / len(games)


def main() -> None:
    twins: list[tuple[Any, Any]] = []
    boards: list[tuple[Any, Any]] = []
    players = (aind_board.Player(), aind_board.Player())
    for index, position in enumerate(typical_positions()):
        twin = TwinGame.of(position, TwinControl())
        twins.append((twin, twin.player(1 + index % 2)))
        boards.append((board_of(position, players), players[index % 2]))
    print(f"{'':<24}{'AIND board':>12}{'ours':>12}{'times faster':>14}")
    for name, function in CASES.items():
        rounds = [(seconds(function, boards), seconds(function, twins)) for _ in range(ROUNDS)]
        board, ours = (min(column) for column in zip(*rounds, strict=True))
        print(f"{name:<24}{board * 1e6:>9.2f} µs{ours * 1e6:>9.2f} µs{board / ours:>14.1f}")


if __name__ == "__main__":
    main()
