"""What can be wrong with an agent."""

from __future__ import annotations

from knightfall.rules import KnightfallError


class AgentError(KnightfallError):
    """An agent that cannot be made, or that cannot do what it was asked; described in one line."""


class AgentTextError(AgentError):
    """A fault in an agent's text; ``index`` is the character, counted from 0, and ``cause`` the message without it."""

    def __init__(self, text: str, index: int, cause: str) -> None:
        super().__init__(f"{text!r}: character {index + 1}: {cause}")
        self.text = text
        self.index = index
        self.cause = cause


class UnknownAgent(AgentTextError):
    """A text that begins with a name that no agent has."""


def at_character(text: str, index: int, message: str) -> AgentTextError:
    """An error about one character of an agent's text; ``index`` counts from 0, the message from 1."""
    return AgentTextError(text, index, message)
