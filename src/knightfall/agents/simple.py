"""Agents that do not search: random, and a human at the terminal."""

from __future__ import annotations

import sys
import time

from knightfall.agents.agent import Agent
from knightfall.agents.choice import Choice
from knightfall.agents.errors import AgentError
from knightfall.native.seeds import seed_of
from knightfall.rules import KnightfallError, Position, draw_text


class RandomAgent(Agent):
    """Plays any legal move with equal probability. The move depends only on the seed and the position."""

    kind = "random"

    @property
    def settings(self) -> list[str]:
        return []

    def with_seed(self, seed: int) -> RandomAgent:
        return RandomAgent(seed, self.name)

    def choose(self, position: Position) -> Choice:
        self.check(position)
        moves = position.legal_moves()
        square = moves[seed_of(position, self.key) % len(moves)]
        return Choice(square, nodes=0, line=(square,), geometry=position.geometry)


class HumanAgent(Agent):
    """Reads moves from the terminal. `knightfall play` is more comfortable."""

    kind = "human"

    @property
    def settings(self) -> list[str]:
        return []

    def with_seed(self, seed: int) -> HumanAgent:
        return HumanAgent(seed, self.name)

    def choose(self, position: Position) -> Choice:
        self.check(position)
        began = time.perf_counter()
        moves = position.legal_moves()
        print(draw_text(position, marks=dict.fromkeys(moves if len(moves) <= 8 else (), "·")))
        while True:
            print(f"{('first', 'second')[position.to_move - 1]} player to move> ", end="", flush=True)
            line = sys.stdin.readline()
            if not line:
                raise AgentError("there is no one at the terminal: the input has ended")
            try:
                square = position.geometry.parse_label(line.strip().lower())
                position.play(square)
            except KnightfallError as error:
                print(error)
                continue
            seconds = time.perf_counter() - began
            return Choice(square, seconds=seconds, line=(square,), geometry=position.geometry)
