"""Stages of a game, and openings in a stage."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from knightfall.arena.openings import distinct, random_openings
from knightfall.lab.tuning.errors import BadParameter, TuningError
from knightfall.native.seeds import key_of
from knightfall.rules import Geometry, Position

STAGES = ("early", "middle", "late")
_PLIES = re.compile(r"(\d{1,3})(?:-(\d{1,3}))?")


@dataclass(frozen=True)
class Stage:
    """Positions after ``low`` to ``high`` plies."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"

    def holds(self, position: Position) -> bool:
        """Return whether a position belongs to the stage."""
        return self.low <= position.ply <= self.high


def read_stage(text: str, geometry: Geometry) -> Stage:
    """Parse a stage: ``early``, ``middle``, ``late``, or plies such as ``10-20``.

    In an early position less than a quarter of the squares are used; in a late one, half of them or more.

    >>> [str(read_stage(text, Geometry(7, 7))) for text in ("early", "middle", "late", "10-20")]
    ['0-12', '13-24', '25-48', '10-20']
    """
    ends = [0, -(-geometry.size // 4), -(-geometry.size // 2), geometry.size]
    if text in STAGES:
        at = STAGES.index(text)
        return Stage(ends[at], ends[at + 1] - 1)
    match = _PLIES.fullmatch(text)
    if match is None or int(match[2] or match[1]) < int(match[1]) or int(match[1]) >= geometry.size:
        expected = f"one of {', '.join(STAGES)} or plies as in 10-20 are expected"
        raise BadParameter("{stage}: {expected}, not {given!r}", expected=expected, given=text)
    return Stage(int(match[1]), min(int(match[2] or match[1]), geometry.size - 1))


def openings_for(
    geometry: Geometry, tuning: int, confirming: int, seed: int, stage: Stage | None
) -> tuple[list[Position], list[Position]]:
    """Return openings to tune on, and openings to confirm on that are not images of the first."""
    key = key_of("tune", seed)
    source = random_openings(geometry, key) if stage is None else stage_openings(geometry, key, stage)
    first = list(islice(source, tuning))
    seen = {position.canonical() for position in first}
    second = list(islice((position for position in source if position.canonical() not in seen), confirming))
    if len(first) < tuning or len(second) < confirming:
        where = "" if stage is None else f" of {stage} plies"
        found = len(first) + len(second)
        raise TuningError(
            f"only {found:,} openings{where} were found on {geometry}, and {tuning + confirming:,} are wanted: "
            f"{tuning:,} to tune on, and {confirming:,} that are no images of them"
        )
    return first, second


def stage_openings(geometry: Geometry, seed: int, stage: Stage) -> Iterator[Position]:
    """Yield positions of a stage, one from each of many random games.

    No position occurs twice, and no game is over.
    """
    generator = random.Random(key_of("stage", geometry, seed, stage))

    def draw() -> Position | None:
        passed = [position for position in _random_game(geometry, stage.high, generator) if stage.holds(position)]
        return generator.choice(passed) if passed else None

    return distinct(draw, set())


def _random_game(geometry: Geometry, plies: int, generator: random.Random) -> list[Position]:
    position = Position.start(geometry)
    passed = []
    while not position.is_over and position.ply <= plies:
        passed.append(position)
        position = position.play(generator.choice(position.legal_moves()))
    return passed
