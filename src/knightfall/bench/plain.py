"""The searches in plain Python over rules/, for comparison with the compiled ones."""

from __future__ import annotations

import math
import random

from knightfall.rules import Position


def improved(position: Position, player: int) -> float:
    """Return the value of the heuristic `improved`."""
    mine, theirs = len(position.moves_of(player)), len(position.moves_of(3 - player))
    if (mine if position.to_move == player else theirs) == 0:
        return -math.inf if position.to_move == player else math.inf
    return float(mine - theirs)


class AlphaBeta:
    """Fixed-depth alpha-beta with `improved`. It counts the positions that it steps into."""

    def __init__(self, searcher: int) -> None:
        self.searcher = searcher
        self.nodes = 0

    def value(self, position: Position, depth: int, alpha: float = -math.inf, beta: float = math.inf) -> float:
        """Return the value for the player to move."""
        if depth == 0:
            found = improved(position, self.searcher)
            return found if position.to_move == self.searcher else -found
        best = -math.inf
        for square in position.legal_moves():
            self.nodes += 1
            found = -self.value(position.play(square), depth - 1, -beta, -alpha)
            if found > best:
                best = found
                if best >= beta:
                    break
                alpha = max(alpha, best)
        return best


class Node:
    """One node of a Monte Carlo tree."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.children: list[Node] | None = None
        self.visits = 0
        self.won = 0.0  # by the player who moved here


def monte_carlo(position: Position, playouts: int, seed: int = 0, c: float = 1.0) -> int:
    """Return the most visited move after ``playouts`` playouts of UCT."""
    generator = random.Random(seed)
    root = Node(position)
    root.children = [Node(position.play(square)) for square in position.legal_moves()]
    for _ in range(playouts):
        path = [root]
        while path[-1].children:
            parent = path[-1]
            logarithm = math.log(max(parent.visits, 1))
            path.append(max(parent.children or (), key=lambda child: _bound(child, logarithm, c)))
            if path[-1].visits == 0:
                break
            if path[-1].children is None:
                path[-1].children = [Node(path[-1].position.play(s)) for s in path[-1].position.legal_moves()]
        end = path[-1].position
        while moves := end.legal_moves():
            end = end.play(generator.choice(moves))
        for node in path:
            node.visits += 1
            node.won += node.position.to_move == end.to_move
    best = max(root.children, key=lambda child: child.visits)
    return position.legal_moves()[root.children.index(best)]


def _bound(child: Node, logarithm: float, c: float) -> float:
    if child.visits == 0:
        return math.inf
    return child.won / child.visits + c * math.sqrt(logarithm / child.visits)
