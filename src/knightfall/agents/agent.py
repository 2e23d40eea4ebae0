"""What every agent is."""

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
    """Picks a move for a position within a budget.

    ``text`` says what it is; the same text, seed and position give the same move wherever they are put together, unless
    the budget is a time.
    """

    kind: str
    """The word its text begins with."""

    def __init__(self, seed: int = 0, name: str = "") -> None:
        if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= LARGEST_SEED:
            raise AgentError(f"the seed is a whole number from 0 to 2^64 - 1, not {seed!r}")
        self.seed = seed
        self.name = name
        self.key = key_of("agent", seed)

    @property
    @abstractmethod
    def settings(self) -> list[str]:
        """What stands in the brackets of its text."""

    @property
    def budget(self) -> Budget:
        """What one move may cost; empty for those that need none."""
        return Budget()

    @property
    def text(self) -> str:
        """The agent as text; :func:`knightfall.agent` makes the same agent of it."""
        return f"{self.kind}({', '.join(self.settings)})" if self.settings else self.kind

    def __str__(self) -> str:
        return self.name or self.text

    def __repr__(self) -> str:
        return f"<agent {self}>"

    def with_budget(self, budget: Budget) -> Agent:
        """The same agent with this budget, where it has none of its own and no fixed depth."""
        return self

    @abstractmethod
    def with_seed(self, seed: int) -> Agent:
        """The same agent with another seed."""

    @abstractmethod
    def choose(self, position: Position) -> Choice:
        """The move the agent plays; an error where the game is over."""

    @property
    def scores_moves(self) -> bool:
        """Whether :meth:`deepen` has something to say."""
        return type(self).deepen is not Agent.deepen

    def deepen(self, position: Position) -> Deepening:
        """What it thinks of every move, better and better until its budget ends or someone stops it."""
        raise AgentError(f"{self} does not score moves")

    def check(self, position: Position) -> None:
        """An error unless there is a move to choose."""
        if not isinstance(position, Position):
            raise AgentError(f"a Position is expected, not {position!r:.60}")
        if position.is_over:
            raise AgentError(f"there is no move to choose: the game is over in {position.fen()}")
