"""The description of a requested tournament, checked before anything is looked up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from knightfall.agents.agent import LARGEST_SEED, Agent
from knightfall.agents.budget import Budget
from knightfall.arena.defaults import BASELINE, PANEL, PLIES, SEED
from knightfall.arena.plan import PlanError
from knightfall.arena.statistics.sprt import Sprt
from knightfall.catalogue.heuristic import Heuristic
from knightfall.rules import Geometry, Position

Contestant = str | Heuristic | Agent
"""A participant: an agent or a heuristic, as an object or a string."""

_LARGEST = 2**62
_MOST_DEPTH = 128
_MOST_PAIRS = 100_000
_LEAST_MS, _MOST_MS = 0.01, 1e9


@dataclass(frozen=True)
class Request:
    """A requested tournament: strings and numbers that are not looked up yet."""

    candidates: Sequence[Contestant]
    panel: str | Sequence[Contestant] = PANEL
    pairs: int | None = None
    _: KW_ONLY
    budget: Budget = field(default_factory=Budget)
    seed: int = SEED
    baseline: Contestant | None = BASELINE
    board: str | Geometry | None = None
    openings: Path | str | Sequence[Position] | None = None
    plies: int = PLIES
    balanced: bool = False
    sprt: Sprt | None = None
    round_robin: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.panel, str | list | tuple):
            raise PlanError(f"the opponents are a panel's name or a list, not {self.panel!r:.60}")
        panel = [self.panel] if isinstance(self.panel, str) else self.panel
        for asked in (*self.candidates, *panel, *([] if self.baseline is None else [self.baseline])):
            if not isinstance(asked, Contestant):
                raise PlanError(f"an agent or a heuristic is expected, or its text, not {asked!r:.60}")
        if self.pairs is not None:
            _whole("the number of pairs", self.pairs, 1, _MOST_PAIRS)
        _whole("the seed", self.seed, 0, LARGEST_SEED)
        _whole("the number of plies", self.plies, 0, _MOST_DEPTH)
        if self.board is not None and not isinstance(self.board, str | Geometry):
            raise PlanError(f"a board is told as 7x7, or by a Geometry, not by {self.board!r:.60}")

    @property
    def panel_name(self) -> str:
        """The name of the panel, or its opponents as one string; empty for a list of opponents."""
        return self.panel if isinstance(self.panel, str) else ""


def _whole(what: str, value: object, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        limit = f"from {least} to {most}" if most < _LARGEST else f"of at least {least}"
        raise PlanError(f"{what} is a whole number {limit}, not {value!r:.60}")


def read_budget(depth: int | None, nodes: int | None, ms: float | None) -> Budget:
    """Return the budget of one move; at most one of the three limits may be given."""
    given = [name for name, value in (("depth", depth), ("nodes", nodes), ("ms", ms)) if value is not None]
    if len(given) > 1:
        raise PlanError(f"{' and '.join(given)} exclude each other: a move has one budget")
    if depth is not None:
        _whole("the depth", depth, 1, _MOST_DEPTH)
    if nodes is not None:
        _whole("the number of nodes", nodes, 1, _LARGEST)
    if ms is not None and (not isinstance(ms, int | float) or not _LEAST_MS <= ms <= _MOST_MS):
        raise PlanError(f"ms is a number of milliseconds from {_LEAST_MS:g} to {_MOST_MS:g}, not {ms!r:.60}")
    return Budget(depth, nodes, ms)


def read_sprt(elos: Sequence[float], model: str = "logistic") -> Sprt:
    """Return a sequential test between two Elo differences."""
    numbers = list(elos) if isinstance(elos, Sequence) and not isinstance(elos, str) else []
    if len(numbers) != 2 or not all(isinstance(n, int | float) and math.isfinite(n) for n in numbers):
        raise PlanError(f"a sequential test is between two Elo differences, as in (0, 5), not {elos!r:.60}")
    return Sprt(float(numbers[0]), float(numbers[1]), model=model)


def check_workers(workers: int | None) -> None:
    """Raise PlanError unless this is a valid number of processes."""
    if workers is not None:
        _whole("the number of workers", workers, 0, 1_024)
