"""Find games of a ledger by players, result and length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from knightfall.arena.ledger import Ledger, LedgerError
from knightfall.arena.ledger_checks import game_problem
from knightfall.arena.ledger_rows import GAME_COLUMNS, PAIR_COLUMNS, RowError, read_game, read_pair, shown
from knightfall.arena.play import GameRow

_WON_BY = "CASE game.winner WHEN 1 THEN game.first ELSE game.second END"
_LOST_BY = "CASE game.winner WHEN 1 THEN game.second ELSE game.first END"
# Moves are labels separated by single spaces.
_MOVES = "CASE game.moves WHEN '' THEN 0 ELSE 1 + length(game.moves) - length(replace(game.moves, ' ', '')) END"
_FROM = "FROM game JOIN pair ON pair.experiment = game.experiment AND pair.number = game.pair"
_PAIR = ", ".join(f"pair.{name}" for name in PAIR_COLUMNS.split(", "))
_GAME = ", ".join(f"game.{name}" for name in GAME_COLUMNS.split(", "))
_FIELDS = len(PAIR_COLUMNS.split(", "))


@dataclass(frozen=True)
class GameFilter:
    """The conditions for a search of games; a game must meet all of them.

    ``against`` is the opponent of ``player``, or otherwise of the winner or loser. ``longer`` and ``shorter`` are
    exclusive limits on the number of moves after the opening.
    """

    experiment: int | None = None
    pair: int | None = None
    game: int | None = None
    player: str | None = None
    against: str | None = None
    won_by: str | None = None
    lost_by: str | None = None
    reason: str | None = None
    opening: str | None = None
    longer: int | None = None
    shorter: int | None = None

    def condition(self) -> tuple[str, list[object]]:
        """Return the filter as an SQL condition and its values."""
        plays = "? IN (game.first, game.second)"
        meeting = "((game.first = ? AND game.second = ?) OR (game.second = ? AND game.first = ?))"
        parts: list[tuple[str, list[object]]] = [
            (text, [value])
            for text, value in (
                ("game.experiment = ?", self.experiment),
                ("game.pair = ?", self.pair),
                ("game.game = ?", self.game),
                (plays, self.player),
                (f"{_WON_BY} = ?", self.won_by),
                (f"{_LOST_BY} = ?", self.lost_by),
                ("game.reason = ?", self.reason),
                ("pair.opening = ?", self.opening),
                (f"{_MOVES} > ?", self.longer),
                (f"{_MOVES} < ?", self.shorter),
            )
            if value is not None
        ]
        if self.against is not None:
            named = [name for name in (self.player, self.won_by, self.lost_by) if name is not None]
            parts += [(meeting, [name, self.against] * 2) for name in named[:1]] or [(plays, [self.against])]
        condition = " AND ".join(text for text, _ in parts) or "TRUE"
        return condition, [value for _, values in parts for value in values]


class ListedGame(NamedTuple):
    """A game of a ledger with the data of its pair."""

    experiment: int
    pair: int
    candidate: str
    opponent: str
    opening: str
    row: GameRow

    @property
    def id(self) -> str:
        """The id of the game in lists: experiment, pair and game."""
        return f"{self.experiment}/{self.pair}/{self.row.game}"

    @property
    def won_by(self) -> str:
        return self.row.first if self.row.winner == 1 else self.row.second

    @property
    def lost_by(self) -> str:
        return self.row.second if self.row.winner == 1 else self.row.first

    @property
    def moves(self) -> int:
        """The number of moves after the opening."""
        return len(self.row.moves.split())

    def facts(self) -> dict[str, Any]:
        """Return the game as one row, for JSON and for tables."""
        row = self.row
        return {
            "id": self.id,
            "experiment": self.experiment,
            "pair": self.pair,
            "game": row.game,
            "candidate": self.candidate,
            "opponent": self.opponent,
            "opening": self.opening,
            "first": row.first,
            "second": row.second,
            "winner": row.winner,
            "won_by": self.won_by,
            "lost_by": self.lost_by,
            "reason": row.reason,
            "message": row.message,
            "moves": self.moves,
            "seconds": row.seconds,
            "line": row.moves,
        }


FACTS = tuple(ListedGame(0, 0, "", "", "", GameRow(1, "", "", "", 1, "", "", 0.0, b"")).facts())
"""The column names of a game's row."""


def find_games(
    ledger: Ledger, wanted: GameFilter, limit: int | None = None, *, skip: Callable[[str], None] | None = None
) -> Iterator[ListedGame]:
    """Yield games in the order of the schedule; ``skip`` is called with the description of each damaged game.

    Without ``skip``, a damaged game raises an error.
    """
    condition, values = wanted.condition()
    question = (
        f"SELECT game.experiment, {_PAIR}, {_GAME} {_FROM} WHERE {condition}"
        " ORDER BY game.experiment, game.pair, game.game LIMIT ?"
    )
    for row in ledger.rows(question, [*values, -1 if limit is None else limit]):
        try:
            yield _read(row)
        except RowError as error:
            if skip is None:
                raise
            skip(f"{ledger.path}: {error}")


def _read(row: Sequence[Any]) -> ListedGame:
    """Return a game from a row, after checking its fields and replaying its moves."""
    experiment = row[0]
    if type(experiment) is not int:
        raise RowError(f"game {shown(experiment)}: the number of an experiment expected")
    pair = read_pair(row[1 : 1 + _FIELDS], experiment)
    number, game = read_game(row[1 + _FIELDS :], experiment)
    problem = game_problem(pair, game)
    if problem is not None:
        raise RowError(f"game {experiment}/{number}/{game.game}: {problem}")
    return ListedGame(experiment, number, pair.matchup.candidate, pair.matchup.opponent, pair.opening, game)


def count_games(ledger: Ledger, wanted: GameFilter) -> int:
    """Return the number of games that match a filter."""
    condition, values = wanted.condition()
    [[count]] = ledger.rows(f"SELECT count(*) {_FROM} WHERE {condition}", values)
    return int(count)


def find_game(ledger: Ledger, experiment: int, pair: int, game: int) -> ListedGame:
    """Return one game with all data about its moves; raise an error that says why it is missing."""
    ledger.experiment(experiment)
    for found in find_games(ledger, GameFilter(experiment, pair, game)):
        return found
    for state, note in ledger.rows(
        "SELECT state, note FROM pair WHERE experiment = ? AND number = ?", [experiment, pair]
    ):
        told = f"{state}{f' ({note})' if note else ''}"
        if state == "done":
            raise LedgerError(f"{ledger.path}: game {experiment}/{pair}/{game} is missing, but its pair is done")
        raise LedgerError(f"{ledger.path}: game {experiment}/{pair}/{game} was not played: its pair is {told}")
    [[last]] = ledger.rows("SELECT max(number) FROM pair WHERE experiment = ?", [experiment])
    if last is None:
        raise LedgerError(f"{ledger.path}: experiment {experiment} has no pairs")
    raise LedgerError(f"{ledger.path}: experiment {experiment} has the pairs 0 to {last}, not {pair}")
