"""The base class of all agents."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from knightfall.agents.budget import Budget
from knightfall.agents.choice import Choice
from knightfall.agents.errors import AgentError
from knightfall.native.seeds import key_of
from knightfall.rules import Position

if TYPE_CHECKING:
    from knightfall.agents.native_agent import Deepening

LARGEST_SEED = 2**64 - 1


class Agent(ABC):
    """Chooses a move for a position within a budget.

    ``text`` describes it. The same text, seed and position give the same move in every process, unless the budget is a
    time. ``seed`` is a whole number from 0 to 2^64 - 1. ``name`` is shown instead of the text. Subclasses define
    ``kind``, ``settings``, ``with_seed`` and ``choose``.
    """

    kind: str
    """The first word of its text."""

    def __init__(self, seed: int = 0, name: str = "") -> None:
        if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= LARGEST_SEED:
            raise AgentError(f"the seed is a whole number from 0 to 2^64 - 1, not {seed!r}")
        self.seed = seed
        self.name = name
        self.key = key_of("agent", seed)

    @property
    @abstractmethod
    def settings(self) -> list[str]:
        """The settings in the brackets of its text."""

    @property
    def budget(self) -> Budget:
        """The limits of one move; empty for agents that need none."""
        return Budget()

    @property
    def text(self) -> str:
        """The agent as text. :func:`knightfall.agent` creates the same agent from it."""
        return f"{self.kind}({', '.join(self.settings)})" if self.settings else self.kind

    def __str__(self) -> str:
        return self.name or self.text

    def __repr__(self) -> str:
        return f"<agent {self}>"

    def with_budget(self, budget: Budget) -> Agent:
        """Return the same agent with this budget, unless it has its own budget or a fixed depth."""
        return self

    @abstractmethod
    def with_seed(self, seed: int) -> Agent:
        """Return the same agent with another seed."""

    @abstractmethod
    def choose(self, position: Position) -> Choice:
        """Return the move that the agent plays; raise :class:`AgentError` if the game is over."""

    @property
    def scores_moves(self) -> bool:
        """Whether the agent supports :meth:`deepen`."""
        return type(self).deepen is not Agent.deepen

    def deepen(self, position: Position) -> Deepening:
        """Return an iterator over analyses of every move, which improve until the budget ends or it is stopped.

        Raise :class:`AgentError` if the agent does not score moves.
        """
        raise AgentError(f"{self} does not score moves")

    def check(self, position: Position) -> None:
        """Raise :class:`AgentError` if there is no move to choose."""
        if not isinstance(position, Position):
            raise AgentError(f"a Position is expected, not {position!r:.60}")
        if position.is_over:
            raise AgentError(f"there is no move to choose: the game is over in {position.fen()}")
