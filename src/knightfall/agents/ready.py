"""Compiles what agents need before their first move, in several processes.

Numba compiles one function at a time in each process. So with more than one core, helper processes compile a share of
the missing code: `python -m knightfall.agents.ready WIDTH UNIT...`. This process then finds it in the cache. If a
helper fails, only time is lost, because missing code is compiled when it is first used.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from numba.core import types

from knightfall.agents.agent import Agent
from knightfall.agents.native_agent import NativeAgent
from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.registry import heuristics
from knightfall.native.cache import PACKAGE
from knightfall.native.search.block import Block
from knightfall.native.search.entry_points import is_compiled, prepare_kind
from knightfall.native.search.game import play_game
from knightfall.native.search.root import ALPHABETA, MINIMAX, RANDOM, REFINED, TREE
from knightfall.native.solve.solver import is_code_ready, load_code
from knightfall.native.state import StateType
from knightfall.native.store import is_kept
from knightfall.rules import Geometry

_IMPORTS = 0.5  # seconds until a process that has imported Numba begins to compile
_START = 0.8  # additional seconds until a helper does
_KINDS = {MINIMAX: "minimax", ALPHABETA: "plain", REFINED: "alphabeta", TREE: "mcts", RANDOM: "random"}
_SECONDS = {MINIMAX: 1.6, ALPHABETA: 1.7, REFINED: 2.4, TREE: 1.8, RANDOM: 0.3}
_HEURISTIC = 1.2
_GAME = 0.5
_SOLVER = 2.0


@dataclass(frozen=True)
class Unit:
    """Code to compile for boards of one width: its name for helpers, its label for users, and the time in seconds."""

    name: str
    label: str
    seconds: float
    compile: Callable[[], object]
    is_cached: Callable[[], bool]


def unit(name: str, width: int) -> Unit:
    """Return the unit with that name."""
    what, _, which = name.partition(":")
    if what == "search":
        kind = next(kind for kind, known in _KINDS.items() if known == which)
        label = "the search" if kind != TREE else "the tree search"
        make = partial(prepare_kind, Block(), kind, width)
        return Unit(name, label, _SECONDS[kind], make, partial(is_compiled, kind, width))
    if what == "heuristic":
        code = heuristics[which].code
        return Unit(name, f"the heuristic {which}", _HEURISTIC, partial(code.dispatcher, width), lambda: code.is_cached)
    if what == "game":
        signature = (types.int64, types.int64, StateType(width), types.int64)
        holds = partial(play_game._cache.holds, signature)  # type: ignore[attr-defined]
        return Unit(name, "whole games", _GAME, partial(play_game.compile, signature), holds)  # type: ignore[attr-defined]
    assert what == "solver"
    board = Geometry(5, 5) if width == 64 else Geometry(13, 5)
    return Unit(name, "the solver", _SOLVER, partial(load_code, board), partial(is_code_ready, board))


def missing_units(agents: Iterable[Agent], width: int, *, game: bool = False, solver: bool = False) -> list[Unit]:
    """Return what these agents need and the cache lacks. Users' own heuristics were compiled when they were tested."""
    names: dict[str, None] = {}
    for made in agents:
        if isinstance(made, NativeAgent):
            names[f"search:{_KINDS[made.native_kind]}"] = None
        elif made.kind == "perfect":
            solver = True
    if game:
        names.update(dict.fromkeys(("search:random", "game")))
    if solver:
        names["solver"] = None
    for made in agents:
        heuristic: Heuristic | None = getattr(made, "heuristic", None)
        if heuristic is not None and _is_ours(heuristic):
            names[f"heuristic:{heuristic.name}"] = None
    return [found for found in (unit(name, width) for name in names) if not found.is_cached()]


def _is_ours(heuristic: Heuristic) -> bool:
    path = heuristic.code.path
    return path is not None and path.is_relative_to(PACKAGE) and heuristic.name in heuristics


class Compilation:
    """Compiles units in this process and in helpers. ``describe`` returns a line about it for the user."""

    def __init__(self, units: list[Unit], width: int, cores: int | None = None) -> None:
        self.units = units
        self.width = width
        # The results of a helper reach this process only through the cache.
        helped = bool(units) and is_kept()
        self._shares = _split(units, (_cores() if cores is None else cores) if helped else 1)
        self.seconds = _IMPORTS + max(
            (sum(unit.seconds for unit in share) + (_START if at else 0.0) for at, share in enumerate(self._shares)),
            default=0.0,
        )
        self._began = time.monotonic()
        self._is_cancelled = False
        self._helpers: list[subprocess.Popen[bytes]] = []

    def run(self) -> None:
        """Compile everything. What a helper fails to compile is compiled when it is first used."""
        self._began = time.monotonic()
        try:
            for share in self._shares[1:]:
                self._helpers.append(_start(share, self.width))
            with _without_collection():
                for item in self._shares[0]:
                    if self._is_cancelled:
                        return
                    item.compile()
            for helper in self._helpers:
                helper.wait()
        finally:
            self._end_helpers()

    def cancel(self) -> None:
        """End soon, after the unit that is being compiled in this process."""
        self._is_cancelled = True
        self._end_helpers()

    def _end_helpers(self) -> None:
        for helper in self._helpers:
            if helper.poll() is None:
                helper.kill()
                helper.wait()

    def describe(self) -> str:
        """Return a line that says what is compiled, about how long it takes, and how long it has taken.

        >>> Compilation([unit("game", 64)], 64).describe()
        'compiling, only once, about 1 s (0 s so far): whole games for boards of up to 64 squares'
        """
        labels = list(dict.fromkeys(unit.label for unit in self.units))
        if len(labels) > 3:
            labels = [*labels[:2], f"{len(labels) - 2} more"]
        what = " and ".join(filter(None, [", ".join(labels[:-1]), *labels[-1:]]))
        passed, about = time.monotonic() - self._began, max(self.seconds, 1.0)
        # The times come first, because a narrow terminal cuts off the end of the line.
        times = f"about {about:.0f} s ({passed:.0f} s so far)"
        return f"compiling, only once, {times}: {what} for boards of up to {self.width} squares"


def _split(units: list[Unit], cores: int) -> list[list[Unit]]:
    """Return shares of similar length, the first for this process. If a helper would save little, a unit stays here."""
    shares: list[list[Unit]] = [[] for _ in range(max(cores, 1))]
    loads = [0.0, *[_START] * (len(shares) - 1)]
    for item in sorted(units, key=lambda unit: -unit.seconds):
        # A search stays here, because this process needs it first. The code it shares with the next one is then ready.
        at = 0 if item.name.startswith(("search:", "game")) else loads.index(min(loads))
        shares[at].append(item)
        loads[at] += item.seconds
    return [shares[0], *[share for share in shares[1:] if share]]


@contextmanager
def _without_collection() -> Iterator[None]:
    """Disable the garbage collector: the compiler makes few cycles, but collection takes a twelfth of its time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _start(share: list[Unit], width: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "knightfall.agents.ready", str(width), *[unit.name for unit in share]]
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )


def main() -> None:
    """Compile the units that are named on the command line."""
    warnings.simplefilter("ignore")
    width, names = int(sys.argv[1]), sys.argv[2:]
    with _without_collection():
        for name in names:
            unit(name, width).compile()


if __name__ == "__main__":
    main()
