"""Convert rows of a ledger to values. Anyone may have changed the file, so every field is checked."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from knightfall.agents.budget import Budget
from knightfall.arena.plan import Matchup, configuration_key
from knightfall.arena.play import GameRow
from knightfall.arena.referee import SCORES
from knightfall.arena.statistics.sprt import Sprt
from knightfall.rules import REASONS, Geometry, KnightfallError

STATES = ("planned", "done", "left out", "not needed")
EXPERIMENT_COLUMNS = "id, name, begun, ended, seed, configuration, code, machine, command, player"
PAIR_COLUMNS = "number, id, opening_number, candidate, opponent, opening, state, score, note"
GAME_COLUMNS = "pair, game, first, second, moves, winner, reason, message, seconds, scores"
_SCORES = (0.0, 0.5, 1.0)
_LARGEST_SEED = 2**64 - 1
_LONGEST_SHOWN = 40


class LedgerError(KnightfallError):
    """A ledger cannot be read or written; the message is one line."""


class RowError(LedgerError):
    """A row is invalid; the message begins with its place: ``game 3/17/1: ...``."""


@dataclass(frozen=True)
class Experiment:
    """An experiment of a ledger."""

    id: int
    name: str
    begun: str
    ended: str | None
    configuration: dict[str, Any]
    code: dict[str, Any]
    machine: dict[str, Any]
    command: str
    player: str
    """The process that plays the experiment, or that played it when it died."""

    @property
    def heuristic_hashes(self) -> dict[str, str]:
        """The hashes of the users' functions that played, by their names in the experiment."""
        found = self.code.get("heuristics")
        return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}

    @property
    def seed(self) -> int:
        return int(self.configuration["seed"])


@dataclass(frozen=True)
class PairRow:
    """A pair of a ledger with its result."""

    number: int
    id: str
    opening_number: int
    matchup: Matchup
    opening: str
    state: str
    score: float | None
    note: str


def read_experiment(row: Sequence[Any]) -> Experiment:
    """Return an experiment from a row of :data:`EXPERIMENT_COLUMNS`; raise RowError if it is invalid."""
    number, name, begun, ended, seed, configuration, code, machine, command, player = row
    fault = _Fault(f"experiment {shown(number)}")
    fault.unless(_is_whole(number) and number >= 0, "id", number, "a whole number")
    for field, value in (("name", name), ("command", command), ("player", player)):
        fault.unless(is_text(value), field, value, "UTF-8 text")
    fault.unless(_is_moment(begun), "begun", begun, "a time")
    fault.unless(ended is None or _is_moment(ended), "ended", ended, "a time or nothing")
    read = Experiment(
        number,
        name,
        begun,
        ended,
        fault.json("configuration", configuration),
        fault.json("code", code),
        fault.json("machine", machine),
        command,
        player,
    )
    _check_configuration(read.configuration, fault)
    if not is_text(seed) or read.configuration["seed"] != seed:
        raise fault.error(f"seed is {shown(seed)}, but its configuration has {shown(read.configuration['seed'])}")
    _check_code(read.code, fault)
    _check_machine(read.machine, fault)
    return read


def read_pair(row: Sequence[Any], experiment: object) -> PairRow:
    """Return a pair from a row of :data:`PAIR_COLUMNS`; raise RowError if it is invalid."""
    number, identity, opening_number, candidate, opponent, opening, state, score, note = row
    fault = _Fault(f"pair {shown(experiment)}/{shown(number)}")
    fault.unless(_is_whole(number) and number >= 0, "number", number, "a whole number")
    fault.unless(_is_whole(opening_number) and opening_number >= 0, "opening_number", opening_number, "a whole number")
    texts = (("id", identity), ("candidate", candidate), ("opponent", opponent), ("opening", opening), ("note", note))
    for field, value in texts:
        fault.unless(is_text(value), field, value, "UTF-8 text")
    fault.unless(state in STATES, "state", state, f"one of {', '.join(STATES)}")
    if state == "done":
        fault.unless(type(score) is float and score in _SCORES, "score", score, "0, 0.5 or 1")
    else:
        fault.unless(score is None, "score", score, f"nothing for a pair that is {state}")
    return PairRow(number, identity, opening_number, Matchup(candidate, opponent), opening, state, score, note)


def read_game(row: Sequence[Any], experiment: object) -> tuple[int, GameRow]:
    """Return a game and the number of its pair from a row of :data:`GAME_COLUMNS`; raise RowError if it is invalid."""
    pair, game, first, second, moves, winner, reason, message, seconds, scores = row
    # This runs for every game, so valid rows are accepted quickly in one test.
    if (
        type(pair) is int
        and type(game) is int
        and type(winner) is int
        and game in (1, 2)
        and winner in (1, 2)
        and reason in REASONS
        and reason != "infrastructure"
        and type(seconds) is float
        and 0 <= seconds < math.inf
        and type(scores) is bytes
        and is_text(first)
        and is_text(second)
        and is_text(moves)
        and is_text(message)
        and len(scores) == SCORES.itemsize * len(moves.split())
    ):
        return pair, GameRow(game, first, second, moves, winner, reason, message, seconds, scores)
    fault = _Fault(f"game {shown(experiment)}/{shown(pair)}/{shown(game)}")
    fault.unless(type(pair) is int, "pair", pair, "a whole number")
    fault.unless(type(game) is int and game in (1, 2), "game", game, "1 or 2")
    for field, value in (("first", first), ("second", second), ("moves", moves), ("message", message)):
        fault.unless(is_text(value), field, value, "UTF-8 text")
    fault.unless(type(winner) is int and winner in (1, 2), "winner", winner, "1 or 2")
    known = [name for name in REASONS if name != "infrastructure"]
    fault.unless(reason in known, "reason", reason, f"one of {', '.join(known)}")
    fault.unless(
        type(seconds) is float and 0 <= seconds < math.inf, "seconds", seconds, "a number that is not negative"
    )
    fault.unless(type(scores) is bytes, "scores", scores, "bytes")
    expected = SCORES.itemsize * len(moves.split())
    raise fault.error(f"scores has {len(scores):,} bytes; {expected:,} expected for its moves")


class _Fault:
    """Creates errors about one row."""

    def __init__(self, place: str) -> None:
        self.place = place

    def error(self, cause: str) -> RowError:
        return RowError(f"{self.place}: {cause}")

    def unless(self, is_right: bool, field: str, value: object, expected: str) -> None:
        """Raise RowError unless a field is valid."""
        if not is_right:
            raise self.error(f"{field} is {shown(value)}; {expected} expected")

    def json(self, field: str, text: object) -> dict[str, Any]:
        """Return the JSON object in a field."""
        self.unless(is_text(text), field, text, "UTF-8 text")
        assert isinstance(text, str)
        try:
            value = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise self.error(f"{field} is not JSON ({' '.join(str(error).split()):.80})") from None
        self.unless(isinstance(value, dict), field, value, "a JSON object")
        return dict(value)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _check_configuration(told: Mapping[str, Any], fault: _Fault) -> None:
    """Raise RowError unless a configuration has all fields of a plan."""
    for name, is_right, expected in _CONFIGURATION:
        fault.unless(name in told and is_right(told[name]), f"configuration: {name}", told.get(name), expected)
    if "key" in told and told["key"] != configuration_key(told):
        raise fault.error("its configuration was changed: its key does not fit")
    missing = [name for name in (*told["candidates"], *told["opponents"]) if name not in told["identities"]]
    if missing:
        raise fault.error(f"configuration: identities lack {shown(missing[0])}")


def _check_code(told: Mapping[str, Any], fault: _Fault) -> None:
    for name in ("knightfall", "sources", "python", "numba", "numpy"):
        fault.unless(is_text(told.get(name)), f"code: {name}", told.get(name), "text")
    fault.unless(_is_text_by_name(told.get("heuristics")), "code: heuristics", told.get("heuristics"), "hashes by name")
    for name, value in told.items():
        fault.unless(name == "heuristics" or is_text(value), f"code: {shown(name)}", value, "text")


def _check_machine(told: Mapping[str, Any], fault: _Fault) -> None:
    for name in ("system", "release", "processor"):
        fault.unless(is_text(told.get(name)), f"machine: {name}", told.get(name), "text")
    cores = told.get("cores")
    fault.unless(cores is None or _is_whole(cores), "machine: cores", cores, "a whole number")


def is_text(value: object) -> bool:
    """Return whether a value is a string that can be encoded as UTF-8."""
    if type(value) is not str:
        return False
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(value: object) -> str:
    """Return a value for an error message: short and on one line."""
    if value is None:
        return "missing"
    text = repr(value) if isinstance(value, str | bytes) else str(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def _is_whole(value: object) -> bool:
    return type(value) is int


def _is_moment(value: object) -> bool:
    if not is_text(value):
        return False
    try:
        datetime.datetime.fromisoformat(str(value))
    except ValueError:
        return False
    return True


def _is_text_by_name(value: object) -> bool:
    return isinstance(value, dict) and all(is_text(name) and is_text(part) for name, part in value.items())


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(map(is_text, value)) and len(set(value)) == len(value)


def _is_board(value: object) -> bool:
    if not is_text(value):
        return False
    try:
        return str(Geometry.parse(str(value))) == value
    except KnightfallError:
        return False


def _is_seed(value: object) -> bool:
    if not is_text(value):
        return False
    text = str(value)
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(_LARGEST_SEED))
    return is_number and str(int(text)) == text and int(text) <= _LARGEST_SEED


def _is_budget(value: object) -> bool:
    names = {field.name for field in fields(Budget)}
    if not isinstance(value, dict) or not set(value) <= names:
        return False
    return all(
        part is None or (_is_whole(part) and part > 0) or (name == "ms" and type(part) is float and 0 < part < math.inf)
        for name, part in value.items()
    )


def _is_sprt(value: object) -> bool:
    if value is None:
        return True
    if not isinstance(value, dict) or not set(value) <= {field.name for field in fields(Sprt)}:
        return False
    numbers = [part for name, part in value.items() if name not in ("model", "two_sided")]
    if not all(type(part) in (int, float) for part in numbers) or type(value.get("two_sided", False)) is not bool:
        return False
    try:
        Sprt(**value)
    except (KnightfallError, TypeError, OverflowError):
        return False
    return True


_CONFIGURATION: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("candidates", lambda value: _are_names(value) and bool(value), "a list of different names"),
    ("opponents", _are_names, "a list of different names"),
    ("board", _is_board, "a board such as 7x7"),
    ("panel", is_text, "text"),
    ("baseline", lambda value: value is None or is_text(value), "a name or null"),
    ("rivals", lambda value: type(value) is bool, "true or false"),
    ("budget", _is_budget, "a budget"),
    ("seed", _is_seed, f"a whole number from 0 to {_LARGEST_SEED} as text"),
    ("identities", _is_text_by_name, "agents by name"),
    ("drawn", is_text, "text"),
    ("sprt", _is_sprt, "a sequential test or null"),
    ("openings", lambda value: _is_whole(value) and value > 0, "a number of openings"),
    ("openings_key", is_text, "text"),
)
"""The fields of a configuration: the name, the check of the value, and a description of valid values."""
