"""The players of a tournament as another process, or another machine, can make them anew."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from knightfall.agents.budget import Budget
from knightfall.arena.fingerprint import source_hash
from knightfall.arena.plan import PlannedPair
from knightfall.arena.play import PairResult, play_pair
from knightfall.arena.players import Player, make_player
from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.loader import load
from knightfall.native.cache import PACKAGE
from knightfall.rules import KnightfallError


class CrewError(KnightfallError):
    """Players that cannot be made in this place; described in one line."""


@dataclass(frozen=True)
class Member:
    """One player: its name, and where its heuristic stands if that is a user's file.

    ``failure`` is why the heuristic is not compiled, as its trial has shown; the trial is not held again.
    """

    name: str
    path: str | None = None
    function: str = ""
    failure: str | None = None


@dataclass(frozen=True)
class Crew:
    """All players, and the sources of those heuristics that are not ours."""

    members: tuple[Member, ...]
    budget: Budget
    sources: str
    files: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, players: Mapping[str, Player], budget: Budget) -> Crew:
        """The crew of these players; all of them must be portable."""
        members = []
        files: dict[str, str] = {}
        for player in players.values():
            heuristic: Heuristic | None = getattr(player.agent, "heuristic", None)
            code = None if heuristic is None else heuristic.code
            if heuristic is None or code is None or code.path is None or code.path.is_relative_to(PACKAGE):
                members.append(Member(player.name))
                continue
            assert code.program is not None
            for path in code.program.units:
                if not path.is_relative_to(PACKAGE):
                    files[str(path)] = path.read_text(encoding="utf-8", errors="surrogateescape")
            members.append(Member(player.name, str(code.path.resolve()), str(heuristic), code.failure))
        return cls(tuple(members), budget, source_hash(), tuple(sorted(files.items())))

    def players(self) -> dict[str, Player]:
        """Make the players; their heuristics are not put on trial again."""
        found = {}
        for member in self.members:
            heuristic = None
            if member.path is not None:
                heuristic = load(f"{member.path}:{member.function}", trial=False)
                heuristic.code.failure = heuristic.code.failure or member.failure
            found[member.name] = make_player(member.name, self.budget, heuristic)
        return found

    def ready(self) -> Callable[[PlannedPair], PairResult]:
        """What plays one pair."""
        return partial(play_pair, players=self.players())

    def unpacked(self) -> Crew:
        """The same crew on a machine that has not the users' files: they are written where they can be read."""
        if self.sources != source_hash():
            raise CrewError("the workers run another version of Knightfall than this one")
        if not self.files:
            return self
        digest = hashlib.blake2b(repr(self.files).encode(errors="surrogateescape"), digest_size=8).hexdigest()
        root = Path(tempfile.gettempdir()) / f"knightfall-{digest}"
        for name, text in self.files:
            copy = _moved(root, name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8", errors="surrogateescape")
        members = tuple(
            member if member.path is None else replace(member, path=str(_moved(root, member.path)))
            for member in self.members
        )
        return replace(self, members=members, files=())


def _moved(root: Path, name: str) -> Path:
    path = Path(name)
    return root / path.relative_to(path.anchor)
