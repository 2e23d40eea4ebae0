"""The players of a tournament in a form from which other processes and machines can recreate them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from knightfall.agents.budget import Budget
from knightfall.arena.fingerprint import source_hash
from knightfall.arena.plan import PlannedPair
from knightfall.arena.play import PairResult, play_pair
from knightfall.arena.players import Player, make_player
from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.loader import load_snapshot
from knightfall.compiler.source_texts import Snapshot
from knightfall.native.cache import PACKAGE
from knightfall.rules import KnightfallError


class RosterError(KnightfallError):
    """The players cannot be created here; the message is one line."""


@dataclass(frozen=True)
class Member:
    """A player: its name and, for a user's heuristic, the texts of the heuristic's files.

    ``path`` names the file in messages; it is not read. ``failure`` is the reason not to compile the heuristic, as
    found in its trial; the trial is not repeated.
    """

    name: str
    path: str | None = None
    function: str = ""
    failure: str | None = None
    snapshot: Snapshot = field(default_factory=Snapshot)


@dataclass(frozen=True)
class Roster:
    """All players, and the hash of Knightfall's sources."""

    members: tuple[Member, ...]
    budget: Budget
    sources: str

    @classmethod
    def of(cls, players: Mapping[str, Player], budget: Budget) -> Roster:
        """Return the roster of these players; all of them must be portable."""
        members = []
        for player in players.values():
            heuristic: Heuristic | None = getattr(player.agent, "heuristic", None)
            code = None if heuristic is None else heuristic.code
            if heuristic is None or code is None or code.path is None or code.path.is_relative_to(PACKAGE):
                members.append(Member(player.name))
                continue
            assert code.program is not None
            texts = code.program.texts.snapshot()
            members.append(Member(player.name, str(code.path.resolve()), str(heuristic), code.failure, texts))
        return cls(tuple(members), budget, source_hash())

    def players(self) -> dict[str, Player]:
        """Create the players; their heuristics are not tried again."""
        made: dict[tuple[str, str, Snapshot], Heuristic] = {}
        found = {}
        for member in self.members:
            heuristic = None
            if member.path is not None:
                key = (member.path, member.function, member.snapshot)
                if key not in made:
                    made[key] = load_snapshot(Path(member.path), member.function, member.snapshot)
                heuristic = made[key]
                heuristic.code.failure = heuristic.code.failure or member.failure
            found[member.name] = make_player(member.name, self.budget, heuristic)
        return found

    def ready(self) -> Callable[[PlannedPair], PairResult]:
        """Return the function that plays one pair."""
        return partial(play_pair, players=self.players())

    def check(self) -> None:
        """Raise RosterError if Knightfall's sources differ from those of the process that started the tournament."""
        if self.sources != source_hash():
            raise RosterError("the workers run another version of Knightfall than this one")

    def is_foreign(self, pair: PlannedPair) -> bool:
        """Return whether a user's function plays in this pair; it may crash its worker."""
        foreign = {member.name for member in self.members if member.path is not None}
        return bool(foreign & {pair.matchup.candidate, pair.matchup.opponent})
