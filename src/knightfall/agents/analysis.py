"""What an agent thinks of every move of a position."""

from __future__ import annotations

from knightfall.agents.agent import Agent
from knightfall.agents.choice import Analysis
from knightfall.agents.make import agent as make_agent
from knightfall.agents.native_agent import Deepening
from knightfall.rules import Position

ANALYST = "alphabeta(contested_reach, ms=1000)"
"""Who is asked where no one is named."""


def analyze(position: Position, agent: Agent | str = ANALYST) -> Analysis:
    """Every legal move, best first: score, depth, expected line, nodes.

    >>> import knightfall as kf
    >>> position = kf.Position.from_fen("7/7/3n3/7/7/2N4/7 w")
    >>> found = kf.analyze(position, agent="alphabeta(improved, depth=6)")
    >>> found.depth, len(found.moves), found.best.score
    (6, 6, 0.0)
    """
    *_, last = deepening(position, agent)  # the first iteration is always told
    return last


def deepening(position: Position, agent: Agent | str = ANALYST) -> Deepening:
    """The same, step by step, each deeper than the one before; ``stop()`` ends it, also from another thread."""
    made = make_agent(agent) if isinstance(agent, str) else agent
    return made.deepen(position)
