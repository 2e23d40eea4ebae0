"""The work of `knightfall review`: the moves of a game, graded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from knightfall.arena.game_export import record
from knightfall.arena.game_list import find_game
from knightfall.arena.ledger import Ledger
from knightfall.cli.json_output import print_json
from knightfall.cli.live import LiveLine
from knightfall.cli.run.play import read_saved_game
from knightfall.cli.run.review_text import review_text
from knightfall.lab.exact import Line
from knightfall.lab.review import Review, ReviewedMove
from knightfall.lab.review import review as go_through
from knightfall.rules import Game, KnightfallError
from knightfall.rules.files import file_path

_MOST_MS = 1e9


def review(game: str, ms: float, distance: bool, db: Path, ascii: bool, json: bool) -> None:
    """Run `knightfall review`."""
    if not 0 < ms <= _MOST_MS:
        raise KnightfallError(f"--ms: a number of milliseconds above 0, up to {_MOST_MS:,.0f}, is expected, not {ms:g}")
    played = read_game(game, db)
    if not played.moves:
        raise KnightfallError(f"{game}: there is no move in this game")
    line = LiveLine()
    try:
        found = go_through(
            played, ms, distance=distance, watch=lambda done, total: line.write(f"{done} of {total} moves reviewed")
        )
    finally:
        line.clear()
    if json:
        print_json("review", review_facts(found))
        return
    for text in review_text(found, ascii):
        print(text)


def read_game(text: str, db: Path) -> Game:
    """Return a game from a file, or from the ledger by its id."""
    parts = text.split("/")
    if len(parts) == 3 and all(part.isdigit() for part in parts) and not file_path(text).exists():
        with Ledger(db, create=False) as ledger:
            found = find_game(ledger, *(int(part) for part in parts))
        return record(found)
    return read_saved_game(Path(text))


def review_facts(found: Review) -> dict[str, Any]:
    """Return the review as JSON data."""
    game = found.game
    critical = found.critical
    return {
        "players": list(game.players),
        "opening": game.opening.fen(),
        "winner": None if game.outcome is None else game.outcome.winner,
        "reason": None if game.outcome is None else game.outcome.reason,
        "final_winner": found.final_winner,
        "complete": found.is_complete,
        "critical_move": None if critical is None else found.moves.index(critical) + 1,
        "critical_certain": found.is_critical_certain,
        "moves": [_move_facts(found, number, move) for number, move in enumerate(found.moves, start=1)],
    }


def _move_facts(found: Review, number: int, move: ReviewedMove) -> dict[str, Any]:
    label = found.game.opening.geometry.label
    return {
        "number": number,
        "player": move.player,
        "move": label(move.square),
        "grade": move.grade,
        "was_won": move.was_won,
        "wins": move.wins,
        "complete": move.is_complete,
        "winning_moves": [label(square) for square in move.winning],
        "undecided_moves": [label(square) for square in move.undecided],
        "choices": move.choices,
        "moves_left": move.distance,
        "best_moves_left": move.best_distance,
        "best_moves": [label(square) for square in move.best],
        "cost": move.cost,
        "refutation": None if move.refutation is None else _line_facts(found, move.refutation),
    }


def _line_facts(found: Review, line: Line) -> dict[str, Any]:
    label = found.game.opening.geometry.label
    return {
        "moves": [label(square) for square in line.moves],
        "moves_left": line.length,
        "complete": line.is_whole,
    }
