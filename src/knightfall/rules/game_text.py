"""The readable form of a game, similar to the PGN of chess: tags above, then one line per round.

    [First "human"]
    [Second "random"]
    [Date "2026-11-16"]
    [Opening "7/7/7/7/7/7/7 w"]

    1. d4 {seconds=3.2} a1
    2. e6 b3

Braces contain the data about the move before them. A round in which the second player moves first is written
``1. ... a1``. A game without the tags Winner and Reason is unfinished.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from knightfall.rules.errors import FenError, GameError, GameTextError, IllegalMove, KnightfallError
from knightfall.rules.game import LARGEST_SEED, Game, MoveData, Outcome, parse_date
from knightfall.rules.position import Position

TAGS = ("First", "Second", "Date", "Seed", "Opening", "Winner", "Reason")
_WINNERS = {"first": 1, "second": 2, "none": None}
_WINNER_NAMES = {winner: name for name, winner in _WINNERS.items()}

_TAG = re.compile(r'\[([A-Za-z]+) "((?:[^"\\]|\\["\\])*)"\][ \t\r]*')
_TOKEN = re.compile(r"\{[^{}\n]*\}|[^\s{}]+|\S")
_NUMBER = {
    "seconds": re.compile(r"[0-9]{1,30}(\.[0-9]{1,30})?(e[+-]?[0-9]{1,3})?"),
    "nodes": re.compile(r"[0-9]{1,19}"),
    "depth": re.compile(r"[0-9]{1,19}"),
    "score": re.compile(r"-?([0-9]{1,30}(\.[0-9]{1,30})?(e[+-]?[0-9]{1,3})?|inf)"),
}


class _Token(NamedTuple):
    text: str
    line: int
    column: int

    def fail(self, cause: str) -> NoReturn:
        raise GameTextError(cause, self.line, self.column)


def write_game(game: Game) -> str:
    """Return the text of a game, the inverse of :func:`read_game`."""
    tags = {
        "First": game.players[0],
        "Second": game.players[1],
        "Date": None if game.date is None else game.date.isoformat(),
        "Seed": None if game.seed is None else str(game.seed),
        "Opening": game.opening.fen(),
    }
    if game.outcome is not None:
        tags["Winner"] = _WINNER_NAMES[game.outcome.winner]
        tags["Reason"] = game.outcome.reason
    head = [f'[{name} "{_escape(value)}"]\n' for name, value in tags.items() if value is not None]
    return "".join(head) + "\n" + "".join(f"{line}\n" for line in round_lines(game))


def round_lines(game: Game) -> list[str]:
    """Return the moves of a game, one line per round."""
    label = game.opening.geometry.label
    words = []
    for number, square in enumerate(game.moves):
        known = "" if not game.data else " ".join(f"{name}={value!r}" for name, value in game.data[number].known())
        words.append(label(square) + (f" {{{known}}}" if known else ""))
    if words and game.opening.to_move == 2:
        words.insert(0, "...")
    return [f"{at // 2 + 1}. {' '.join(words[at : at + 2])}" for at in range(0, len(words), 2)]


def read_game(text: str) -> Game:
    """Return the game that a text describes; raise :class:`GameTextError` at the first error."""
    lines = text.split("\n")
    tags: dict[str, _Token] = {}
    at = 0
    while at < len(lines) and (not lines[at].strip() or lines[at].startswith("[")):
        if lines[at].strip():
            name, value = _read_tag(lines[at], at + 1)
            if name in tags:
                value.fail(f"a second tag {name}; the first is in line {tags[name].line}")
            tags[name] = value
        at += 1
    if "Opening" not in tags:
        raise GameTextError("the tag Opening is missing", 1, 1)
    opening = _read_opening(tags["Opening"])
    moves, data = _read_moves(lines, at, opening)
    return _build(tags, opening, moves, data)


def _read_tag(line: str, number: int) -> tuple[str, _Token]:
    match = _TAG.fullmatch(line)
    if match is None:
        raise GameTextError('a tag is written [Name "text"], with \\" for a quotation mark', number, 1)
    if match[1] not in TAGS:
        raise GameTextError(f"unknown tag {match[1]!r}; one of {', '.join(TAGS)} is expected", number, 2)
    return match[1], _Token(re.sub(r"\\(.)", r"\1", match[2]), number, match.start(2) + 1)


def _read_opening(tag: _Token) -> Position:
    try:
        return Position.from_fen(tag.text)
    except FenError as error:
        raise GameTextError(str(error), tag.line, tag.column + error.character - 1) from None


def _read_moves(lines: list[str], start: int, opening: Position) -> tuple[list[int], list[MoveData]]:
    position = opening
    moves: list[int] = []
    data: list[MoveData] = []
    slot = 0  # two slots per round; the first one is "..." if the second player begins
    expect_number = True
    for token in _tokens(lines, start):
        if token.text.startswith("{"):
            if not moves or len(data) == len(moves):
                token.fail("data in braces must stand behind a move")
            data.append(_read_data(token))
            continue
        if expect_number:
            if token.text != f"{slot // 2 + 1}.":
                token.fail(f"{_shown(token.text)}: the round number {slot // 2 + 1}. is expected")
            expect_number = False
            continue
        if slot == 0 and opening.to_move == 2:
            if token.text != "...":
                token.fail("the second player begins, so ... is expected in place of the first player's move")
        else:
            data += [MoveData()] * (len(moves) - len(data))
            try:
                square = position.geometry.parse_label(token.text)
                position = position.play(square)
            except IllegalMove as error:
                token.fail(str(error))
            except KnightfallError:
                token.fail(f"{_shown(token.text)} is not a square of a {position.geometry} board")
            moves.append(square)
        slot += 1
        expect_number = slot % 2 == 0
    if not expect_number and slot % 2 == 0:
        raise GameTextError("the round has no move", len(lines), len(lines[-1]) + 1)
    data += [MoveData()] * (len(moves) - len(data))
    return moves, data


def _tokens(lines: list[str], start: int) -> list[_Token]:
    return [
        _Token(match[0], number + 1, match.start() + 1)
        for number in range(start, len(lines))
        for match in _TOKEN.finditer(lines[number])
    ]


def _read_data(token: _Token) -> MoveData:
    known: dict[str, float | int] = {}
    for match in re.finditer(r"\S+", token.text[1:-1]):
        at = token._replace(column=token.column + 1 + match.start())
        name, equals, value = match[0].partition("=")
        if not equals or name not in _NUMBER:
            at.fail(f"{_shown(match[0])}: one of {', '.join(_NUMBER)} is expected, as in depth=7")
        if name in known:
            at.fail(f"a second {name}")
        if not _NUMBER[name].fullmatch(value):
            at.fail(f"{_shown(value)} is no value for {name}")
        known[name] = int(value) if name in ("nodes", "depth") else float(value)
    try:
        return MoveData(**known)  # type: ignore[arg-type]
    except GameError as error:
        token.fail(str(error))


def _build(tags: dict[str, _Token], opening: Position, moves: list[int], data: list[MoveData]) -> Game:
    def value(name: str, default: str) -> str:
        return tags[name].text if name in tags else default

    date = seed = outcome = None
    if "Date" in tags:
        try:
            date = parse_date(tags["Date"].text)
        except GameError as error:
            tags["Date"].fail(str(error))
    if "Seed" in tags:
        seed = _read_seed(tags["Seed"])
    if ("Winner" in tags) != ("Reason" in tags):
        (tags.get("Winner") or tags["Reason"]).fail("the tags Winner and Reason go together")
    if "Winner" in tags:
        if tags["Winner"].text not in _WINNERS:
            tags["Winner"].fail(f"{_shown(tags['Winner'].text)}: first, second or none is expected")
        try:
            outcome = Outcome(_WINNERS[tags["Winner"].text], tags["Reason"].text)
        except GameError as error:
            tags["Reason"].fail(str(error))
    players = (value("First", "?"), value("Second", "?"))
    for name, player in zip(("First", "Second"), players, strict=True):
        if not player.isprintable():
            tags[name].fail(f"a player's name must be printable text, not {_shown(player)}")
    try:
        return Game(opening, tuple(moves), outcome, tuple(data), players, date, seed)
    except GameError as error:
        # All other parts were checked above, so the error is an outcome that contradicts the moves.
        tags["Winner"].fail(str(error))


def _read_seed(tag: _Token) -> int:
    if re.fullmatch("0|[1-9][0-9]{0,19}", tag.text) and int(tag.text) <= LARGEST_SEED:
        return int(tag.text)
    tag.fail(f"{_shown(tag.text)} is not a seed: a whole number from 0 to 2^64 - 1")


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _shown(text: str) -> str:
    return repr(text if len(text) <= 30 else text[:30] + "…")
