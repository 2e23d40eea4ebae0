"""Measure the cost of a heuristic: nanoseconds per call, compiled and interpreted, on fixed positions.

Costs are CPU times of the evaluating thread, and the best of several rounds. So other programs that use the machine
have little influence.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.sandbox_check import random_positions
from knightfall.compiler.interpreted import TwinControl
from knightfall.native.batch import evaluate_many
from knightfall.native.board_tables import bit_width
from knightfall.native.control import DEFAULT_TICKS, Control
from knightfall.native.view import View
from knightfall.rules import Position

Questions = list[tuple[Position, int]]
"""Positions, each with the player for whom it is evaluated."""

_ROUNDS = 5
_LEAST_CALLS = 3


@dataclass(frozen=True)
class Timing:
    """Nanoseconds per call; ``compiled`` is None if there is no machine code."""

    compiled: float | None
    interpreted: float


def typical_positions(count: int = 64, size: tuple[int, int] = (7, 7)) -> list[Position]:
    """Return positions from random play with both knights placed, none finished; always the same ones."""
    found = (p for p in random_positions(100_000, seed=7, sizes=(size,)) if p.attacker is not None and not p.is_over)
    return [next(found) for _ in range(count)]


def asked_in_turn(positions: list[Position]) -> Questions:
    """Return the positions with players 1 and 2 in turn."""
    return [(position, 1 + index % 2) for index, position in enumerate(positions)]


def both_nanoseconds(made: Heuristic, questions: Questions) -> Timing:
    """Time both forms in alternating rounds, so that a slow machine affects both equally."""
    compiled = _compiled_round(made, questions, 0.02)
    interpreted = _interpreted_round(made, questions, 0.04)
    rounds = [(None if compiled is None else compiled(), interpreted()) for _ in range(_ROUNDS)]
    fast = [cost for cost, _ in rounds if cost is not None]
    return Timing(min(fast) if fast else None, min(cost for _, cost in rounds))


def compiled_nanoseconds(made: Heuristic, positions: list[Position], seconds: float = 0.02) -> float | None:
    """Return the mean cost over the positions, best of five rounds; None if there is no machine code."""
    run = _compiled_round(made, asked_in_turn(positions), seconds)
    return None if run is None else min(run() for _ in range(_ROUNDS))


def interpreted_nanoseconds(made: Heuristic, positions: list[Position], seconds: float = 0.2) -> float:
    """Return the mean cost over the positions, or over as many as the time allows, best of five rounds."""
    run = _interpreted_round(made, asked_in_turn(positions), seconds / _ROUNDS)
    return min(run() for _ in range(_ROUNDS))


def _compiled_round(made: Heuristic, questions: Questions, seconds: float) -> Callable[[], float] | None:
    """Return a function that measures nanoseconds per call in about this many seconds."""
    dispatcher = made.code.dispatcher(bit_width(questions[0][0].geometry))
    if dispatcher is None:
        return None
    control = Control()
    views = [View(position, control) for position, _ in questions]
    players = [player for _, player in questions]
    params = made.code.pack(made.parameters)

    def run(rounds: int) -> float:
        began = time.thread_time()
        evaluate_many(dispatcher, params, views, players, control, rounds=rounds)
        return time.thread_time() - began

    # The rounds are doubled until they take long enough to hide the cost of the call from Python.
    rounds = 1
    run(rounds)
    while run(rounds) < seconds / 2:
        rounds *= 2
    return lambda: run(rounds) / (rounds * len(questions)) * 1e9


def _interpreted_round(made: Heuristic, questions: Questions, seconds: float) -> Callable[[], float]:
    """Return the same for the interpreted form; a slow one is measured on the first few questions only."""

    def run(chosen: Questions, most: float) -> tuple[float, int]:
        began = time.thread_time()
        calls = 0
        for position, player in chosen:
            made.interpret(position, player, TwinControl(DEFAULT_TICKS))
            calls += 1
            if calls >= _LEAST_CALLS and time.thread_time() - began > most:
                break
        return time.thread_time() - began, calls

    spent, calls = run(questions, seconds)
    chosen = questions[:calls] * max(1, int(seconds / max(spent, 1e-6)))

    def measure() -> float:
        spent, calls = run(chosen, float("inf"))
        return spent / calls * 1e9

    return measure
