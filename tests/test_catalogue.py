"""Every heuristic of the catalogue: compiled, interpreted and written down a second time, they say the same."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from formulas import FORMULAS
from numba import njit
from numba.core import event

import knightfall as kf
from knightfall.compiler.interpreted import TwinControl, TwinGame
from knightfall.native.batch import evaluate_many
from knightfall.native.board_tables import bit_width
from knightfall.native.control import Control
from knightfall.native.view import View
from knightfall.rules import Geometry, Position

NAMES = sorted(FORMULAS)
GOLDEN = Path(__file__).parent / "golden" / "heuristics"
SIZES = ((7, 7), (5, 6), (5, 6), (11, 9))
TICKS = 1_000_000
WALKERS = ("won_lines", "line_count", "longest_line", "longest_line_difference")
"""Those that walk the whole tree below a position."""
STAGED = ("stages", "stages_hard", "stages_lines", "stages_lines_hard")
"""Those that do so late in the game."""

Case = tuple[Position, int]

ALIASES = {
    "A:custom_score_improved": "weighted_mobility",
    "A:custom_score_lookahead_own": "lookahead_own",
    "A:custom_score_opponent_moves": "opponent_mobility",
    "A:custom_score_lookahead_opponent": "lookahead_opponent",
    "A:custom_score_center_deviation": "center_deviation",
    "A:custom_score_lookahead_both": "lookahead_both",
    "B:custom_score_4": "aggressive_mobility",
    "B:custom_score": "central_mobility",
    "B:custom_score_5": "chase",
    "B:custom_score_2": "space_proximity",
    "B:custom_score_3": "central_then_proximity",
    "C:heuristic1": "mobility",
    "C:heuristic2": "space_difference",
    "C:heuristic3": "space_lookahead",
    "C:heuristic4": "space",
    "C:heuristic5": "won_lines",
    "C:heuristic6": "line_count",
    "C:heuristic_main": "stages",
    "C:heuristic_main_staggered": "stages_hard",
    "C:heuristic_mainalt": "stages_lines",
    "C:heuristic_main_alt_01": "stages_lines(cutoff=0.1)",
    "C:heuristic_main_alt_03": "stages_lines(cutoff=0.3)",
    "C:heuristic_mainalt_staggered": "stages_lines_hard",
    "C:heuristic_main_alt_less": "stages_open",
    "C:heuristic_main_alt_less_more": "stages_improved",
    "D:AB_Custom": "squared_ratio",
    "D:AB_Custom_2": "least_opponent",
    "D:AB_Custom_3": "open",
    "E:custom_score_2": "shared_square",
    "E:custom_score_3": "reach",
    "E:custom_score": "contested_reach",
}


# Positions


def empties(position: Position) -> int:
    return position.geometry.size - position.ply


def random_play(chance: random.Random, geometry: Geometry) -> Position:
    """Random moves, stopped anywhere; about a third of the games are finished."""
    position = Position.start(geometry)
    for _ in range(chance.randrange(geometry.size)):
        if position.is_over:
            break
        position = position.play(chance.choice(position.legal_moves()))
    return position


def arbitrary(chance: random.Random, geometry: Geometry, left: int, placed: int) -> Position:
    """Any board with that many empty squares and knights."""
    squares = chance.sample(range(geometry.size), geometry.size - left)
    used_bits = sum(1 << square for square in squares)
    if placed == 2:
        return Position(geometry, (squares[0], squares[1]), used_bits, chance.choice((1, 2)))
    if placed == 1:
        return Position(geometry, (squares[0], None), used_bits, 2)
    return Position(geometry, (None, None), used_bits, 1)


def mixed(chance: random.Random, geometry: Geometry) -> Position:
    """Any kind of position."""
    kind = chance.random()
    if kind < 0.5:
        return random_play(chance, geometry)
    placed = chance.choices((0, 1, 2), (1, 1, 4))[0]
    if kind < 0.8:
        return arbitrary(chance, geometry, chance.randrange(min(20, geometry.size - 2)), placed)
    return arbitrary(chance, geometry, chance.randrange(geometry.size - placed + 1), placed)


def late(chance: random.Random, geometry: Geometry) -> Position:
    """A position whose tree is small: few empty squares, near the knights if there are many of them."""
    placed = chance.choices((0, 1, 2), (1, 1, 8))[0]
    if placed < 2:
        return arbitrary(chance, geometry, chance.randrange(6), placed)
    if chance.random() < 0.5:
        return arbitrary(chance, geometry, chance.choice((0, 2, 4, 6, 8, 9, 10, 12)), 2)
    # Squares that the knights can get to, so that the lines are long.
    first, second = chance.sample(range(geometry.size), 2)
    left: set[int] = set()
    edge = [first, second]
    for _ in range(chance.randrange(1, 10)):
        square = chance.choice(geometry.jumps[chance.choice(edge)] or (first,))
        if square not in (first, second):
            left.add(square)
            edge.append(square)
    used_bits = (1 << geometry.size) - 1 - sum(1 << square for square in left)
    return Position(geometry, (first, second), used_bits, chance.choice((1, 2)))


def drawn(kind: Callable[[random.Random, Geometry], Position], count: int, seed: int) -> Iterator[Case]:
    chance = random.Random(seed)
    for _ in range(count):
        yield kind(chance, Geometry(*chance.choice(SIZES))), chance.choice((1, 2))


def has_small_tree(case: Case, cutoff: float = 0.2) -> bool:
    """Whether a staged heuristic can be worked out by hand there."""
    position, _ = case
    return empties(position) >= cutoff * position.geometry.size or (empties(position) <= 10 and position.ply > 20)


@cache
def all_kinds() -> tuple[Case, ...]:
    starts = [(Position.start(Geometry(*size)), player) for size in sorted({*SIZES}) for player in (1, 2)]
    return (*starts, *drawn(mixed, 2_100, seed=1))


@cache
def late_ones() -> tuple[Case, ...]:
    return tuple(drawn(late, 2_010, seed=2))


@cache
def staged_ones() -> tuple[Case, ...]:
    early = [case for case in all_kinds() if has_small_tree(case) and empties(case[0]) >= 0.2 * case[0].geometry.size]
    return (*early[:1_000], *late_ones()[:1_010])


def cases_for(name: str) -> tuple[Case, ...]:
    if name in WALKERS:
        return late_ones()
    return staged_ones() if name in STAGED else all_kinds()


# Values


def same(a: float, b: float) -> bool:
    """Equal but for the last digits, which depend on the order of additions."""
    return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def compiled(made: kf.Heuristic, cases: tuple[Case, ...]) -> list[float]:
    """The compiled values of many positions, in one native call for each board."""
    values: list[float] = [math.nan] * len(cases)
    control = Control()
    params = made.code.pack(made.parameters)
    for geometry in {position.geometry for position, _ in cases}:
        at = [index for index, (position, _) in enumerate(cases) if position.geometry is geometry]
        views = [View(cases[index][0], control) for index in at]
        players = [cases[index][1] for index in at]
        dispatcher = made.code.dispatcher(bit_width(geometry))
        found = evaluate_many(dispatcher, params, views, players, control, ticks=TICKS)
        for index, value in zip(at, found, strict=True):
            values[index] = float(value)
    return values


def assert_formula(made: kf.Heuristic, cases: tuple[Case, ...]) -> None:
    for (position, player), value in zip(cases, compiled(made, cases), strict=True):
        expected = FORMULAS[made.name](position, player, **made.parameters)
        assert same(value, expected), (str(made), position, player, value, expected)


def test_the_pools_hold_what_they_should() -> None:
    for pool in (all_kinds(), late_ones(), staged_ones()):
        assert len(pool) >= 2_000
        assert {position.geometry for position, _ in pool} == {Geometry(*size) for size in SIZES}
        for wanted in (
            [p for p, player in pool if p.is_over and player == p.to_move],
            [p for p, player in pool if p.is_over and player != p.to_move],
            [p for p, player in pool if p.locations[1] is None and player == p.to_move],
            [p for p, player in pool if p.locations[1] is None and player != p.to_move],
            [p for p, _ in pool if p.locations[0] is None and p.ply > 0],
            [p for p, player in pool if p.attacker == player and not p.is_over],
            [p for p, player in pool if p.attacker == 3 - player and not p.is_over],
        ):
            assert len(wanted) >= 20
    assert max(empties(position) for position, _ in late_ones()) == 12


def test_every_formula_is_a_heuristic_and_the_other_way_round() -> None:
    assert sorted(kf.heuristics) == NAMES
    assert all(made.name == name for name, made in kf.heuristics.items())


@pytest.mark.parametrize("alias", ALIASES)
def test_the_reports_own_names_are_known(alias: str) -> None:
    assert alias in kf.heuristics
    assert kf.heuristics[alias] == kf.heuristics[ALIASES[alias]]
    assert kf.heuristics[alias].parameters == kf.heuristics[ALIASES[alias]].parameters


@pytest.mark.parametrize("name", NAMES)
def test_compiled_interpreted_and_formula_agree(name: str) -> None:
    made = kf.heuristics[name]
    assert made.compiled
    cases = cases_for(name)
    for index, ((position, player), value) in enumerate(zip(cases, compiled(made, cases), strict=True)):
        expected = FORMULAS[name](position, player)
        interpreted = made.value(position, player, interpreted=True)
        assert same(value, expected), (position, player, value, expected)
        assert same(interpreted, expected), (position, player, interpreted, expected)
        if index % 20 == 0:
            assert made.value(position, player) == value


# Parameters

VARIANTS = [
    *(f"weighted_mobility(mix={mix})" for mix in (0, 0.25, 1)),
    *(f"lookahead_both(mix={mix})" for mix in (0, 0.3, 0.7, 1)),
    *(f"center_deviation(mix={mix})" for mix in (0, 0.5, 1)),
    "aggressive_mobility(own=2, opponent=0.5)",
    "aggressive_mobility(own=0.1, opponent=-1)",
    "central_mobility(peak=0, opponent=0)",
    "central_mobility(peak=4.5, opponent=2)",
    *(f"space_proximity(metric={m}, whose={w})" for m, w in product(("d1", "d2", "d2sq"), ("both", "own", "opponent"))),
    *(f"central_then_proximity(threshold={threshold})" for threshold in (0, 8, 99)),
    "central_then_paths(threshold=99, deep=6)",
    "knightfall(entry=-0.5, attack=0, deep=0)",
    "knightfall(entry=2, deep=6)",
    "near_opponent(sign=-1)",
    *(f"shared_square(bonus={bonus})" for bonus in (0, -2.5)),
    *(f"reach(k={k})" for k in (0, 1, 3, 40)),
    *(f"contested_reach(k={k}, c={c})" for k, c in ((1, 0.5), (3, 0.25), (2, 0), (2, -1))),
    *(f"{name}(cutoff={cutoff})" for name in STAGED for cutoff in (0, 0.05, 0.1)),
    *(f"{name}(early={early})" for name in ("stages_hard", "stages_lines_hard") for early in (0.3, 1)),
]


@pytest.mark.parametrize("text", VARIANTS)
def test_parameters_are_those_of_the_formula(text: str) -> None:
    made = kf.heuristics[text]
    assert_formula(made, cases_for(made.name)[::10])


@pytest.mark.parametrize("name", STAGED)
def test_a_late_cutoff(name: str) -> None:
    assert_formula(kf.heuristics[name](cutoff=0.5), late_ones()[::10])


def test_a_change_of_parameters_compiles_nothing() -> None:
    made = kf.heuristics["weighted_mobility"]
    cases = all_kinds()[:20]
    for position, player in cases:
        made.value(position, player)
    compiled(made, cases)
    with event.install_recorder("numba:compile") as recorder:
        seen = set()
        for step in range(50):
            variant = made(mix=step / 49)
            seen.add(tuple(compiled(variant, cases)))
            for position, player in cases:
                variant.value(position, player)
        assert len(recorder.buffer) == 0
        njit(lambda x: x)(1)
        assert len(recorder.buffer) > 0
    assert len(seen) == 50


# Symmetries


@cache
def boards_for_symmetry(size: tuple[int, int], few: bool) -> tuple[tuple[Case, ...], ...]:
    """Positions, each with all its images."""
    chance = random.Random(3)
    geometry = Geometry(*size)
    found: list[tuple[Case, ...]] = []
    while len(found) < 40:
        position = (late if few else mixed)(chance, geometry)
        player = chance.choice((1, 2))
        found.append(tuple((position.transform(symmetry), player) for symmetry in geometry.symmetries))
    return tuple(found)


@pytest.mark.parametrize("name", NAMES)
def test_invariance_is_what_it_is_said_to_be(name: str) -> None:
    made = kf.heuristics[name]
    for size in ((7, 7), (5, 6), (6, 6), (5, 5), (11, 9)):
        groups = boards_for_symmetry(size, True)
        if name not in WALKERS:
            more = boards_for_symmetry(size, False)
            groups += tuple(g for g in more if name not in STAGED or has_small_tree(g[0]))
        assert len(groups) >= 30
        values = iter(compiled(made, tuple(case for group in groups for case in group)))
        varied = [group[0] for group in groups if len({next(values) for _ in group}) > 1]
        if made.is_invariant(Geometry(*size)):
            assert varied == []
        else:
            assert varied != []


# Golden files


def test_there_is_one_golden_file_for_each_heuristic() -> None:
    assert sorted(file.stem for file in GOLDEN.iterdir()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_values_are_the_golden_ones(name: str) -> None:
    """Values change only on purpose: tests/golden/make_heuristics.py writes the files anew."""
    rows: list[tuple[str, int, float | str]] = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    assert len(rows) >= 12
    for fen, player, written in rows:
        assert same(kf.heuristics[name].value(Position.from_fen(fen), player), float(written)), (fen, player)


# Players


@pytest.mark.parametrize("tokens", [("ann", "bob"), ((1, "x"), (2, "x")), (2, 1)], ids=str)
def test_a_player_can_be_anything_in_the_twin(tokens: tuple[Any, Any]) -> None:
    for name, made in kf.heuristics.items():
        for position, player in cases_for(name)[::50]:
            expected = made.value(position, player, interpreted=True)
            token = tokens[player - 1]
            assert made.code.interpreted(TwinGame.of(position, TwinControl(TICKS), tokens), token) == expected
            assert made(TwinGame.of(position, TwinControl(TICKS), tokens), token) == expected


def test_a_player_that_does_not_play_is_refused() -> None:
    position = Position.start(Geometry(7, 7))
    for player in (0, 3, None, "ann"):
        with pytest.raises(kf.KnightfallError, match="the player is 1 or 2, not"):
            kf.heuristics["improved"].value(position, player)  # type: ignore[arg-type]
