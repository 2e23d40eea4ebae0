"""Agents created from strings, kept for the next game.

Creating an agent is cheap, but the memory in which it searches (its block, its transposition table or tree) can cost
more than a short game. So code that plays many games between agents given as strings gets them here. A kept agent is a
*prototype*: it has no seed of its own, users never have access to it, and its state is reset before each game.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from knightfall.agents.agent import Agent
from knightfall.agents.make import agent as make_agent
from knightfall.agents.native_agent import NativeAgent

_MOST = 32
"""The maximum number of prototypes. The least recently used ones are dropped first."""

_LARGEST_KEPT = 2**24  # bytes of one workspace; larger ones are freed after each game

_known: OrderedDict[str, Agent] = OrderedDict()
_lock = threading.Lock()


def prototype(text: str) -> Agent:
    """Return the agent that a text describes. It is the same object as long as the text has the same meaning.

    A heuristic in a file is loaded each time. If the file has changed, a new agent is created.

    >>> prototype("AB5_Improved") is prototype("AB5_Improved")
    True
    """
    with _lock:
        known = _known.get(text)
        if known is not None:
            _known.move_to_end(text)
    if known is not None and ".py" not in text:
        return known
    made = make_agent(text)  # outside the lock, because testing a heuristic from a file may take seconds
    if known is not None and _heuristic(made) == _heuristic(known):
        return known
    with _lock:
        _known[text] = made
        _known.move_to_end(text)
        while len(_known) > _MOST:
            _known.popitem(last=False)
    return made


def _heuristic(agent: Agent) -> object:
    return getattr(agent, "heuristic", None)


def release(agent: Agent) -> None:
    """Free the memory of a prototype if it is too large to be kept between games."""
    if isinstance(agent, NativeAgent):
        agent.release(_LARGEST_KEPT)
