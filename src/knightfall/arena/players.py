"""The players of a tournament: agents by name, with the tournament's budget."""

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
    """A player: its name in tables and in the ledger, and its agent.

    ``heuristic`` is set if the agent's string cannot refer to it, for example for a function that is not in a file.
    """

    name: str
    agent: Agent
    heuristic: Heuristic | None = None

    @property
    def identity(self) -> str:
        """The agent that plays, independent of its name; for a function without a file, also the player's name."""
        return self.agent.text if self.is_portable else f"{self.agent.text} as {self.name}"

    @property
    def is_portable(self) -> bool:
        """Whether another process can create the same agent from its name."""
        return self.heuristic is None or self.heuristic.code.path is not None


def make_player(name: str, budget: Budget, heuristic: Heuristic | None = None, typed: str | None = None) -> Player:
    """Return a player; raise an error if it cannot play in a tournament.

    ``typed`` is the user's text if ``name`` contains more, such as the search; errors refer to it.
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
    """Return players by name; ``typed`` maps names to the user's texts."""
    known, written = heuristics or {}, typed or {}
    return {name: make_player(name, budget, known.get(name), written.get(name)) for name in dict.fromkeys(names)}
