"""Agents made from strings, kept for the next game.

Making an agent costs little, but the memory it searches in (its block, its transposition table or tree) can cost more
than a short game. So whoever plays many games between agents given as strings asks here. What is kept is a *prototype*:
it has no seed of its own, no user gets hold of it, and what one game leaves in it is reset before the next one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from knightfall.agents.agent import Agent
from knightfall.agents.make import agent as make_agent
from knightfall.agents.native_agent import NativeAgent

_MOST = 32
"""How many prototypes are kept; the ones used last stay."""

_LARGEST_KEPT = 2**24  # bytes of one workspace; the memory of larger ones is returned after each game

_known: OrderedDict[str, Agent] = OrderedDict()
_lock = threading.Lock()


def prototype(text: str) -> Agent:
    """Return the agent that a text describes, the same one as long as the text means the same.

    A heuristic in a file is looked up each time: when the file has changed, the agent is made anew.

    >>> prototype("AB5_Improved") is prototype("AB5_Improved")
    True
    """
    with _lock:
        known = _known.get(text)
        if known is not None:
            _known.move_to_end(text)
    if known is not None and ".py" not in text:
        return known
    made = make_agent(text)  # outside the lock: a heuristic from a file may be tried for seconds
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
    """Free the memory of a prototype that is too large to be kept between games."""
    if isinstance(agent, NativeAgent):
        agent.release(_LARGEST_KEPT)
