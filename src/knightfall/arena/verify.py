"""Check a whole ledger: the file, every row, and every game by replaying it. Each problem is one line.

Scores, nodes and times of moves cannot be verified without repeating the searches. So only their form is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from knightfall.arena.ledger import Ledger, LedgerError
from knightfall.arena.ledger_checks import game_problems, pair_problems, plan_of
from knightfall.arena.ledger_rows import (
    EXPERIMENT_COLUMNS,
    GAME_COLUMNS,
    PAIR_COLUMNS,
    PairRow,
    RowError,
    read_experiment,
    read_game,
    read_pair,
    shown,
)
from knightfall.arena.play import GameRow

CHECKED = (
    "the file, the fields of every row, the configuration, seeds, openings, pairs and their ids, players, every move, "
    "winners, reasons, scores"
)
NOT_CHECKED = "times, messages, and the nodes, depths and values that agents gave for their moves"


@dataclass
class Checked:
    """An experiment with all its problems."""

    id: int
    pairs: int = 0
    games: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass
class Verification:
    """All problems of a ledger."""

    problems: list[str] = field(default_factory=list)
    """Problems of the file, and of rows that belong to no experiment."""

    experiments: list[Checked] = field(default_factory=list)

    @property
    def all_problems(self) -> list[str]:
        return [*self.problems, *(line for checked in self.experiments for line in checked.problems)]


def verify(ledger: Ledger, numbers: Sequence[int] = (), say: Callable[[str], None] | None = None) -> Verification:
    """Check these experiments, or the whole ledger; a problem never stops the check."""
    tell = say or (lambda _: None)
    found = Verification()
    reader = _Reader(ledger)
    tell("checking the file")
    found.problems += (f"file: {line}" for [line] in reader.rows("PRAGMA integrity_check") if line != "ok")
    found.problems += reader.take_problems("file")
    ids = [number for [number] in reader.rows("SELECT id FROM experiment ORDER BY id")]
    found.problems += reader.take_problems("experiments")
    for number in numbers:
        if number not in ids:
            known = ", ".join(str(known) for known in ids[-10:]) or "none"
            raise LedgerError(f"{ledger.path}: there is no experiment {number}; there is {known}")
    for number in numbers or ids:
        tell(f"checking experiment {number}")
        found.experiments.append(_check(reader, number))
    if not numbers:
        for table in ("pair", "game"):
            question = f"SELECT experiment, count(*) FROM {table} GROUP BY experiment"
            for number, count in reader.rows(question):
                if number not in ids:
                    found.problems.append(f"{table}: {count:,} rows of experiment {shown(number)}, which is missing")
            found.problems += reader.take_problems(table)
    return found


class _Reader:
    """Reads rows as far as possible and records the errors."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._problems: list[str] = []

    def rows(self, question: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._ledger.rows(question, values)
        except LedgerError as error:
            self._problems.append(str(error).removeprefix(f"{self._ledger.path}: "))

    def take_problems(self, place: str) -> list[str]:
        """Return the errors since the last call."""
        found, self._problems = self._problems, []
        return [f"{place}: {line}" for line in found]


def _check(reader: _Reader, number: int) -> Checked:
    checked = Checked(number)
    experiment = None
    for row in reader.rows(f"SELECT {EXPERIMENT_COLUMNS} FROM experiment WHERE id = ?", [number]):
        try:
            experiment = read_experiment(row)
        except RowError as error:
            checked.problems.append(str(error))
    pairs: list[PairRow] = []
    damaged_pairs = set()
    for row in reader.rows(f"SELECT {PAIR_COLUMNS} FROM pair WHERE experiment = ? ORDER BY number", [number]):
        checked.pairs += 1
        try:
            pairs.append(read_pair(row, number))
        except RowError as error:
            checked.problems.append(str(error))
            damaged_pairs.add(row[0])
    games: list[tuple[int, GameRow]] = []
    damaged_games = set()
    for row in reader.rows(f"SELECT {GAME_COLUMNS} FROM game WHERE experiment = ? ORDER BY pair, game", [number]):
        checked.games += 1
        try:
            games.append(read_game(row, number))
        except RowError as error:
            checked.problems.append(str(error))
            damaged_games.add((row[0], row[1]))
    checked.problems += reader.take_problems(f"experiment {number}")
    if experiment is not None:
        plan = plan_of(experiment, pairs)
        checked.problems += pair_problems(experiment, plan, pairs, damaged=damaged_pairs)
        sound = [(pair, game) for pair, game in games if pair not in damaged_pairs]
        checked.problems += game_problems(experiment, pairs, sound, damaged=damaged_games)
    return checked
