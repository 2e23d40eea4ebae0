"""Students' own files, as they are: compiled, interpreted and run by Python itself, they say the same."""

from __future__ import annotations

import ast
import importlib.util
import re
import runpy
import shutil
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import knightfall as kf
from knightfall.catalogue.loader import load
from knightfall.catalogue.sandbox_check import random_positions, same
from knightfall.compiler.errors import HeuristicError, HeuristicWarning
from knightfall.compiler.interpreted import TwinControl, TwinGame
from knightfall.native.seeds import seed_of
from knightfall.rules import Geometry, Position

FOLDER = Path(__file__).parent / "student"
NO_HEURISTICS = ("faulty", "sample_helpers")
NOT_COMPILED: set[str] = set()
MISSING_IMPORTS = {"game_agent"}  # files that Python itself cannot run here
SCORE = re.compile(r"custom_score|score_|heuristic_")
TICKS = 1_000_000

UNCOMPILABLE = {
    "counter_itertools": "line 11: 'Counter' is not supported in compiled code; count with a loop",
    "dict_of_lists": "line 8: ",
    "string_formatting": "format spec in f-strings",
    "uses_class": "line 21: 'Evaluator' is not supported in compiled code",
}


def student_functions() -> Iterator[str]:
    for file in sorted(FOLDER.glob("*.py")):
        if file.stem not in NO_HEURISTICS:
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef) and SCORE.match(node.name):
                    yield f"{file.stem}:{node.name}"


FUNCTIONS = list(student_functions())


@cache
def sample() -> tuple[Position, ...]:
    return tuple(random_positions(100, seed=4, sizes=((7, 7), (5, 6), (11, 9))))


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, str], Callable[..., float]]:
    """The function that Python makes of an untouched file."""

    def run(file: Path, name: str) -> Callable[..., float]:
        monkeypatch.syspath_prepend(str(file.parent))
        found: Callable[..., float] = runpy.run_path(str(file))[name]
        return found

    return run


def twin(position: Position) -> TwinGame:
    return TwinGame.of(position, TwinControl(TICKS, seed=seed_of(position)))


def imported(path: Path) -> Any:
    """A user's module, really imported."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def written(folder: Path, text: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_files_are_all_there() -> None:
    assert len(list(FOLDER.glob("*.py"))) == 63
    assert {name.split(":")[0] for name in FUNCTIONS} == {f.stem for f in FOLDER.glob("*.py")} - set(NO_HEURISTICS)
    assert set(FUNCTIONS) >= NOT_COMPILED
    assert {file.stem for file in (FOLDER / "uncompilable").glob("*.py")} == set(UNCOMPILABLE)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_students_function_says_what_python_says(name: str, plain: Callable[..., Callable[..., float]]) -> None:
    stem, function = name.split(":")
    file = FOLDER / f"{stem}.py"
    made = load(f"{file}:{function}", trial=False)
    assert made.compiled == (name not in NOT_COMPILED)
    python = made.code.interpreted if stem in MISSING_IMPORTS else plain(file, function)
    with warnings.catch_warnings():
        if name in NOT_COMPILED:
            warnings.simplefilter("ignore", HeuristicWarning)
        for position in sample():
            for player in (1, 2):
                game = twin(position)
                expected = float(python(game, game.player(player)))
                interpreted = made.value(position, player, interpreted=True)
                assert interpreted == expected, (position, player)
                assert same(made.value(position, player), expected), (position, player)
    assert made.code.failure is None or name in NOT_COMPILED


@pytest.mark.parametrize("stem", UNCOMPILABLE)
def test_what_cannot_be_compiled_is_told_once_and_is_right(
    stem: str, tmp_path: Path, plain: Callable[..., Callable[..., float]]
) -> None:
    file = Path(shutil.copy(FOLDER / "uncompilable" / f"{stem}.py", tmp_path))
    made = load(f"{file}:custom_score", trial=False)
    python = plain(file, "custom_score")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for position in sample():
            for player in (1, 2):
                game = twin(position)
                assert made.value(position, player) == python(game, game.player(player))
    assert not made.compiled
    (message,) = [str(warning.message) for warning in caught]
    assert caught[0].category is HeuristicWarning
    assert message.startswith(f"{file}: custom_score: cannot be compiled (")
    assert re.search(UNCOMPILABLE[stem], message)
    assert re.search(r"\); it runs interpreted, \d+ µs a call, some \d+ times slower$", message)
    assert "\n" not in message


DECORATED = """
import knightfall as kf

@kf.heuristic
def reads(game, player):
    with open(__FILE__) as file:
        return float(len(file.read()) > 0) + len(game.get_legal_moves(player))

@kf.heuristic
def rows(game, player):
    by_row = {}
    for row, col in game.get_legal_moves(player):
        by_row.setdefault(row, []).append(col)
    return max((len(columns) for columns in by_row.values()), default=0)

@kf.heuristic(idea="Weighted.", ranges={"weight": (0, 2)})
def fast(game, player, weight=1.5):
    return len(game.get_legal_moves(player)) - weight * len(game.get_legal_moves(game.get_opponent(player)))
"""


def moves_in_fullest_row(position: Position, player: int) -> int:
    rows = [square // position.geometry.width for square in position.moves_of(player)]
    return max(map(rows.count, rows), default=0)


def test_the_decorator_on_what_cannot_be_compiled(tmp_path: Path) -> None:
    path = tmp_path / "decorated.py"
    module = imported(written(tmp_path, DECORATED.replace("__FILE__", repr(str(path))), path.name))
    expected: dict[str, Callable[[Position, int], float]] = {
        "reads": lambda position, player: 1.0 + len(position.moves_of(player)),
        "rows": moves_in_fullest_row,
    }
    for name, formula in expected.items():
        made = getattr(module, name)
        assert isinstance(made, kf.Heuristic)
        assert name not in kf.heuristics
        with pytest.warns(HeuristicWarning) as caught:
            values = [made.value(position, player) for position in sample() for player in (1, 2)]
        assert len(caught) == 1
        assert str(caught[0].message).startswith(f"{path}: {name}: cannot be compiled (")
        assert values == [formula(position, player) for position in sample() for player in (1, 2)]


def test_the_decorator_on_what_can_be_compiled(tmp_path: Path) -> None:
    made = imported(written(tmp_path, DECORATED)).fast
    assert (made.name, made.metadata.idea, made.parameters, made.compiled) == (
        "fast",
        "Weighted.",
        {"weight": 1.5},
        True,
    )
    assert made(weight=2).parameters == {"weight": 2.0}
    for position in sample()[:20]:
        own, other = (len(position.moves_of(player)) for player in (1, 2))
        for weight in (1.5, 0.25):
            variant = made(weight=weight)
            assert variant.value(position, 1) == own - weight * other
            assert variant.value(position, 1, interpreted=True) == own - weight * other
        assert made(twin(position), 1) == own - 1.5 * other  # called as the function it is
        assert made(twin(position), 1, weight=0) == own


def test_the_decorator_on_a_function_without_a_source() -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec("def typed(game, player):\n    return len(game.get_legal_moves(player))", names)
    made = kf.heuristic(names["typed"])
    with pytest.warns(HeuristicWarning, match=r"^typed: cannot be compiled \(its source cannot be found\)") as caught:
        values = [made.value(position, 1) for position in sample()]
    assert len(caught) == 1
    assert values == [len(position.moves_of(1)) for position in sample()]


# Locations

START = Position.start(Geometry(7, 7))
ONE_PLACED = START.play(24)
BOTH_PLACED = ONE_PLACED.play(8)

LOCATIONS = """
def by_is(game, player):
    return 1 if game.get_player_location(player) is None else 0

def by_is_not(game, player):
    return 0 if game.get_player_location(player) is not None else 1

def by_equality(game, player):
    return 1 if game.get_player_location(player) == None else 0

def by_inequality(game, player):
    return 0 if game.get_player_location(player) != None else 1

def none_first(game, player):
    return 1 if None == game.get_player_location(player) else 0

def none_first_unequal(game, player):
    return 0 if None != game.get_player_location(player) else 1

def none_first_is(game, player):
    return 1 if None is game.get_player_location(player) else 0

def by_truth(game, player):
    return 0 if game.get_player_location(player) else 1

def by_negation(game, player):
    return 1 if not game.get_player_location(player) else 0

def by_bool(game, player):
    return 1 - bool(game.get_player_location(player))

def by_comparison(game, player):
    here = game.get_player_location(player)
    there = game.get_player_location(game.get_opponent(player))
    return (here == there) + 2 * (here != there) + 4 * (here == (3, 3)) + 8 * ((1, 1) == here) + 16 * (here == (3, 1))

def by_membership(game, player):
    here = game.get_player_location(player)
    return (here in [(3, 3), (2, 2)]) + 2 * (here in game.get_blank_spaces()) + 4 * (here not in ((1, 1), (3, 3)))

def by_unpacking(game, player):
    row, column = game.get_player_location(player)
    return 10 * row + column

def by_index(game, player):
    place = game.get_player_location(player)
    return 10 * place[0] + place[1]

def by_index_from_behind(game, player):
    place = game.get_player_location(player)
    return 10 * place[-2] + place[-1]

def by_loop(game, player):
    number = 0
    for part in game.get_player_location(player):
        number = 10 * number + part
    return number
"""


def both_ways(made: kf.Heuristic, position: Position, player: int) -> float:
    """The value, the same compiled and interpreted."""
    assert made.compiled
    value = made.value(position, player)
    assert value == made.value(position, player, interpreted=True)
    return value


@pytest.mark.parametrize(
    "name",
    [
        "by_is",
        "by_is_not",
        "by_equality",
        "by_inequality",
        "none_first",
        "none_first_unequal",
        "none_first_is",
        "by_truth",
        "by_negation",
        "by_bool",
    ],
)
def test_a_location_is_compared_with_none(name: str, tmp_path: Path) -> None:
    made = load(f"{written(tmp_path, LOCATIONS)}:{name}", trial=False)
    for position in (START, ONE_PLACED, BOTH_PLACED, START.play(0)):  # (0, 0) is as true as any other square
        for player in (1, 2):
            assert both_ways(made, position, player) == (position.location(player) is None)


def test_a_location_is_compared_with_squares(tmp_path: Path) -> None:
    path = written(tmp_path, LOCATIONS)
    for name, expected in (
        ("by_comparison", [[1, 1], [2 + 4, 2], [2 + 4, 2 + 8]]),
        ("by_membership", [[4, 4], [1, 4], [1, 0]]),
    ):
        made = load(f"{path}:{name}", trial=False)
        found = [[both_ways(made, position, p) for p in (1, 2)] for position in (START, ONE_PLACED, BOTH_PLACED)]
        assert found == expected


@pytest.mark.parametrize("name", ["by_unpacking", "by_index", "by_index_from_behind", "by_loop"])
def test_a_location_is_taken_apart(name: str, tmp_path: Path) -> None:
    made = load(f"{written(tmp_path, LOCATIONS)}:{name}", trial=False)
    assert [both_ways(made, BOTH_PLACED, player) for player in (1, 2)] == [33, 11]
    assert both_ways(made, ONE_PLACED, 1) == 33
    for position, player in ((START, 1), (START, 2), (ONE_PLACED, 2)):
        for interpreted in (False, True):
            with pytest.raises(HeuristicError, match=f"{name}: TypeError: .*None"):
                made.value(position, player, interpreted=interpreted)


# The order of lists

ORDER = """
def nth_move(game, player, n=0):
    moves = game.get_legal_moves(player)
    return 100 * moves[n][0] + moves[n][1]

def nth_blank(game, player, n=0):
    blank = game.get_blank_spaces()
    return 100 * blank[n][0] + blank[n][1]

def nth_active(game, player, n=0):
    moves = game.get_legal_moves()
    return 100 * moves[n][0] + moves[n][1]

def moves_in_turn(game, player):
    number = 0.0
    for row, column in game.get_legal_moves(player):
        number = number / 131 + 11 * row + column
    return number

def blank_in_turn(game, player):
    number = 0.0
    for row, column in game.get_blank_spaces():
        number = number / 131 + 11 * row + column
    return number

def comparisons(game, player):
    moves = game.get_legal_moves(player)
    blank = game.get_blank_spaces()
    ordered = sorted(blank)
    return (
        (moves == blank)
        + 2 * (blank == moves)
        + 4 * (moves != blank)
        + 8 * (moves == ordered)
        + 16 * (blank == ordered)
        + 32 * (sorted(moves) == ordered)
        + 64 * (moves == game.get_legal_moves(player))
    )
"""


def by_rows(position: Position, squares: tuple[int, ...]) -> list[tuple[int, int]]:
    return sorted(position.geometry.coordinates(square) for square in squares)


def by_columns(position: Position, squares: tuple[int, ...]) -> list[tuple[int, int]]:
    return sorted(by_rows(position, squares), key=lambda place: place[1])


def blanks(position: Position) -> tuple[int, ...]:
    return tuple(square for square in range(position.geometry.size) if square not in position.used)


def expected_moves(position: Position, player: int) -> list[tuple[int, int]]:
    placed = position.location(player) is not None
    return (by_rows if placed else by_columns)(position, position.moves_of(player))


def in_turn(places: list[tuple[int, int]]) -> float:
    number = 0.0
    for row, column in places:
        number = number / 131 + 11 * row + column
    return number


def test_moves_come_row_by_row_and_blank_squares_column_by_column(tmp_path: Path) -> None:
    path = written(tmp_path, ORDER)
    nth_move, nth_blank, nth_active, moves, blank = (
        load(f"{path}:{name}", trial=False)
        for name in ("nth_move", "nth_blank", "nth_active", "moves_in_turn", "blank_in_turn")
    )
    unplaced = Position(Geometry(5, 6), (None, None), 0b1011_0010_1010_0001_0110, 1)
    for position in (START, ONE_PLACED, unplaced, unplaced.play(10), *sample()[:12]):
        for player in (1, 2):
            places = expected_moves(position, player)
            free = by_columns(position, blanks(position))
            assert both_ways(moves, position, player) == in_turn(places)
            assert both_ways(blank, position, player) == in_turn(free)
            assert twin(position).get_legal_moves(player) == places
            assert twin(position).get_blank_spaces() == free
            active = expected_moves(position, position.to_move)
            for made, found in ((nth_move, places), (nth_blank, free), (nth_active, active)):
                for n in range(0, len(found), 3):
                    row, column = found[n]
                    assert both_ways(made(n=n), position, player) == 100 * row + column
                    assert both_ways(made(n=n - len(found)), position, player) == 100 * row + column
                for n in (len(found), -len(found) - 1):
                    for interpreted in (False, True):
                        with pytest.raises(HeuristicError, match="IndexError: list index out of range"):
                            made(n=n).value(position, player, interpreted=interpreted)


def test_lists_are_equal_in_one_order_only(tmp_path: Path) -> None:
    made = load(f"{written(tmp_path, ORDER)}:comparisons", trial=False)

    def only(*left: tuple[int, int]) -> Position:
        """Both knights placed, the first on (3, 3), and no other squares left than these."""
        board = Geometry(7, 7)
        used_bits = (1 << board.size) - 1 - sum(1 << board.square(*place) for place in left)
        return Position(board, (board.square(3, 3), 0), used_bits, 1)

    assert both_ways(made, START, 1) == 1 + 2 + 32 + 64
    assert both_ways(made, only((1, 4), (2, 1)), 1) == 4 + 8 + 32 + 64  # by columns it is the other way round
    assert both_ways(made, only((1, 2), (2, 5)), 1) == 1 + 2 + 8 + 16 + 32 + 64
    assert both_ways(made, only((1, 2), (6, 6)), 1) == 4 + 16 + 64
    assert both_ways(made, only(), 1) == 1 + 2 + 8 + 16 + 32 + 64
    for position in sample()[:30]:
        for player in (1, 2):
            both_ways(made, position, player)
