"""Search: nodes per second compared with plain Python and C, the effect of each refinement, threads and time limits."""

from __future__ import annotations

import math
import random
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np

from knightfall.agents.make import agent
from knightfall.agents.native_agent import NativeAgent
from knightfall.bench.c_program import FLAGS, build
from knightfall.bench.plain import AlphaBeta, monte_carlo
from knightfall.catalogue.registry import heuristics
from knightfall.native.block_access import block_at
from knightfall.native.board_tables import bit_width
from knightfall.native.jit import inlined
from knightfall.native.search import alphabeta, evaluation
from knightfall.native.search.block import Field
from knightfall.native.search.entry_points import perform
from knightfall.native.state import State
from knightfall.rules import Geometry, Position

POSITION = "7/7/3n3/7/7/2N4/7 w"
ON_11X9 = "11/11/11/5n5/11/5N5/11/11/11 w"
PLAIN = "tt=off, order=plain, window=full, fold=off, deepen=off, partial=off, ties=first"
REFINEMENTS = {
    "as it is": "",
    "no table": "tt=off",
    "no order": "order=plain",
    "order without the last best root move": "order=table+killer",
    "order without the table's move": "order=root+killer",
    "order without killers": "order=root+table",
    "full windows": "window=full",
    "no folding": "fold=off",
    "none of them": "tt=off, order=plain, window=full, fold=off",
    "none, and no deepening": PLAIN,
    "with history": "order=root+table+killer+history",
    "with replies": "order=root+table+killer+replies",
    "with both": "order=full",
}


@dataclass(frozen=True)
class Speed:
    """Nodes per second of one search, and those of plain Python and C if they were measured."""

    board: str
    depth: int
    nodes: int
    native: float
    native_inlined: float | None
    python: float
    python_depth: int
    c: float | None
    c_inlined: float | None

    @property
    def to_python(self) -> float:
        return self.native / self.python

    @property
    def to_c(self) -> float | None:
        return None if self.c is None else self.native / self.c


@dataclass(frozen=True)
class SearchResult:
    """All results of this module."""

    speeds: list[Speed]
    ablation: dict[str, list[int]]
    ablation_depths: list[int]
    playouts: float
    python_playouts: float
    threads: float
    agents_on_11x9: dict[str, float]
    overshoot: dict[str, list[float]]
    moves: int
    gaps: int

    def to_object(self) -> dict[str, Any]:
        return asdict(self)


def measure(quick: bool = False) -> SearchResult:
    """Run all benchmarks of this module."""
    rounds = 5 if quick else 25
    return SearchResult(
        speeds=[
            _speed(POSITION, 11 if quick else 14, 4 if quick else 7, rounds),
            _speed(ON_11X9, 8 if quick else 11, 3 if quick else 5, rounds),
        ],
        ablation={name: _ablation(options, quick) for name, options in REFINEMENTS.items()},
        ablation_depths=[_depth(name, quick) for name in ABLATION_POSITIONS],
        playouts=_playouts(20_000 if quick else 200_000),
        python_playouts=_python_playouts(20 if quick else 300),
        threads=_threads(3 if quick else 9, 10 if quick else 12),
        agents_on_11x9=_on_11x9(quick),
        overshoot={text: _overshoot(text, 100 if quick else 10_000) for text in OVERSHOOT_AGENTS},
        moves=100 if quick else 10_000,
        gaps=_gaps(1.0 if quick else _WATCHED),
    )


def _native(text: str) -> NativeAgent:
    made = agent(text)
    assert isinstance(made, NativeAgent)
    return made


def timed(made: NativeAgent, position: Position, rounds: int) -> float:
    """Return the seconds of the fastest of several native calls, without the surrounding Python code."""
    made.choose(position)
    workspace = made.take(position.geometry)
    state = State.of(position)
    best = math.inf
    for _ in range(rounds):
        began = time.perf_counter()
        perform(workspace.block, state)
        best = min(best, time.perf_counter() - began)
    made.give_back(workspace)
    return best


def _speed(fen: str, depth: int, python_depth: int, rounds: int) -> Speed:
    position = Position.from_fen(fen)
    made = _native(f"alphabeta(improved, depth={depth}, {PLAIN})")
    nodes = made.choose(position).nodes
    native, c, c_inlined = math.inf, None, None
    with tempfile.TemporaryDirectory() as folder:
        defines = ("WIDE",) if bit_width(position.geometry) == 128 else ()
        program = build("alphabeta.c", Path(folder), *defines)
        inlining = build("alphabeta.c", Path(folder), *defines, "INLINE")
        for _ in range(5):
            native = min(native, timed(made, position, rounds))
            if program is not None and inlining is not None:
                c = max(c or 0.0, _run_c(program, position, depth, rounds, nodes))
                c_inlined = max(c_inlined or 0.0, _run_c(inlining, position, depth, rounds, nodes))
    plain = AlphaBeta(position.to_move)
    began = time.perf_counter()
    plain.value(position, python_depth)
    python = plain.nodes / (time.perf_counter() - began)
    narrow = bit_width(position.geometry) == 64
    direct = nodes / _inlined(position, depth, rounds) if narrow else None
    return Speed(str(position.geometry), depth, nodes, nodes / native, direct, python, python_depth, c, c_inlined)


def _run_c(program: Path, position: Position, depth: int, rounds: int, expected: int) -> float:
    geometry = position.geometry
    arguments = (geometry.width, geometry.height, *position.locations, depth, rounds)
    done = subprocess.run([str(program), *map(str, arguments)], check=True, capture_output=True, text=True)
    nodes, _, seconds = done.stdout.split()
    if int(nodes) != expected:
        raise RuntimeError(f"the C program searches {nodes} nodes, the engine {expected}")
    return expected / float(seconds)


def _inlined(position: Position, depth: int, rounds: int) -> float:
    """Return the seconds of the same search with the heuristic called by name, so that the compiler can inline it."""
    heuristic = heuristics["improved"].code.dispatcher(64)
    zeros = (0.0,) * 8

    def evaluate(block: Any, game: Any, player: Any) -> Any:
        return heuristic(game, player, zeros)

    asked = inlined(_relinked(evaluation.asked, evaluate=numba.njit(forceinline=True)(evaluate)))
    chosen = inlined(_relinked(evaluation.leaf, asked=asked))
    search: Any = _relinked(alphabeta.alphabeta, leaf=chosen)
    search = numba.njit(nogil=True, error_model="numpy")(search)
    search.py_func.__globals__["alphabeta"] = search

    @numba.njit(nogil=True)
    def run(address: Any, state: Any, depth: Any) -> Any:
        infinity = float("inf")
        block = block_at(address)
        return search(block, state.empty, state.mover, state.other, depth, -infinity, infinity)

    workspace = _native(f"alphabeta(improved, depth={depth}, {PLAIN})").take(position.geometry)
    block, state = workspace.block, State.of(position)
    best = math.inf
    for _ in range(rounds + 1):
        block[Field.NODES] = block[Field.NEXT] = block[Field.STOPPED] = 0
        block[Field.SEARCHER], block[Field.PARITY], block[Field.COUNT_BASE] = 1, depth, position.ply + depth
        began = time.perf_counter()
        run(block.address, state, depth)
        best = min(best, time.perf_counter() - began)
    return best


def _relinked(dispatcher: Any, **names: Any) -> FunctionType:
    """Return the Python function of a compiled one, with some of its global names replaced."""
    source = dispatcher.py_func
    return FunctionType(source.__code__, {**source.__globals__, **names}, source.__name__)


ABLATION_POSITIONS = {
    "given": (POSITION, 14),
    "centre": ("7/7/7/3N3/7/7/7 b", 8),
    "later": ("2*4/4*2/3n3/1*5/5*1/2N4/1*5 w", 16),
    "11×9": (ON_11X9, 12),
}
"""The positions for measuring the refinements, with their depths."""


def _depth(name: str, quick: bool) -> int:
    return ABLATION_POSITIONS[name][1] - (4 if quick else 0)


def _ablation(options: str, quick: bool) -> list[int]:
    """Return the nodes to a fixed depth on each position, with these options."""
    found = []
    for name, (fen, _) in ABLATION_POSITIONS.items():
        parts = ["improved", f"depth={_depth(name, quick)}", *filter(None, [options])]
        if "ties" not in options:
            parts.append("ties=first")
        found.append(agent(f"alphabeta({', '.join(parts)})").choose(Position.from_fen(fen)).nodes)
    return found


def _playouts(count: int) -> float:
    seconds = timed(_native(f"mcts(playouts={count})"), Position.from_fen(POSITION), 5)
    return count / seconds


def _python_playouts(count: int) -> float:
    began = time.perf_counter()
    monte_carlo(Position.from_fen(POSITION), count)
    return count / (time.perf_counter() - began)


def _threads(rounds: int, depth: int) -> float:
    """Return how much faster two searches run in two threads than one after the other."""
    made = _native(f"alphabeta(contested_reach, depth={depth})")
    position = Position.from_fen(POSITION)
    state = State.of(position)
    made.choose(position)
    workspaces = [made.take(position.geometry) for _ in range(2)]

    def run(index: int, times: int) -> None:
        for _ in range(times):
            perform(workspaces[index].block, state)

    def both() -> None:
        threads = [threading.Thread(target=run, args=(index, 20)) for index in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    one = two = math.inf
    for _ in range(rounds):
        one = min(one, _seconds(lambda: run(0, 40)))
        two = min(two, _seconds(both))
    return one / two


def _seconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


AGENTS_ON_11X9 = (
    "minimax(improved, depth=5)",
    f"alphabeta(improved, depth=9, {PLAIN})",
    "alphabeta(improved, depth=9)",
    "alphabeta(contested_reach, depth=8)",
    "mcts(playouts=20000)",
)


def _on_11x9(quick: bool) -> dict[str, float]:
    """Return nodes per second on 11×9, as a share of those on 7×7."""
    found = {}
    for text in AGENTS_ON_11X9:
        rates = []
        for fen in (ON_11X9, POSITION):
            position = Position.from_fen(fen)
            made = _native(text)
            rates.append(made.choose(position).nodes / timed(made, position, 3 if quick else 9))
        found[text] = rates[0] / rates[1]
    return found


OVERSHOOT_AGENTS = ("alphabeta(improved, ms=5)", "alphabeta(space_proximity, ms=5)", "mcts(ms=5)")
PERCENTILES = (50.0, 99.0, 99.9, 100.0)


def _overshoot(text: str, moves: int) -> list[float]:
    """Return milliseconds beyond the budget, as percentiles, over moves from positions at plies 2 to 8 on 7×7."""
    generator = random.Random(1)
    made = _native(text)
    budget = made.budget.ms
    assert budget is not None
    over = []
    for index in range(moves):
        position = _random_position(generator, 2 + index % 7)
        over.append(made.choose(position).seconds * 1e3 - budget)
    return [float(np.percentile(over, share)) for share in PERCENTILES]


_WATCHED = 20.0  # seconds


def _gaps(seconds: float) -> int:
    """Count interruptions of over 2 ms in a loop that only reads the clock.

    They show how much of the delays is due to the machine.
    """
    found = 0
    last = time.perf_counter()
    end = last + seconds
    while last < end:
        now = time.perf_counter()
        found += now - last > 0.002
        last = now
    return found


def _random_position(generator: random.Random, plies: int) -> Position:
    while True:
        position = Position.start(Geometry(7, 7))
        while position.ply < plies and not position.is_over:
            position = position.play(generator.choice(position.legal_moves()))
        if not position.is_over:
            return position


def table(result: SearchResult) -> str:
    """Return the results as Markdown tables."""
    parts = [_speed_table(result), _ablation_table(result), _other_table(result), _overshoot_table(result)]
    return "\n\n".join(parts)


def _speed_table(result: SearchResult) -> str:
    rows = [
        "| plain alpha-beta, `improved` | depth | nodes | nodes/s | to plain Python | to C | inlined | C inlined |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for speed in result.speeds:
        to_c = "no compiler" if speed.to_c is None else f"{speed.to_c:.2f}×"
        direct = "" if speed.native_inlined is None else f"{speed.native_inlined / speed.native:.2f}×"
        c_direct = "" if speed.c is None or speed.c_inlined is None else f"{speed.c_inlined / speed.c:.2f}×"
        rows.append(
            f"| {speed.board} | {speed.depth} | {speed.nodes:,} | {speed.native / 1e6:,.0f} M | "
            f"{speed.to_python:,.0f}× (at depth {speed.python_depth}) | {to_c} | {direct} | {c_direct} |"
        )
    notes = (
        f"C: gcc {' '.join(FLAGS)}, the same algorithm, the heuristic behind a function pointer in both. The last two "
        "columns say what each would gain if the compiler could inline the heuristic, which a pointer forbids."
    )
    return "\n".join((*rows, "", notes))


def _ablation_table(result: SearchResult) -> str:
    names = [f"{name}, depth {depth}" for name, depth in zip(ABLATION_POSITIONS, result.ablation_depths, strict=True)]
    rows = [f"| nodes to a depth, `improved` | {' | '.join(names)} |", "|---|" + "---:|" * len(names)]
    for name, counts in result.ablation.items():
        rows.append(f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |")
    return "\n".join(rows)


def _other_table(result: SearchResult) -> str:
    rows = [
        "| | |",
        "|---|---:|",
        f"| Monte Carlo, playouts/s | {result.playouts / 1e3:,.0f} k |",
        f"| the same, to plain Python | {result.playouts / result.python_playouts:,.0f}× |",
        f"| two threads to one | {result.threads:.2f}× |",
    ]
    rows += [f"| 11×9 to 7×7, nodes/s, `{text}` | {ratio:.2f}× |" for text, ratio in result.agents_on_11x9.items()]
    return "\n".join(rows)


def _overshoot_table(result: SearchResult) -> str:
    head = [
        f"| beyond 5 ms, {result.moves:,} moves, plies 2–8 of 7×7 | 50 % | 99 % | 99.9 % | most |",
        "|---|---:|---:|---:|---:|",
    ]
    rows = [
        f"| `{text}` | {' | '.join(f'{value:.2f} ms' for value in over)} |" for text, over in result.overshoot.items()
    ]
    note = (
        f"A loop that did nothing but read the clock was kept waiting for over 2 ms {result.gaps} times in 20 seconds."
    )
    return "\n".join((*head, *rows, "", note))
