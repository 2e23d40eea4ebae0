"""Who plays: the agents of a tournament by name, with the tournament's budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from knightfall.agents.agent import Agent
from knightfall.agents.budget import Budget
from knightfall.agents.errors import AgentTextError, UnknownAgent, at_character
from knightfall.agents.make import NAMES, agent
from knightfall.agents.text import parse
from knightfall.arena.panels import PanelError
from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.registry import heuristics as catalogue
from knightfall.rules.suggestions import did_you_mean


@dataclass(frozen=True)
class Player:
    """One player: its name in tables and in the ledger, and the agent it is.

    ``heuristic`` is given where the agent's text cannot name it: a function that is in no file.
    """

    name: str
    agent: Agent
    heuristic: Heuristic | None = None

    @property
    def identity(self) -> str:
        """What it is, whatever it is called; a function that is in no file is known by its player's name alone."""
        return self.agent.text if self.is_portable else f"{self.agent.text} as {self.name}"

    @property
    def is_portable(self) -> bool:
        """Whether another process can make the same agent of its name."""
        return self.heuristic is None or self.heuristic.code.path is not None


def make_player(name: str, budget: Budget, heuristic: Heuristic | None = None, typed: str | None = None) -> Player:
    """A player of that name; an error where it cannot play in a tournament.

    ``typed`` is what the user wrote where the name says more, such as the search: errors speak of it.
    """
    try:
        made = agent(name, heuristic=heuristic)
    except UnknownAgent as error:
        unknown = parse(error.text).name
        near = did_you_mean(unknown, [*catalogue, *NAMES], "`knightfall heuristics` and `knightfall agents` list them")
        raise PanelError(f"heuristic or agent {unknown!r} not found{near}") from None
    except AgentTextError as error:
        before = len(name) - len(typed or name)
        if typed is None or not name.endswith(typed) or error.index < before:
            raise
        raise at_character(typed, error.index - before, error.cause) from None
    if made.kind == "human":
        raise PanelError("a human cannot play in a tournament; `knightfall play` is the place")
    return Player(name, made.with_budget(budget) if not budget.is_empty else made, heuristic)


def make_players(
    names: Iterable[str],
    budget: Budget,
    heuristics: Mapping[str, Heuristic] | None = None,
    typed: Mapping[str, str] | None = None,
) -> dict[str, Player]:
    """Players by name; ``typed`` is what the user wrote for a name."""
    known, written = heuristics or {}, typed or {}
    return {name: make_player(name, budget, known.get(name), written.get(name)) for name in dict.fromkeys(names)}
