"""What a heuristic costs: nanoseconds per call, compiled and interpreted, on fixed positions."""

from __future__ import annotations

import time

from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.trial import random_positions
from knightfall.catalogue.twin import TwinControl, TwinGame
from knightfall.native.batch import evaluate_many
from knightfall.native.control import DEFAULT_TICKS, Control
from knightfall.native.tables import bit_width
from knightfall.native.user_output import user_code
from knightfall.native.view import View
from knightfall.rules import Position


def typical_positions(count: int = 64, size: tuple[int, int] = (7, 7)) -> list[Position]:
    """Positions of random play with both knights placed, none of them finished; the same ones each time."""
    found = (p for p in random_positions(100_000, seed=7, sizes=(size,)) if p.attacker is not None and not p.is_over)
    return [next(found) for _ in range(count)]


def compiled_nanoseconds(made: Heuristic, positions: list[Position], seconds: float = 0.02) -> float | None:
    """The mean over the positions, best of five; None where there is no machine code."""
    dispatcher = made.code.dispatcher(bit_width(positions[0].geometry))
    if dispatcher is None:
        return None
    control = Control()
    views = [View(position, control) for position in positions]
    players = [1 + index % 2 for index in range(len(positions))]
    params = made.code.pack(made.parameters)

    def run(rounds: int) -> float:
        began = time.perf_counter()
        evaluate_many(dispatcher, params, views, players, control, rounds=rounds)
        return time.perf_counter() - began

    # Doubled until it takes long enough: the cost of the one call from Python must not show.
    rounds = 1
    run(rounds)
    while run(rounds) < seconds / 2:
        rounds *= 2
    return min(run(rounds) for _ in range(5)) / (rounds * len(positions)) * 1e9


def interpreted_nanoseconds(made: Heuristic, positions: list[Position], seconds: float = 0.2) -> float:
    """The mean over the positions, or over as many of them as there is time for."""
    function = made.code.interpreted
    began = time.perf_counter()
    calls = 0
    while True:
        for index, position in enumerate(positions):
            with user_code:
                function(TwinGame.of(position, TwinControl(DEFAULT_TICKS)), 1 + index % 2, **made.changes)
            calls += 1
            if time.perf_counter() - began > seconds and calls >= 3:
                return (time.perf_counter() - began) / calls * 1e9
