"""A review as text: one row per move, the critical position as a board, and a legend."""

from __future__ import annotations

import sys
import textwrap

from knightfall.cli.run.board import draw
from knightfall.cli.run.scores import labels, side
from knightfall.cli.width import text_width
from knightfall.lab.review import Review, ReviewedMove
from knightfall.rules.formatting import plural

SIGNS = {"gave away": "??", "regained": "!", "kept": "", "lost anyway": "", "unknown": "~"}
"""The sign after a move, by its grade. Unknown moves have ~, because ? would mean a bad move."""

_MEANINGS = {"??": "gave a won game away", "!": "regained a won game", "~": "not decided in time"}
_NARROW = 72  # columns; on narrower terminals details continue further to the left
_SHOWN = 10  # maximum number of moves of a line


def review_text(found: Review, ascii: bool) -> list[str]:
    """Return the lines of a review."""
    game = found.game
    width = text_width()
    lines = _wrapped(f"first: {game.players[0]}, second: {game.players[1]}, from {game.opening.fen()}", width)
    lines.append(f"{'':>4} {'player':6} {'move':5} {'grade':12} details")
    for number, move in enumerate(found.moves, start=1):
        lines += _rows(found, number, move, width)
    lines += _legend(found, width)
    if found.critical is not None:
        lines += ["", *_critical(found, found.critical, ascii, width)]
    return lines + _wrapped("; ".join(_summary(found)), width)


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _rows(found: Review, number: int, move: ReviewedMove, width: int) -> list[str]:
    """Return the lines of one move. Details that do not fit continue below."""
    label = found.game.opening.geometry.label
    head = f"{number:4} {side(move.player):6} {label(move.square) + SIGNS[move.grade]:5} {move.grade:12} "
    indent = " " * (len(head) if width >= _NARROW else 12)
    lines: list[str] = []
    for detail in _details(found, move) or [""]:
        begin = indent if lines else head
        lines += textwrap.wrap(begin + detail, width, subsequent_indent=indent, break_on_hyphens=False)
    return lines


def _details(found: Review, move: ReviewedMove) -> list[str]:
    if move.grade == "gave away":
        return [_winning(found, move, named=True), _refutation(found, move)]
    if move.grade == "lost anyway":
        return [_defence(found, move)]
    if move.grade == "unknown":
        return [_winning(found, move, named=True)]
    parts = [_winning(found, move, named=False), _length(found, move)]
    return [text] if (text := "; ".join(part for part in parts if part)) else []


def _winning(found: Review, move: ReviewedMove, named: bool) -> str:
    """Return how many moves win, and which; "at least" if some are not decided."""
    count, undecided = len(move.winning), len(move.undecided)
    if not undecided and count == move.choices:
        return ""  # every move wins
    if undecided == move.choices:
        return f"none of {plural(move.choices, 'move')} decided"
    if undecided and not count:
        losing = move.choices - undecided
        return (
            f"{undecided} of {plural(move.choices, 'move')} not decided; {losing} {'loses' if losing == 1 else 'lose'}"
        )
    verb = "wins" if count == 1 else "win"
    names = f": {labels(found.game.opening.geometry, move.winning)}" if named and count else ""
    text = f"{'at least ' if undecided else ''}{count} of {plural(move.choices, 'move')} {verb}{names}"
    return f"{text}; {undecided} not decided" if undecided else text


def _length(found: Review, move: ReviewedMove) -> str:
    """Return the length of the win, if it is proved."""
    if move.distance is None:
        return ""
    text = f"{plural(move.distance, 'move')} left"
    if move.cost:
        text += f", {move.best_distance} after {labels(found.game.opening.geometry, move.best)}"
    return text


def _defence(found: Review, move: ReviewedMove) -> str:
    """Return what a move in a lost game cost."""
    if move.distance is None:
        return "moves left: unproved"
    left = f"{plural(move.distance, 'move')} left"
    if move.cost is None:
        return f"{left}; the longest defence is unproved"
    if move.choices == 1:
        return left
    if move.cost == 0:
        return f"{left}, the longest defence"
    best = labels(found.game.opening.geometry, move.best)
    return f"{left}; {plural(move.cost, 'move')} sooner than after {best}"


def _refutation(found: Review, move: ReviewedMove) -> str:
    """Return how the opponent wins after a move that gave the game away."""
    line = move.refutation
    if line is None:
        return "refutation: unproved"
    shown = labels(found.game.opening.geometry, line.moves[:_SHOWN])
    if line.length is None:
        return f"refuted by {shown}; moves left: unproved"
    more = "" if len(line.moves[:_SHOWN]) == line.length else " ..."
    return f"refuted by {shown}{more}; {plural(line.length, 'move')} left"


def _legend(found: Review, width: int) -> list[str]:
    """Return the explanations of the signs and words that occur."""
    signs = dict.fromkeys(SIGNS[move.grade] for move in found.moves)
    lines = _wrapped("   ".join(f"{sign} {text}" for sign, text in _MEANINGS.items() if sign in signs), width)
    if any(move.distance is not None for move in found.moves):
        text = "left: moves of both players until the end, if the winner hurries and the loser delays"
        lines += _wrapped(text, width)
    if any("unproved" in detail for move in found.moves for detail in _details(found, move)):
        text = "unproved: knights not placed, over 40 squares empty (see --distance), or time ended"
        lines += _wrapped(text, width)
    return [line for line in lines if line]


def _critical(found: Review, critical: ReviewedMove, ascii: bool, width: int) -> list[str]:
    """Return the position that decided the game, and the moves that would have won there."""
    geometry = found.game.opening.geometry
    at = found.moves.index(critical)
    marks = {**dict.fromkeys(critical.winning, "+"), **dict.fromkeys(critical.undecided, "~")}
    board = draw(list(found.game.positions())[at], ascii, stream=sys.stdout, marks=marks)
    name = "the critical moment" if found.is_critical_certain else "the last mistake that is proved"
    text = (
        f"{name}: move {at + 1}, {side(critical.player)} played {geometry.label(critical.square)} and gave a won game "
        f"away; {labels(geometry, critical.winning)} (+) would have won"
    )
    if critical.undecided:
        text += f"; {plural(len(critical.undecided), 'other move')} (~) not decided"
    return [board, *_wrapped(text, width)]


def _summary(found: Review) -> list[str]:
    """Return how often each player gave a won game away, and other proved facts about the whole game."""
    parts = [_mistakes(found, player) for player in (1, 2)]
    outcome = found.game.outcome
    if found.lost_from_start is not None:
        parts.append(f"{side(found.lost_from_start)} was lost from the beginning")
    if outcome is None and found.final_winner is not None:
        parts.append(f"the game is not finished: {side(found.final_winner)} wins with best play")
    if outcome is not None and outcome.winner is not None and found.final_winner == 3 - outcome.winner:
        parts.append(f"{side(found.final_winner)} lost in a won position ({outcome.reason})")
    unknown = sum(move.grade == "unknown" for move in found.moves)
    if unknown:
        parts.append(f"{plural(unknown, 'move')} could not be decided in time")
    return parts


def _mistakes(found: Review, player: int) -> str:
    count = sum(move.player == player for move in found.blunders)
    is_known = all(move.grade != "unknown" for move in found.moves if move.player == player)
    if not count:
        return f"{side(player)} never gave a won game away" + ("" if is_known else ", as far as is proved")
    often = "once" if count == 1 else f"{count} times"
    return f"{side(player)} gave a won game away {'' if is_known else 'at least '}{often}"
