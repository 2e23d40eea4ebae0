"""A game as JSON, the form for programs.

An infinite score is written as text, ``"inf"`` or ``"-inf"``, because JSON has no number for it.
"""

from __future__ import annotations

import json
import math
from typing import Any

from knightfall.rules.errors import FenError, GameError, GameJsonError, KnightfallError
from knightfall.rules.game import Game, MoveData, Outcome, parse_date
from knightfall.rules.position import Position

FORMAT = "knightfall game"
VERSION = 1
_FIELDS = ("format", "version", "players", "date", "seed", "opening", "moves", "outcome")
_MOVE_FIELDS = ("square", "seconds", "nodes", "depth", "score")


def write_game(game: Game, indent: int | None = None) -> str:
    """Return the JSON of a game, the inverse of :func:`read_game`."""
    return json.dumps(to_object(game), indent=indent, ensure_ascii=False, allow_nan=False)


def to_object(game: Game) -> dict[str, Any]:
    """Return a game as dictionaries, lists and plain values that JSON supports."""
    label = game.opening.geometry.label
    moves: list[dict[str, Any]] = [{"square": label(square)} for square in game.moves]
    for move, data in zip(moves, game.data, strict=False):
        for name, value in data.known():
            move[name] = str(value) if math.isinf(value) else value
    return {
        "format": FORMAT,
        "version": VERSION,
        "players": list(game.players),
        "date": None if game.date is None else game.date.isoformat(),
        "seed": game.seed,
        "opening": game.opening.fen(),
        "moves": moves,
        "outcome": game.outcome and {"winner": game.outcome.winner, "reason": game.outcome.reason},
    }


def read_game(text: str) -> Game:
    """Return the game that a JSON text describes; raise :class:`GameJsonError` with the first invalid field."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise GameJsonError(f"not JSON: {error.msg}", f"line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise GameJsonError("nested too deeply", "the text") from None
    except ValueError as error:
        raise GameJsonError(str(error), "the text") from None
    return from_object(value)


def from_object(value: Any) -> Game:
    """Return the game that the parsed values of a JSON text describe."""
    fields = _object(value, "the text", _FIELDS, required=("format", "version", "opening", "moves"))
    if fields["format"] != FORMAT:
        raise GameJsonError(f"{FORMAT!r} is expected, not {_shown(fields['format'])}", "format")
    if fields["version"] != VERSION or isinstance(fields["version"], bool | float):
        raise GameJsonError(f"version {VERSION} is expected, not {_shown(fields['version'])}", "version")
    opening = _read_opening(fields["opening"])
    moves, data = _read_moves(fields["moves"], opening)
    date = None
    if fields.get("date") is not None:
        try:
            date = parse_date(_text(fields["date"], "date"))
        except GameJsonError:
            raise
        except GameError as error:
            raise GameJsonError(str(error), "date") from None
    outcome = _read_outcome(fields.get("outcome"))
    players = _read_players(fields.get("players", ["?", "?"]))
    try:
        return Game(opening, tuple(moves), outcome, tuple(data), players, date, fields.get("seed"))
    except GameError as error:
        raise GameJsonError(str(error), "the game") from None


def _read_opening(value: Any) -> Position:
    try:
        return Position.from_fen(_text(value, "opening"))
    except FenError as error:
        raise GameJsonError(str(error), "opening") from None


def _read_moves(value: Any, opening: Position) -> tuple[list[int], list[MoveData]]:
    if not isinstance(value, list):
        raise GameJsonError(f"a list is expected, not {_shown(value)}", "moves")
    position = opening
    moves, data = [], []
    for number, entry in enumerate(value):
        path = f"moves[{number}]"
        fields = _object(entry, path, _MOVE_FIELDS, required=("square",))
        try:
            square = position.geometry.parse_label(_text(fields.pop("square"), f"{path}.square"))
            position = position.play(square)
            if fields.get("score") in ("inf", "-inf"):
                fields["score"] = float(fields["score"])
            data.append(MoveData(**fields))
        except GameJsonError:
            raise
        except KnightfallError as error:
            raise GameJsonError(str(error), path) from None
        moves.append(square)
    return moves, data


def _read_outcome(value: Any) -> Outcome | None:
    if value is None:
        return None
    fields = _object(value, "outcome", ("winner", "reason"), required=("winner", "reason"))
    try:
        return Outcome(fields["winner"], _text(fields["reason"], "outcome.reason"))
    except GameJsonError:
        raise
    except GameError as error:
        raise GameJsonError(str(error), "outcome") from None


def _read_players(value: Any) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise GameJsonError(f"a list of two names is expected, not {_shown(value)}", "players")
    return _text(value[0], "players[0]"), _text(value[1], "players[1]")


def _object(value: Any, path: str, known: tuple[str, ...], required: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise GameJsonError(f"an object is expected, not {_shown(value)}", path)
    for name in value:
        if name not in known:
            raise GameJsonError(f"unknown field {_shown(name)}", path)
    for name in required:
        if name not in value:
            raise GameJsonError(f"the field {name!r} is missing", path)
    return dict(value)


def _text(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise GameJsonError(f"text is expected, not {_shown(value)}", path)
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _shown(value: Any) -> str:
    shown = json.dumps(value)
    return shown if len(shown) <= 40 else shown[:40] + "…"
