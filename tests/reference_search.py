"""The searches a second time, in plain Python over the rules, written from their definitions, not from native code.

Nothing here is optimised. Values are pairs that Python compares, the tree consists of positions, the random numbers
of Monte Carlo are the published generator, and only the values of heuristics are remembered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import knightfall as kf
from knightfall.native.control import DEFAULT_TICKS
from knightfall.native.seeds import key_of, seed_of, stir_in_python
from knightfall.rules import Geometry, Position

Value = tuple[int, float]
"""The value of a position for the searching player.

The first part is the proved result, or 0 if none is proved. The second part is how soon the game ends, or the value
of the heuristic.
"""

LEAST, MOST = (-2, 0.0), (2, 0.0)
Line = tuple[int, ...]


def finished(position: Position, searcher: int) -> Value:
    """Return the value of a finished game. A win beats any heuristic value; early wins and late losses are better."""
    return (1, -position.ply) if position.winner == searcher else (-1, position.ply)


def score_of(value: Value) -> float:
    """Return a value as the score of an agent's choice."""
    return value[1] if value[0] == 0 else value[0] * math.inf


def ends_in(value: Value, root: Position) -> int | None:
    """Return the number of moves from the root to the end of the game, or None if it is not proved."""
    return None if value[0] == 0 else int(abs(value[1])) - root.ply


class Judge:
    """The values of a heuristic, evaluated in Python and remembered."""

    def __init__(self, heuristic: kf.Heuristic) -> None:
        self.heuristic = heuristic
        self.seen: dict[tuple[Position, int], float] = {}

    def __call__(self, position: Position, player: int) -> float:
        key = (position, player)
        if key not in self.seen:
            self.seen[key] = self.heuristic.value(position, player, interpreted=True, ticks=DEFAULT_TICKS)
        return self.seen[key]


class OutOfNodes(Exception):
    """The node limit is reached."""


@dataclass
class Node:
    """One position of a search tree, as in the golden file."""

    move: int | None
    value: Value | None = None
    """None if the budget ended before the value was known."""
    cut: bool = False
    """Whether the remaining moves were cut off."""
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Found:
    """The result of a reference search, with the fields of a ``Choice``."""

    square: int
    score: float
    ends_in: int | None
    depth: int
    nodes: int
    line: Line


class Search:
    """Minimax and alpha-beta for one root position. It counts the positions that it steps into."""

    def __init__(self, judge: Judge, root: Position, horizon: str = "heuristic", nodes: int | None = None) -> None:
        self.judge = judge
        self.root = root
        self.searcher = root.to_move
        self.horizon = horizon
        self.limit = nodes
        self.nodes = 0
        self.is_done = False

    def step(self, position: Position, square: int) -> Position:
        """Return the position after a move, and count it."""
        if self.nodes == self.limit:
            raise OutOfNodes
        self.nodes += 1
        return position.play(square)

    def known(self, position: Position, depth: int) -> Value | None:
        """Return the value of a position at the horizon or at the end of the game, or None if the search continues."""
        if depth == 0 and (self.horizon == "heuristic" or not position.is_over):
            return (0, self.judge(position, self.searcher))
        return finished(position, self.searcher) if position.is_over else None

    def minimax(self, position: Position, depth: int, node: Node) -> tuple[Value, Line]:
        """Return the value of a position for the searching player, and the first of the best lines."""
        value, line = self.known(position, depth), Line()
        if value is None:
            mine = position.to_move == self.searcher
            for square in position.legal_moves():
                node.children.append(Node(square))
                below, rest = self.minimax(self.step(position, square), depth - 1, node.children[-1])
                if value is None or (below > value if mine else below < value):
                    value, line = below, (square, *rest)
            assert value is not None
        node.value = value
        return value, line

    def alphabeta(self, position: Position, depth: int, low: Value, high: Value, node: Node) -> tuple[Value, Line]:
        """Return the same between the bounds ``low`` and ``high``; moves that cannot matter are cut off."""
        value, line = self.known(position, depth), Line()
        if value is None:
            mine = position.to_move == self.searcher
            for square in position.legal_moves():
                node.children.append(Node(square))
                after = self.step(position, square)
                below, rest = self.alphabeta(after, depth - 1, low, high, node.children[-1])
                if value is None or (below > value if mine else below < value):
                    value, line = below, (square, *rest)
                if mine:
                    low = max(low, value)
                else:
                    high = min(high, value)
                if low >= high:
                    node.cut = len(node.children) < len(position.legal_moves())
                    break
            assert value is not None
        node.value = value
        return value, line

    def choose(self, depth: int, kind: str, moves: Line | None = None, tree: Node | None = None) -> Found | None:
        """Return the best root move to one depth, the first of equals.

        The result is None if the budget ended before the value of the first move was known.
        """
        node = Node(None) if tree is None else tree
        best: tuple[Value, Line] | None = None
        self.is_done = False
        try:
            for square in self.root.legal_moves() if moves is None else moves:
                after = self.step(self.root, square)
                node.children.append(Node(square))
                if kind == "minimax":
                    value, line = self.minimax(after, depth - 1, node.children[-1])
                else:
                    low = LEAST if best is None else best[0]
                    value, line = self.alphabeta(after, depth - 1, low, MOST, node.children[-1])
                if best is None or value > best[0]:
                    best = value, (square, *line)
            self.is_done = True
        except OutOfNodes:
            pass
        if best is None:
            return None
        value, line = best
        node.value = value
        return Found(line[0], score_of(value), ends_in(value, self.root), depth, self.nodes, line)

    def deepen(self, best_first: bool = False, most: int | None = None) -> Found:
        """Run alpha-beta with increasing depth, and return the move of the last complete iteration.

        If the first iteration is not complete, it is the best move so far. The search also ends when the end of the
        game is proved, because deeper iterations would give the same result. ``best_first`` is the agent called
        Custom.
        """
        moves = self.root.legal_moves()
        found: Found | None = None
        empty = self.root.geometry.size - self.root.ply
        for depth in range(1, min(empty + 1, most or empty + 1) + 1):
            now = self.choose(depth, "alphabeta", moves)
            if now is not None and (self.is_done or found is None):
                found = now
            if now is None or not self.is_done or now.ends_in is not None:
                break
            if best_first:
                moves = (now.square, *(square for square in moves if square != now.square))
        assert found is not None  # one node is enough for one move to depth 1
        return replace(found, nodes=self.nodes)


def value_by_minimax(judge: Judge, root: Position, depth: int, horizon: str = "rules") -> tuple[float, int | None]:
    """Return the score of a root position, and in how many moves the game ends.

    Positions that occur twice are searched once, so it counts no nodes.
    """
    search = Search(judge, root, horizon)
    seen: dict[tuple[Position, int], Value] = {}

    def value(position: Position, depth: int) -> Value:
        key = (position, depth)
        if key not in seen:
            known = search.known(position, depth)
            if known is None:
                best = max if position.to_move == root.to_move else min
                known = best(value(position.play(square), depth - 1) for square in position.legal_moves())
            seen[key] = known
        return seen[key]

    best = value(root, depth)
    return score_of(best), ends_in(best, root)


# Monte Carlo tree search


class Chance:
    """The random numbers of one move: a counter that starts at the seed of agent and position, each number mixed."""

    def __init__(self, seed: int, root: Position) -> None:
        self.word = seed_of(root, key_of("agent", seed))

    def below(self, count: int) -> int:
        """Return a number from 0 to count - 1, from the upper half of the next word."""
        self.word = (self.word + 1) % 2**64
        return (stir_in_python(self.word) >> 32) * count >> 32


@dataclass
class Grown:
    """One node of a Monte Carlo tree.

    ``halves`` are half points won by the player who moved there. ``proof`` is the result for the player to move.
    """

    move: int
    position: Position
    visits: int = 0
    halves: int = 0
    proof: str = ""
    children: list[Grown] = field(default_factory=list)

    def expand(self) -> None:
        self.children = [Grown(square, self.position.play(square)) for square in self.position.legal_moves()]


class Tree:
    """UCT with random playouts and proved wins, one playout at a time."""

    def __init__(
        self,
        root: Position,
        seed: int = 0,
        c: float = 1.0,
        judge: Judge | None = None,
        cutoff: int | None = None,
        room: int | None = None,
    ) -> None:
        self.root = Grown(-1, root)
        self.root.expand()
        self.size = 1 + len(self.root.children)
        self.room = room
        self.c = c
        self.chance = Chance(seed, root)
        self.judge = judge
        self.cutoff = cutoff
        self.nodes = 0
        self.playouts = 0

    def grow(self, playouts: int) -> None:
        """Run playouts until there are ``playouts``, or until the root is proved."""
        while self.playouts < playouts and not self.root.proof:
            self.one_playout()
            self.playouts += 1

    def one_playout(self) -> None:
        path = [self.root]
        while path[-1].children:
            path.append(self.select(path[-1]))
            self.nodes += 1
            node = path[-1]
            if node.visits == 0:
                break
            if not node.children:
                more = len(node.position.legal_moves())
                if more == 0 or (self.room is not None and self.size + more > self.room):
                    break
                node.expand()
                self.size += more
        leaf = path[-1]
        if leaf.position.is_over:
            leaf.proof = "lost"
            self.prove(path)
            winner, halves = 3 - leaf.position.to_move, 2
        else:
            winner, halves = self.playout(leaf.position)
        for node in path:
            node.visits += 1
            mover = 3 - node.position.to_move
            node.halves += halves if mover == winner else 2 - halves

    def select(self, node: Grown) -> Grown:
        """Return the first unvisited child, otherwise the one with the best upper bound; losing moves are left out."""
        good = [child for child in node.children if child.proof != "won"]
        for child in good:
            if child.visits == 0:
                return child
        logarithm = math.log(max(node.visits, 1))
        bounds = [c.halves / (2 * c.visits) + self.c * math.sqrt(logarithm / c.visits) for c in good]
        return good[bounds.index(max(bounds))]

    def playout(self, position: Position) -> tuple[int, int]:
        """Play random moves to the end or the cut-off. Return a player, and the half points that this player won."""
        plies = 0
        while not position.is_over:
            if plies == self.cutoff:
                assert self.judge is not None
                mine, theirs = (self.judge(position, player) for player in (position.to_move, 3 - position.to_move))
                return position.to_move, 2 if mine > theirs else 0 if mine < theirs else 1
            moves = position.legal_moves()
            position = position.play(moves[self.chance.below(len(moves))])
            self.nodes += 1
            plies += 1
        return 3 - position.to_move, 2

    @staticmethod
    def prove(path: list[Grown]) -> None:
        """Mark positions as won or lost, from the leaf to the root.

        A position is lost if every move leads to a position that is won for the opponent, and won if one leads to a
        lost one.
        """
        for node in reversed(path[:-1]):
            if any(child.proof == "lost" for child in node.children):
                node.proof = "won"
            elif all(child.proof == "won" for child in node.children):
                node.proof = "lost"
            else:
                break


# Who wins


def solver(geometry: Geometry) -> Callable[[Position], bool]:
    """Return a function that returns whether the player to move wins, by brute force.

    It tries every move until one wins, and remembers results. Moves that leave the opponent few replies come first,
    which does not change the result.
    """
    jumps = [sum(1 << square for square in targets) for targets in geometry.jumps]
    everything = (1 << geometry.size) - 1
    seen: dict[tuple[int, int, int], bool] = {}

    def wins(empty: int, mover: int, other: int) -> bool:
        key = (empty, mover, other)
        known = seen.get(key)
        if known is None:
            known = any(not wins(left, other, square) for left, square in _moves(jumps, empty, mover, other))
            seen[key] = known
        return known

    def solve(position: Position) -> bool:
        mover, other = position.location(position.to_move), position.location(3 - position.to_move)
        assert mover is not None
        assert other is not None
        return wins(everything & ~position.used_bits, mover, other)

    return solve


def _moves(jumps: list[int], empty: int, mover: int, other: int) -> Iterator[tuple[int, int]]:
    """Yield the remaining squares and the target of each move, moves that leave the opponent few replies first."""
    found = []
    targets = jumps[mover] & empty
    replies = jumps[other] & empty
    while targets:
        bit = targets & -targets
        targets ^= bit
        square = bit.bit_length() - 1
        found.append(((replies & ~bit).bit_count(), (jumps[square] & empty).bit_count(), empty ^ bit, square))
    for _, _, left, square in sorted(found):
        yield left, square


def winning_moves(position: Position, solve: Callable[[Position], bool]) -> list[int]:
    """Return the legal moves after which the opponent loses."""
    return [square for square in position.legal_moves() if not solve(position.play(square))]
