"""Ways of writing that are common in student functions: compiled, and equal to the AIND board itself."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import aind_board
import pytest

from knightfall.catalogue.loader import load
from knightfall.catalogue.sandbox_check import random_positions, same
from knightfall.rules import Position

FOLDER = Path(__file__).parent / "student" / "idioms"
IDIOMS, RANDOM = FOLDER / "idioms.py", FOLDER / "random_idioms.py"
HELPERS = {"worth", "sometimes", "even_moves", "moves_or", "scaled"}


def heuristics_in(file: Path) -> list[str]:
    """The functions (game, player) of a file, less the helpers."""
    names = [
        node.name
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and [a.arg for a in node.args.args][:2] == ["game", "player"]
    ]
    return [name for name in names if name not in HELPERS]


@cache
def positions() -> tuple[Position, ...]:
    return tuple(random_positions(30, seed=11))


def board_of(position: Position, players: tuple[Any, Any]) -> aind_board.EarlyBoard:
    """The position on the oracle's board."""
    board = aind_board.EarlyBoard(*players, width=position.geometry.width, height=position.geometry.height)
    cell = {
        square: row + column * board.height
        for square in range(position.geometry.size)
        for row, column in [position.geometry.coordinates(square)]
    }
    for square in position.used:
        board._board_state[cell[square]] = 1
    for at, location in ((-1, position.locations[0]), (-2, position.locations[1])):
        board._board_state[at] = None if location is None else cell[location]
    board._board_state[-3] = position.to_move - 1
    board.move_count = position.ply
    if position.to_move == 2:
        board._active_player, board._inactive_player = players[1], players[0]
    return board


@pytest.fixture(scope="module")
def student() -> Iterator[dict[str, Any]]:
    """The file as Python runs it, with the oracle's board in the place of AIND's modules."""
    isolation, inner, samples = (ModuleType(name) for name in ("isolation", "isolation.isolation", "sample_players"))
    vars(isolation).update(Board=aind_board.Board, isolation=inner, __path__=[])
    vars(inner).update(Board=aind_board.Board)
    vars(samples).update(improved_score=aind_board.improved_score)
    stand_ins = {module.__name__: module for module in (isolation, inner, samples)}
    before = {name: sys.modules.get(name) for name in stand_ins}
    sys.modules.update(stand_ins)
    names: dict[str, Any] = {"__name__": "student"}
    exec(compile(IDIOMS.read_text(encoding="utf-8"), str(IDIOMS), "exec"), names)
    yield names
    for name, module in before.items():
        sys.modules.pop(name)
        if module is not None:
            sys.modules[name] = module


def outcome(function: Callable[..., Any], *arguments: Any, **options: Any) -> float | str:
    """A value, or the word error: what is raised has another text on another board."""
    try:
        return float(function(*arguments, **options))
    except Exception:
        return "error"


@pytest.mark.parametrize("name", [*heuristics_in(IDIOMS), "another_name"])
def test_an_idiom_compiles_and_equals_the_board(name: str, student: dict[str, Any]) -> None:
    function = student[name]
    players = (aind_board.Player(score_fn=function), aind_board.Player(score_fn=function))
    made = load(f"{IDIOMS}:{name}", trial=False)
    assert made.compiled, made.code.failure
    for position in positions():
        for player in (1, 2):
            expected = outcome(function, board_of(position, players), players[player - 1])
            for interpreted in (True, False):
                found = outcome(made.value, position, player, interpreted=interpreted)
                equal = found == expected if isinstance(expected, str) else same(float(found), expected)
                assert equal, (position, player, interpreted, found, expected)


@pytest.mark.parametrize("name", heuristics_in(RANDOM))
def test_random_numbers_are_seeded_by_the_position(name: str) -> None:
    made = load(f"{RANDOM}:{name}", trial=False)
    assert made.compiled, made.code.failure
    values = set()
    for position in positions():
        value = made.value(position, 1)
        assert value == made.value(position, 1) == made.value(position, 1, interpreted=True)
        values.add(value)
    assert len(values) > 5
