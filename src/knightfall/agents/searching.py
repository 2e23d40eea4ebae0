"""Agents that search by depth: minimax, alpha-beta, and greedy, which is a search of one ply."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np

from knightfall.agents.budget import DEFAULT_NODES, Budget, number_text
from knightfall.agents.choice import Analysis, Choice, MoveScore
from knightfall.agents.native_agent import Deepening, NativeAgent, Workspace, line_of, load
from knightfall.catalogue.heuristic import Heuristic
from knightfall.native.search.block import (
    MOST_MOVES,
    ROOT_DEPTHS,
    ROOT_LINES,
    ROOT_NODES,
    ROOT_SQUARES,
    ROOT_VALUES,
    ROW,
    Field,
)
from knightfall.native.search.entry_points import CONTINUE, START, perform
from knightfall.native.search.order import HISTORY, KILLER, REPLIES, ROOT, TABLE
from knightfall.native.search.root import ALPHABETA, MINIMAX, REFINED
from knightfall.native.search.transposition import BUCKET
from knightfall.native.search.value import end_of, score_of
from knightfall.native.state import State
from knightfall.rules import Position

ORDERS = {"root": ROOT, "table": TABLE, "killer": KILLER, "history": HISTORY, "replies": REPLIES}
"""What the order of moves can depend on."""

USUAL_ORDER = frozenset({"root", "table", "killer"})
"""The fastest order. History and replies save some more nodes, but cost more time than they save."""

_BYTES_OF_BUCKET = BUCKET * 8
_SMALLEST_TABLE, _LARGEST_TABLE = 2**10, 2**17  # buckets of a table whose size is not given


@dataclass(frozen=True)
class Search:
    """The settings of a search. The defaults are the project's own search."""

    depth: int | None = None
    nodes: int | None = None
    ms: float | None = None
    tt: float | None = -1.0
    order: frozenset[str] = USUAL_ORDER
    window: str = "null"
    fold: bool = True
    horizon: str = "rules"
    ties: str = "shuffle"
    deepen: bool = True
    partial: bool = True
    reuse: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether plain alpha-beta is enough for these settings."""
        return self.tt is None and self.order <= {"root"} and self.window == "full"

    def settings(self, usual: Search) -> list[str]:
        """Return the settings that differ from the usual ones, as they are written in an agent's text."""
        told = Budget(self.depth, self.nodes, self.ms).settings()
        for field in fields(self)[3:]:
            value = getattr(self, field.name)
            if value != getattr(usual, field.name):
                told.append(f"{field.name}={_shown(value)}")
        return told


PLAIN = Search(tt=None, order=frozenset(), window="full", fold=False, deepen=False, partial=False)
"""Settings without refinements, for minimax and greedy. The published alpha-beta is based on them."""

PUBLISHED = replace(PLAIN, horizon="heuristic", deepen=True)
"""Iterative deepening as in the reports."""


def _shown(value: object) -> str:
    if isinstance(value, frozenset):
        return "+".join(name for name in ORDERS if name in value) or "plain"
    if value is None:
        return "off"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return "auto" if value < 0 else number_text(value)
    return str(value)


class SearchAgent(NativeAgent):
    """Minimax, alpha-beta or greedy, with any heuristic."""

    def __init__(self, kind: str, heuristic: Heuristic, search: Search, seed: int = 0, name: str = "") -> None:
        super().__init__(seed, name)
        self.kind = kind
        self.heuristic: Heuristic = heuristic
        self.search = search

    @property
    def usual(self) -> Search:
        """The settings that the text leaves out."""
        return Search() if self.kind == "alphabeta" else PLAIN

    @property
    def settings(self) -> list[str]:
        told = self.search if self.kind != "greedy" else replace(self.search, depth=None)
        return [self.heuristic.text, *told.settings(self.usual)]

    @property
    def has_fixed_depth(self) -> bool:
        """Whether it always searches to one depth, whatever the cost."""
        return not self.search.deepen

    @property
    def budget(self) -> Budget:
        given = Budget(self.search.depth, self.search.nodes, self.search.ms)
        return Budget(nodes=DEFAULT_NODES) if given.is_empty else given

    def with_budget(self, budget: Budget) -> SearchAgent:
        given = Budget(self.search.depth, self.search.nodes, self.search.ms)
        if self.has_fixed_depth or not given.is_empty:
            return self
        search = replace(self.search, depth=budget.depth, nodes=budget.nodes, ms=budget.ms)
        return SearchAgent(self.kind, self.heuristic, search, self.seed, self.name)

    def with_seed(self, seed: int) -> SearchAgent:
        return SearchAgent(self.kind, self.heuristic, self.search, seed, self.name)

    @property
    def native_kind(self) -> int:
        if self.kind != "alphabeta":
            return MINIMAX
        return ALPHABETA if self.search.is_plain else REFINED

    def prepare(self, workspace: Workspace) -> None:
        block, search, budget = workspace.block, self.search, self.budget
        block[Field.MAX_DEPTH] = MOST_MOVES + 1 if budget.depth is None else budget.depth
        if budget.nodes is not None:
            block[Field.NODE_LIMIT] = budget.nodes
        block[Field.DEEPEN] = search.deepen
        block[Field.PARTIAL] = search.partial and "root" in search.order
        block[Field.HORIZON] = search.horizon == "heuristic"
        block[Field.ORDER] = sum(ORDERS[name] for name in search.order)
        block[Field.WINDOW] = search.window == "null"
        block[Field.REUSE] = search.reuse
        block[Field.SHUFFLE] = search.ties == "shuffle"
        if search.tt is not None:
            buckets = self._buckets()
            workspace.table = np.zeros(buckets * BUCKET + BUCKET, np.int64)
            offset = -workspace.table.ctypes.data % _BYTES_OF_BUCKET
            block[Field.TABLE] = workspace.table.ctypes.data + offset
            block[Field.TABLE_MASK] = buckets - 1
            # A heuristic that runs out of ticks may have counted other lines than for the image of the position.
            heuristic = self.heuristic
            if search.fold and heuristic.is_invariant(workspace.geometry) and not heuristic.code.needs_care:
                workspace.fold()

    def _buckets(self) -> int:
        """Return the number of buckets of the table: the requested size, else as many as the budget can fill."""
        search, budget = self.search, self.budget
        if search.tt is not None and search.tt >= 0:
            wanted = search.tt * 2**20 / _BYTES_OF_BUCKET
            return 1 << int(math.log2(max(wanted, 1)))
        if budget.nodes is not None:
            wanted = budget.nodes / 16
        elif budget.ms is not None:
            wanted = budget.ms * 1_000
        else:
            wanted = _LARGEST_TABLE / 8
        return 1 << math.ceil(math.log2(min(max(wanted, _SMALLEST_TABLE), _LARGEST_TABLE)))

    def score(self, value: float, depth: int) -> float | None:
        return score_of(value) if depth else None

    def read(self, workspace: Workspace, position: Position, square: int, seconds: float) -> Choice:
        block = workspace.block
        value = float(block.floats[Field.BEST_VALUE])
        end = end_of(value)
        depth = block[Field.BEST_DEPTH]
        return Choice(
            square,
            self.score(value, depth),
            depth,
            block[Field.NODES],
            seconds,
            line_of(workspace) or (square,),
            None if end is None else end - position.ply,
            geometry=position.geometry,
        )

    def deepen(self, position: Position) -> Deepening:
        self.check(position)
        load(self, position)
        workspace = self.take(position.geometry)
        workspace.block[Field.MULTI] = 1
        return Deepening(self, workspace, self._iterations(workspace, position))

    def _iterations(self, workspace: Workspace, position: Position) -> Iterator[Analysis]:
        block = workspace.block
        began = time.perf_counter()
        count = self.call(workspace, position, began, START)
        most = min(block[Field.MAX_DEPTH], position.geometry.size - position.ply + 1)
        state = State.of(position)
        scored = False
        for depth in range(1 if self.search.deepen else most, most + 1):
            work = partial(perform, block, state, CONTINUE, count, depth)
            finished = self.guarded(workspace, self.is_quick(workspace), work)
            seconds = time.perf_counter() - began
            if finished or not scored:
                found = self._analysis(workspace, position, count, seconds)
                scored = True
            else:  # the cost of the unfinished iteration is part of the total
                found = replace(found, nodes=block[Field.NODES], seconds=seconds)
            yield found
            # If the best move is proven, the other moves may not be. Continue until all are.
            if not finished or all(move.ends_in is not None for move in found.moves):
                return

    def _analysis(self, workspace: Workspace, position: Position, count: int, seconds: float) -> Analysis:
        block, roots = workspace.block, workspace.block.roots
        values = roots.view(np.float64)
        lines = roots.view(np.uint8)[ROOT_LINES:]
        found = []
        for square in (int(square) for square in roots[ROOT_SQUARES : ROOT_SQUARES + count]):
            depth = int(roots[ROOT_DEPTHS + square])
            value = float(values[ROOT_VALUES + square]) if depth else -math.inf
            end = end_of(value) if depth else None
            row = lines[square * ROW :]
            move = MoveScore(
                square,
                score_of(value) if depth else None,
                None if end is None else end - position.ply,
                depth,
                tuple(int(at) for at in row[1 : 1 + int(row[0])]) or (square,),
                nodes=int(roots[ROOT_NODES + square]),
                geometry=position.geometry,
            )
            found.append((value, move))
        # The sort is stable, so among equal moves the one that was searched first stays first.
        moves = tuple(move for _, move in sorted(found, key=lambda pair: -pair[0]))
        return Analysis(position, self.text, moves, moves[0].depth, block[Field.NODES], seconds)
