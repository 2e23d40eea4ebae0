"""Errors of agents."""

from __future__ import annotations

from knightfall.rules import KnightfallError


class AgentError(KnightfallError):
    """An agent cannot be created, or it cannot do what was requested; described in one line."""


class AgentTextError(AgentError):
    """An error in an agent's text. ``index`` counts characters from 0. ``cause`` is the message without the place."""

    def __init__(self, text: str, index: int, cause: str) -> None:
        super().__init__(f"{text!r}: character {index + 1}: {cause}")
        self.text = text
        self.index = index
        self.cause = cause


class UnknownAgent(AgentTextError):
    """An agent's text begins with an unknown name."""


def at_character(text: str, index: int, message: str) -> AgentTextError:
    """Return an error about one character of an agent's text. ``index`` counts from 0, the message from 1."""
    return AgentTextError(text, index, message)
