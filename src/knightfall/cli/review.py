"""`knightfall review`: what should I have played?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knightfall.cli.common import AsciiOption, JsonOption, draw, print_json
from knightfall.cli.live import LiveLine
from knightfall.cli.scores import labels, plural, side
from knightfall.cli.tournament import DEFAULT_DB, DbOption

if TYPE_CHECKING:
    from knightfall.lab.review import Review, ReviewedMove
    from knightfall.rules import Game

_MARKS = {"gave away": "??", "regained": "!", "kept": "", "lost anyway": "", "unknown": "?"}
_MOST_MS = 1e9


def review(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="Saved game (text or JSON), or a game of the ledger, as in 3/17/1.")
    ],
    ms: Annotated[
        float,
        typer.Option(
            "--ms", metavar="N", help="Milliseconds for each position; what is not solved by then is unknown."
        ),
    ] = 2_000.0,
    distance: Annotated[
        bool, typer.Option("--distance", help="Also count the moves that are left after each move; takes longer.")
    ] = False,
    db: DbOption = DEFAULT_DB,
    ascii: AsciiOption = False,
    json: JsonOption = False,
) -> None:
    """Go through a game move by move: which moves kept a won game, which gave it away, and what would have won."""
    from knightfall.lab.review import review as go_through
    from knightfall.rules import KnightfallError

    if not 0 < ms <= _MOST_MS:
        raise KnightfallError(f"--ms: a number of milliseconds above 0, up to {_MOST_MS:,.0f}, is expected, not {ms:g}")
    played = read_game(game, db)
    if not played.moves:
        raise KnightfallError(f"{game}: there is no move in this game")
    line = LiveLine()
    try:
        found = go_through(
            played, ms, distance=distance, watch=lambda at, total: line.write(f"move {at + 1} of {total}")
        )
    finally:
        line.clear()
    if json:
        print_json("review", review_facts(found))
        return
    for text in review_words(found, ascii):
        print(text)


def read_game(text: str, db: Path) -> Game:
    """A game from a file, or from the ledger by its number."""
    from knightfall.cli.play import read_saved_game

    parts = text.split("/")
    if len(parts) == 3 and all(part.isdigit() for part in parts) and not Path(text).exists():
        from knightfall.arena.game_list import find_game
        from knightfall.arena.ledger import Ledger
        from knightfall.arena.results import game_of

        with Ledger(db, create=False) as ledger:
            found = find_game(ledger, *(int(part) for part in parts))
        return game_of(found.row, found.opening)
    return read_saved_game(Path(text))


def review_words(found: Review, ascii: bool) -> list[str]:
    """The review for people."""
    game = found.game
    geometry = game.opening.geometry
    lines = [f"first: {game.players[0]}, second: {game.players[1]}, from {game.opening.fen()}"]
    lines.append(f"{'':>4} {'player':6} {'move':5} {'grade':12} what would have won")
    for number, move in enumerate(found.moves, start=1):
        told = f"{number:4} {side(move.player):6} {_told(found, move):5} {move.grade:12} {_better(found, move)}"
        lines.append(told.rstrip())
    critical = found.critical
    if critical is not None:
        at = found.moves.index(critical)
        before = list(game.positions())[at]
        marks = dict.fromkeys(critical.winning, "+")
        lines += ["", draw(before, ascii, stream=sys.stdout, marks=marks)]
        told = labels(geometry, critical.winning)
        lines.append(
            f"the critical moment: move {at + 1}, {side(critical.player)} played {geometry.label(critical.square)} "
            f"and gave a won game away; {told} would have won"
        )
    lines.append(_summary(found))
    return lines


def _told(found: Review, move: ReviewedMove) -> str:
    return f"{found.game.opening.geometry.label(move.square)}{_MARKS[move.grade]}"


def _better(found: Review, move: ReviewedMove) -> str:
    label = found.game.opening.geometry.label
    length = "" if move.distance is None else f"over in {plural(move.distance, 'move')}; "
    if move.grade == "gave away":
        return f"{length}{' '.join(label(square) for square in move.winning)}"
    if move.grade in ("kept", "regained") and len(move.winning) < move.choices:
        return f"{length}{len(move.winning)} of {move.choices} moves win"
    return length.rstrip("; ")


def _summary(found: Review) -> str:
    outcome = found.game.outcome
    unknown = sum(move.grade == "unknown" for move in found.moves)
    parts = []
    for player in (1, 2):
        count = sum(move.player == player for move in found.blunders)
        often = {0: "never", 1: "once"}.get(count, f"{count} times")
        parts.append(
            f"{side(player)} {often} gave a won game away"
            if count < 2
            else f"{side(player)} gave a won game away {often}"
        )
    text = "; ".join(parts)
    if outcome is not None and outcome.winner is not None and found.critical is None and not unknown:
        text += f"; {side(3 - outcome.winner)} was lost from the beginning"
    if unknown:
        text += f"; {plural(unknown, 'move')} could not be solved in time"
    return text


def review_facts(found: Review) -> dict[str, Any]:
    """The review for programs."""
    game = found.game
    label = game.opening.geometry.label
    critical = found.critical
    return {
        "players": list(game.players),
        "opening": game.opening.fen(),
        "winner": None if game.outcome is None else game.outcome.winner,
        "reason": None if game.outcome is None else game.outcome.reason,
        "critical_move": None if critical is None else found.moves.index(critical) + 1,
        "moves": [
            {
                "number": number,
                "player": move.player,
                "move": label(move.square),
                "grade": move.grade,
                "wins": move.wins,
                "winning_moves": [label(square) for square in move.winning],
                "choices": move.choices,
                "moves_left": move.distance,
            }
            for number, move in enumerate(found.moves, start=1)
        ],
    }
