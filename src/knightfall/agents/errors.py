"""What can be wrong with an agent."""

from __future__ import annotations

from knightfall.rules import KnightfallError


class AgentError(KnightfallError):
    """An agent that cannot be made, or that cannot do what it was asked; described in one line."""


def at_character(text: str, index: int, message: str) -> AgentError:
    """An error about one character of an agent's text; ``index`` counts from 0, the message from 1."""
    return AgentError(f"{text!r}: character {index + 1}: {message}")
