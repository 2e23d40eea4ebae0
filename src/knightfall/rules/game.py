"""One game: its opening position, its moves, its outcome, and the data about each move."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from knightfall.rules.display import Displayed, Table
from knightfall.rules.errors import GameError, IllegalMove, KnightfallError
from knightfall.rules.formatting import plural
from knightfall.rules.geometry import SquareLike
from knightfall.rules.position import Player, Position

REASONS = (
    "stuck",
    "timeout",
    "illegal",
    "crash",
    "memory",
    "protocol",
    "startup",
    "resign",
    "infrastructure",
)
"""How a game can end. ``stuck`` is the normal end. After ``infrastructure`` the game is void and nobody loses."""

_LARGEST_COUNT = 2**63 - 1
LARGEST_SEED = 2**64 - 1
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The winner (1 or 2) and the ``reason``, one of :data:`REASONS`. A void game has no winner."""

    winner: Player | None
    reason: str

    def __post_init__(self) -> None:
        if self.reason not in REASONS:
            raise GameError(f"unknown reason {self.reason!r}; one of {', '.join(REASONS)} is expected")
        if (self.winner is None) != (self.reason == "infrastructure"):
            raise GameError(f"the reason {self.reason!r} does not go with the winner {self.winner!r}")
        if self.winner is not None and not (_is_whole(self.winner) and self.winner in (1, 2)):
            raise GameError(f"the winner is 1, 2 or None, not {self.winner!r}")


@dataclass(frozen=True, slots=True)
class MoveData:
    """The data about one move: time in seconds, nodes searched, search depth and score. None means unknown."""

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    score: float | None = None

    def __post_init__(self) -> None:
        for name, count in (("nodes", self.nodes), ("depth", self.depth)):
            if count is not None and not (_is_whole(count) and 0 <= count <= _LARGEST_COUNT):
                raise GameError(f"{name} must be a whole number from 0 to 2^63 - 1, not {count!r}")
        for name, number in (("seconds", self.seconds), ("score", self.score)):
            if number is not None and not (_is_whole(number) or isinstance(number, float)):
                raise GameError(f"{name} must be a number, not {number!r}")
        if self.seconds is not None:
            object.__setattr__(self, "seconds", _as_float("seconds", self.seconds))
            if not 0 <= self.seconds < math.inf:
                raise GameError(f"seconds must be finite and not negative, not {self.seconds!r}")
        if self.score is not None:
            object.__setattr__(self, "score", _as_float("score", self.score))
            if math.isnan(self.score):
                raise GameError("score must be a number, not nan")

    def known(self) -> Iterator[tuple[str, float | int]]:
        """Yield the names and values that are known."""
        for name in MoveData.__slots__:
            value = getattr(self, name)
            if value is not None:
                yield name, value


@dataclass(frozen=True, slots=True, repr=False)
class Game(Displayed):
    """One game from an ``opening``. Immutable. ``outcome`` is None while the game is unfinished.

    ``moves`` are squares; labels and (row, column) pairs are converted to indices. ``data`` has one entry per move,
    or is empty if nothing is known. ``players`` are the names of the first and the second player. ``seed`` is a
    whole number from 0 to 2^64 - 1. Raise :class:`GameError` if the parts contradict each other or the rules.

    >>> from knightfall.rules.geometry import Geometry
    >>> game = Game(Position.start(Geometry(3, 3)), players=("Ann", "Ben")).play("a1").play("b2").play("b3")
    >>> game.outcome
    Outcome(winner=1, reason='stuck')
    >>> game
    Ann against Ben on 3x3 from 3/3/3 w: first wins after 3 moves (stuck)
    1. a1 b2  2. b3
    >>> print(game.to_text())
    [First "Ann"]
    [Second "Ben"]
    [Opening "3/3/3 w"]
    [Winner "first"]
    [Reason "stuck"]
    <BLANKLINE>
    1. a1 b2
    2. b3
    <BLANKLINE>
    >>> Game.from_text(game.to_text()) == game == Game.from_json(game.to_json())
    True
    """

    opening: Position
    moves: tuple[int, ...] = ()
    outcome: Outcome | None = None
    data: tuple[MoveData, ...] = ()
    players: tuple[str, str] = ("?", "?")
    date: datetime.date | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        for name in self.players:
            if not name.isprintable():
                raise GameError(f"a player's name must be printable text, not {name!r}")
        if self.seed is not None and not (_is_whole(self.seed) and 0 <= self.seed <= LARGEST_SEED):
            raise GameError(f"the seed must be a whole number from 0 to 2^64 - 1, not {self.seed!r}")
        if self.data and len(self.data) != len(self.moves):
            raise GameError(
                f"there is data for {plural(len(self.data), 'move')}, but {plural(len(self.moves), 'move')}"
            )
        if all(data == MoveData() for data in self.data):
            object.__setattr__(self, "data", ())
        if type(self.moves) is not tuple or not all(type(square) is int for square in self.moves):
            object.__setattr__(self, "moves", tuple(self._indices()))
        final = self.final
        if final.is_over and self.outcome is None:
            object.__setattr__(self, "outcome", Outcome(final.winner, "stuck"))
        if self.outcome is not None and self.outcome.reason == "stuck" and self.outcome.winner != final.winner:
            found = "can still move" if final.winner is None else "is the one who is stuck"
            raise GameError(
                f"the outcome says that player {self.outcome.winner} has won, the other being stuck, "
                f"but after the last move player {final.to_move} {found}"
            )

    def _indices(self) -> Iterator[int]:
        for number, square in enumerate(self.moves):
            try:
                yield self.opening.geometry.square(square)
            except KnightfallError as error:
                raise GameError(f"move {number + 1}: illegal move: {error}") from None

    def positions(self) -> Iterator[Position]:
        """Yield the opening and the position after each move; raise :class:`GameError` at an illegal move."""
        position = self.opening
        yield position
        for number, square in enumerate(self.moves):
            try:
                position = position.play(square)
            except IllegalMove as error:
                raise GameError(f"move {number + 1}: {error}") from None
            yield position

    @property
    def final(self) -> Position:
        """The position after the last move."""
        final = self.opening
        for position in self.positions():
            final = position
        return final

    def play(self, square: SquareLike, data: MoveData | None = None) -> Game:
        """Return this game with one more move; raise :class:`GameError` if the game is over or the move is illegal."""
        if self.outcome is not None:
            raise GameError(f"the game is over: {self.outcome.reason}")
        known = self.data or tuple(MoveData() for _ in self.moves)
        moves = (*self.moves, cast("int", square))  # __post_init__ converts a label to an index
        return replace(self, moves=moves, data=(*known, data or MoveData()))

    def take_back(self, count: int = 1) -> Game:
        """Return this game without its last ``count`` moves and without an outcome."""
        if not 0 <= count <= len(self.moves):
            raise GameError(f"cannot take back {plural(count, 'move')} of {len(self.moves)}")
        keep = len(self.moves) - count
        return replace(self, moves=self.moves[:keep], data=self.data[:keep], outcome=None)

    def ended(self, winner: Player | None, reason: str) -> Game:
        """Return this game with an outcome whose reason is not that the player to move is stuck."""
        return replace(self, outcome=Outcome(winner, reason))

    def __repr__(self) -> str:
        from knightfall.rules.game_display import game_text

        return game_text(self)

    def _tables(self) -> Sequence[Table]:
        from knightfall.rules.game_display import game_table

        return [game_table(self)]

    def to_text(self) -> str:
        """Return the readable form: tags, an empty line, one line per round."""
        from knightfall.rules.game_text import write_game

        return write_game(self)

    @classmethod
    def from_text(cls, text: str) -> Game:
        """Return the game that a text describes; raise :class:`GameTextError` if the text is invalid."""
        from knightfall.rules.game_text import read_game

        return read_game(text)

    def to_json(self, indent: int | None = None) -> str:
        """Return the form for programs, as JSON. ``indent`` is passed to :func:`json.dumps`."""
        from knightfall.rules.game_json import write_game

        return write_game(self, indent)

    @classmethod
    def from_json(cls, text: str) -> Game:
        """Return the game that a JSON text describes; raise :class:`GameJsonError` if the text is invalid."""
        from knightfall.rules.game_json import read_game

        return read_game(text)


def parse_date(text: str) -> datetime.date:
    """Return the date written as YYYY-MM-DD; raise :class:`GameError` if the text is not such a date."""
    try:
        if _DATE.fullmatch(text):
            return datetime.date.fromisoformat(text)
    except ValueError:
        pass
    raise GameError(f"{text!r} is not a date of the form YYYY-MM-DD")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _as_float(name: str, value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise GameError(f"{name} is too large") from None
