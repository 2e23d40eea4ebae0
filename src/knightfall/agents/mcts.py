"""Monte Carlo tree search."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from knightfall.agents.budget import DEFAULT_NODES, Budget, number_text
from knightfall.agents.choice import Analysis, Choice, MoveScore
from knightfall.agents.native_agent import UNLIMITED, Deepening, NativeAgent, Workspace, line_of, load
from knightfall.catalogue.heuristic import Heuristic
from knightfall.native.search.block import Field
from knightfall.native.search.entry_points import CONTINUE, START, perform
from knightfall.native.search.root import TREE
from knightfall.native.search.tree import BYTES, LOST, NOTHING, PATH, RECORD, WON
from knightfall.native.state import State
from knightfall.rules import Position

_SMALLEST_TREE = 1_024  # nodes; enough for the root and its children on any board
_FIRST_PLAYOUTS = 256

Tree = npt.NDArray[np.void]


@dataclass(frozen=True)
class MonteCarlo:
    """The settings of the tree search."""

    nodes: int | None = None
    ms: float | None = None
    playouts: int | None = None
    c: float = 1.0
    tree: float = 64.0
    cutoff: int | None = None

    def settings(self) -> list[str]:
        """Return the settings that differ from the defaults, as they are written in an agent's text."""
        told = Budget(None, self.nodes, self.ms, self.playouts).settings()
        usual = MonteCarlo()
        if self.c != usual.c:
            told.append(f"c={number_text(self.c)}")
        if self.tree != usual.tree:
            told.append(f"tree={number_text(self.tree)}")
        if self.cutoff is not None:
            told.append(f"cutoff={self.cutoff}")
        return told


class MonteCarloAgent(NativeAgent):
    """UCT with random playouts. With a heuristic and a cutoff, playouts end after that many moves and are evaluated."""

    kind = "mcts"

    def __init__(self, heuristic: Heuristic | None, search: MonteCarlo, seed: int = 0, name: str = "") -> None:
        super().__init__(seed, name)
        self.heuristic = heuristic
        self.search = search

    @property
    def settings(self) -> list[str]:
        return [*([self.heuristic.text] if self.heuristic else []), *self.search.settings()]

    @property
    def _given(self) -> Budget:
        return Budget(None, self.search.nodes, self.search.ms, self.search.playouts)

    @property
    def budget(self) -> Budget:
        return Budget(nodes=DEFAULT_NODES) if self._given.is_empty else self._given

    def with_budget(self, budget: Budget) -> MonteCarloAgent:
        if not self._given.is_empty:
            return self
        search = replace(self.search, nodes=budget.nodes, ms=budget.ms, playouts=budget.playouts)
        return MonteCarloAgent(self.heuristic, search, self.seed, self.name)

    def with_seed(self, seed: int) -> MonteCarloAgent:
        return MonteCarloAgent(self.heuristic, self.search, seed, self.name)

    @property
    def native_kind(self) -> int:
        return TREE

    def prepare(self, workspace: Workspace) -> None:
        block, budget = workspace.block, self.budget
        most = max(int(self.search.tree * 2**20 / BYTES), _SMALLEST_TREE)
        # A playout expands at most one node. A knight has at most eight moves, and a placement has one per square. A
        # tree that is limited to the size it can reach is allocated faster.
        size = workspace.geometry.size
        playouts = min(budget.playouts or UNLIMITED, budget.nodes or UNLIMITED)
        most = min(most, max(playouts * 8 + size * (size + 1), _SMALLEST_TREE))
        workspace.plant(most)
        block[Field.CUTOFF] = -1 if self.search.cutoff is None else self.search.cutoff
        block.floats[Field.EXPLORATION] = self.search.c
        if budget.playouts is not None:
            block[Field.PLAYOUT_LIMIT] = budget.playouts
        if budget.nodes is not None:
            block[Field.NODE_LIMIT] = budget.nodes

    def score(self, value: float, depth: int) -> float | None:
        return None if value == NOTHING else value

    def read(self, workspace: Workspace, position: Position, square: int, seconds: float) -> Choice:
        block = workspace.block
        depth = block[Field.BEST_DEPTH]
        score = self.score(float(block.floats[Field.BEST_VALUE]), depth)
        line, geometry = line_of(workspace), position.geometry
        return Choice(square, score, depth, block[Field.NODES], seconds, line, geometry=geometry)

    def deepen(self, position: Position) -> Deepening:
        self.check(position)
        load(self, position)
        workspace = self.take(position.geometry)
        return Deepening(self, workspace, self._growth(workspace, position))

    def _growth(self, workspace: Workspace, position: Position) -> Iterator[Analysis]:
        block = workspace.block
        began = time.perf_counter()
        self.call(workspace, position, began, START)
        state = State.of(position)
        most = self.budget.playouts or UNLIMITED
        playouts = min(_FIRST_PLAYOUTS, most)
        while True:
            work = partial(perform, block, state, CONTINUE, playouts)
            self.guarded(workspace, self.is_quick(workspace), work)
            yield self._analysis(workspace, position, time.perf_counter() - began)
            ended = block[Field.STOPPED] or block[Field.PLAYOUTS] >= most
            if ended or block[Field.PLAYOUTS] < playouts:
                return
            playouts = min(2 * playouts, most)

    def _analysis(self, workspace: Workspace, position: Position, seconds: float) -> Analysis:
        tree = tree_of(workspace)
        found = []
        for child in _children(tree, 0):
            visits, proof = int(tree[child]["visits"]), int(tree[child]["proof"])
            rate = int(tree[child]["halves"]) / (2 * visits) if visits else None
            score = math.inf if proof == LOST else -math.inf if proof == WON else rate
            line = tuple(_line(tree, child))
            move = MoveScore(line[0], score, None, len(line), line, visits=visits, geometry=position.geometry)
            found.append((_rank(tree, child), move))
        # Among equal moves, the one that `choose` would play comes first.
        block = workspace.block
        found.sort(key=lambda pair: (pair[0], pair[1].square == block[Field.BEST_SQUARE]), reverse=True)
        moves = tuple(move for _, move in found)
        return Analysis(position, self.text, moves, block[Field.BEST_DEPTH], block[Field.NODES], seconds)


def tree_of(workspace: Workspace) -> Tree:
    """Return the tree of the last move, as records. The first record is the root."""
    assert workspace.tree is not None
    found: Tree = workspace.tree[:-PATH].view(RECORD)[: workspace.block[Field.TREE_SIZE]]
    return found


def _children(tree: Tree, node: int) -> range:
    first = int(tree[node]["children"])
    return range(first, first + int(tree[node]["count"]))


def _rank(tree: Tree, node: int) -> tuple[bool, bool, int]:
    """Return a sort key: proven wins first, proven mistakes last, otherwise by visits."""
    proof = tree[node]["proof"]
    return bool(proof == LOST), bool(proof != WON), int(tree[node]["visits"])


def _line(tree: Tree, node: int) -> Iterator[int]:
    """Yield the most visited moves from a node on, starting with its own move."""
    while True:
        yield int(tree[node]["square"])
        visited = [child for child in _children(tree, node) if tree[child]["visits"]]
        if not visited:
            return
        node = max(visited, key=lambda child: _rank(tree, child))
