"""How a game is displayed: a line about it and its moves in a shell, a table of rounds in a notebook."""

from __future__ import annotations

import textwrap

from knightfall.rules.display import Table, counted, terminal_width
from knightfall.rules.game import Game, MoveData

_SIDES = ("first", "second")
_NO_BREAK = "\N{NO-BREAK SPACE}"  # keeps a round on one line


def game_text(game: Game) -> str:
    """Return the players, the outcome, and the moves by their labels."""
    rounds = [_NO_BREAK.join((f"{number}.", *labels)) for number, labels in enumerate(_rounds(game), start=1)]
    moves = textwrap.fill("  ".join(rounds), terminal_width()).replace(_NO_BREAK, " ")
    return f"{_title(game)}\n{moves}".rstrip()


def game_table(game: Game) -> Table:
    """Return a table with one row per round: both moves and, if they are known, their scores."""
    scores = [_score(data) for data in game.data] or [""] * len(game.moves)
    if game.opening.to_move == 2:
        scores.insert(0, "")
    scores += [""]  # a cell for the second player if the first player made the last move
    rows = []
    for number, labels in enumerate(_rounds(game)):
        first, second = (*labels, "")[:2]
        rows.append((str(number + 1), first, scores[2 * number], second, scores[2 * number + 1]))
    columns = ("round", "first", "score of first", "second", "score of second")
    if not any(scores):
        return Table(_title(game), columns[:2] + columns[3:4], [row[:2] + row[3:4] for row in rows], numbers=("round",))
    return Table(_title(game), columns, rows, numbers=("round",))


def _title(game: Game) -> str:
    first, second = game.players
    opening = game.opening
    names = "" if game.players == ("?", "?") else f"{first} against {second} "
    made = counted(len(game.moves), "move")
    if game.outcome is None:
        end = f"unfinished after {made}, {_SIDES[game.final.to_move - 1]} to move"
    elif game.outcome.winner is None:
        end = f"void after {made} ({game.outcome.reason})"
    else:
        end = f"{_SIDES[game.outcome.winner - 1]} wins after {made} ({game.outcome.reason})"
    return f"{names or 'game '}on {opening.geometry} from {opening.fen()}: {end}"


def _rounds(game: Game) -> list[list[str]]:
    """Return the labels of the moves in pairs. If the second player begins, the first label is "..."."""
    labels = game.opening.geometry.labels(game.moves)
    if game.opening.to_move == 2 and labels:
        labels.insert(0, "...")
    return [labels[at : at + 2] for at in range(0, len(labels), 2)]


def _score(data: MoveData) -> str:
    return "" if data.score is None else f"{data.score + 0.0:+.4g}"
