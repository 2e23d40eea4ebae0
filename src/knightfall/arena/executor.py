"""Who plays the pairs: this process, others on this machine, or a cluster. All of them look alike from outside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType

from knightfall.arena.plan import PlannedPair
from knightfall.arena.play import PairResult, play_pair
from knightfall.arena.players import Player
from knightfall.rules import KnightfallError


class ExecutorError(KnightfallError):
    """Workers that cannot be had or have gone for good; described in one line."""


@dataclass(frozen=True)
class Lost:
    """Pairs that were given to a worker that died. ``suspects`` are those that it may have died of.

    ``deaths``: how many workers the suspects have killed, if it was them.
    """

    pairs: tuple[PlannedPair, ...]
    suspects: tuple[PlannedPair, ...]
    why: str
    deaths: int = 1


Event = PairResult | Lost

DEATHS = 3
"""Workers that a pair may kill before it is left out."""


class Executor(ABC):
    """Plays batches of pairs. What is finished is heard of by ``wait``."""

    batch_seconds: float
    """How long a batch should take: long enough to be worth its way, short enough to hear of it often."""

    workers: int
    """How many pairs are played at a time."""

    @property
    @abstractmethod
    def room(self) -> int:
        """How many more batches it takes now."""

    @property
    @abstractmethod
    def is_busy(self) -> bool:
        """Whether something is still being played."""

    @abstractmethod
    def submit(self, batch: Sequence[PlannedPair]) -> None:
        """Play these pairs."""

    @abstractmethod
    def wait(self, seconds: float) -> list[Event]:
        """What has come to its end, after at most so many seconds."""

    @abstractmethod
    def finish(self) -> None:
        """Play the pairs that have been begun to their end, and no others."""

    @abstractmethod
    def close(self) -> None:
        """End at once."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Here(Executor):
    """Plays in this process: for players that no other process can make, and where there are no processes."""

    batch_seconds = 0.05
    workers = 1

    def __init__(self, players: Mapping[str, Player]) -> None:
        self._players = players
        self._pairs: deque[PlannedPair] = deque()

    @property
    def room(self) -> int:
        return 0 if self._pairs else 1

    @property
    def is_busy(self) -> bool:
        return bool(self._pairs)

    def submit(self, batch: Sequence[PlannedPair]) -> None:
        self._pairs.extend(batch)

    def wait(self, seconds: float) -> list[Event]:
        return [play_pair(self._pairs.popleft(), self._players)] if self._pairs else []

    def finish(self) -> None:
        self._pairs.clear()

    def close(self) -> None:
        self._pairs.clear()
