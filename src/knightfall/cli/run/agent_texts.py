"""Agents that the command line names."""

from __future__ import annotations

from knightfall.agents.agent import Agent
from knightfall.agents.errors import AgentError
from knightfall.agents.make import agent


def read_agent(text: str, seed: int = 0, where: str = "") -> Agent:
    """Return the agent that a string describes.

    Errors begin with ``where``, the place of the string, such as an option.
    """
    try:
        return agent(text, seed)
    except AgentError as error:
        raise AgentError(f"{where}: {error}" if where else str(error)) from None
