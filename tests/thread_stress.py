"""All kinds of agents used by several threads at once: `python thread_stress.py POSITIONS SEED`.

This is a separate program, because the fault that it searches for ends the process. It prints one line per failure.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import knightfall as kf

THREADS = 4
REPEATABLE = (
    "random",
    "greedy(improved)",
    "minimax(improved, depth=2)",
    "alphabeta(improved, nodes=200)",
    "mcts(playouts=50)",
    "MM_Improved",
    "perfect(nodes=300)",
)
TIMED = ("perfect(ms=2)", "alphabeta(improved, ms=1)", "mcts(ms=1)")


def positions(count: int, seed: int) -> list[kf.Position]:
    """Return unfinished positions of random games on two boards."""
    chance = random.Random(seed)
    found: list[kf.Position] = []
    while len(found) < count:
        position = kf.Position.start(kf.Geometry(*chance.choice([(7, 7), (5, 6)])))
        for _ in range(chance.randrange(2, 24)):
            if not position.is_over:
                position = position.play(chance.choice(position.legal_moves()))
        if not position.is_over:
            found.append(position)
    return found


def at_once(ask: Callable[[kf.Position], Any], asked: list[kf.Position]) -> list[Any]:
    """Return the answers of one object to all positions, asked by several threads."""
    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(ask, asked))


def main(count: int, seed: int) -> None:
    """Ask every agent in one thread and in several."""
    asked = positions(count, seed)
    for text in REPEATABLE:
        agent = kf.agent(text)
        alone = [agent.choose(position).square for position in asked]
        together = [choice.square for choice in at_once(agent.choose, asked)]
        for position, expected, found in zip(asked, alone, together, strict=True):
            if expected != found:
                print(f"{text} plays {found} instead of {expected} in {position.fen()}")
    for text in TIMED:
        for position, choice in zip(asked, at_once(kf.agent(text).choose, asked), strict=True):
            if choice.square not in position.legal_moves():
                print(f"{text} plays {choice.square} in {position.fen()}")
    late = [position for position in asked if position.ply >= 16]
    solver = kf.Solver(kf.Geometry(7, 7))
    late = [position for position in late if position.geometry == solver.geometry]
    winners = [kf.solve(position).winner for position in late]
    if winners != [solution.winner for solution in at_once(solver.solve, late)]:
        print("one solver asked by several threads gives other answers")
    print("done")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
