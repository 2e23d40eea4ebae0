"""The plan of a tournament: who meets whom, from which openings. The same plan gives the same pairs in the same order.

Pairs are ordered opening by opening: when a tournament is stopped half way, everybody has met everybody about equally
often, and from the same openings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from knightfall.agents.budget import Budget
from knightfall.arena.statistics.sprt import Sprt
from knightfall.native.seeds import key_of
from knightfall.rules import KnightfallError


class PlanError(KnightfallError):
    """A tournament that cannot be held; described in one line."""


@dataclass(frozen=True)
class Matchup:
    """Two players who meet."""

    candidate: str
    opponent: str


@dataclass(frozen=True)
class PlannedPair:
    """One opening that two players play twice, with sides swapped."""

    number: int
    id: str
    opening_number: int
    matchup: Matchup
    opening: str


@dataclass(frozen=True)
class Plan:
    """All that decides what is played.

    ``opponents`` are the members of the panel; in a round robin there are none, and the candidates play each other.
    ``drawn`` says in words where the openings come from; they themselves are in ``openings``, as texts. ``rivals``
    are matches outside the panel: each candidate against the baseline, where that is not in the panel anyway.
    ``identities`` say what agent each name stands for; two names may stand for one agent.
    """

    candidates: tuple[str, ...]
    opponents: tuple[str, ...]
    openings: tuple[str, ...] = field(repr=False)
    board: str = "7x7"
    panel: str = ""
    baseline: str | None = None
    rivals: bool = False
    budget: Budget = field(default_factory=Budget)
    seed: int = 1
    identities: Mapping[str, str] = field(default_factory=dict, repr=False)
    drawn: str = "random, 2 plies"
    sprt: Sprt | None = None

    @property
    def is_round_robin(self) -> bool:
        """Whether the candidates play each other."""
        return not self.opponents

    @property
    def names(self) -> list[str]:
        """Everybody who plays."""
        return list(dict.fromkeys([*self.candidates, *self.opponents]))

    @property
    def matchups(self) -> list[Matchup]:
        """Who meets whom, in the order of the tables."""
        if self.is_round_robin:
            found = [Matchup(a, b) for at, a in enumerate(self.candidates) for b in self.candidates[at + 1 :]]
        else:
            found = [Matchup(candidate, opponent) for candidate in self.candidates for opponent in self.opponents]
        if self.rivals and self.baseline is not None:
            found += [Matchup(name, self.baseline) for name in self.candidates if name != self.baseline]
        return found

    def identity(self, name: str) -> str:
        """What agent a name stands for."""
        return self.identities.get(name, name)

    @property
    def panel_matchups(self) -> list[Matchup]:
        """Those that count towards the standings."""
        members = set(self.opponents)
        return [m for m in self.matchups if self.is_round_robin or m.opponent in members]

    def duel(self, candidate: str) -> Matchup | None:
        """Where a candidate meets the baseline, under whatever name; None where it does not."""
        if self.baseline is None or candidate == self.baseline:
            return None
        wanted = self.identity(self.baseline)
        for matchup in self.matchups:
            if matchup.candidate == candidate and self.identity(matchup.opponent) == wanted:
                return matchup
            if self.is_round_robin and matchup.opponent == candidate and self.identity(matchup.candidate) == wanted:
                return matchup
        return None

    def pairs(self) -> Iterator[PlannedPair]:
        """Every pair in the order of the schedule."""
        number = 0
        matchups = self.matchups
        for at, opening in enumerate(self.openings):
            for matchup in matchups:
                yield PlannedPair(number, self.pair_id(matchup, opening), at, matchup, opening)
                number += 1

    def pair_id(self, matchup: Matchup, opening: str) -> str:
        """The name of a pair, which its games' seeds are made of."""
        return f"{key_of('pair', self.seed, matchup.candidate, matchup.opponent, opening):016x}"

    def configuration(self) -> dict[str, Any]:
        """The plan for the ledger; the openings themselves are kept with the pairs."""
        told = {**asdict(self), "identities": dict(self.identities)}
        told["openings"] = len(self.openings)
        told["openings_key"] = f"{key_of('openings', *self.openings):016x}"
        told["seed"] = str(self.seed)  # it may be larger than JSON's readers and SQLite can tell
        told["key"] = configuration_key(told)
        return told

    @classmethod
    def from_configuration(cls, told: Mapping[str, Any], openings: tuple[str, ...]) -> Plan:
        """The plan that a ledger holds."""
        known = {name: told[name] for name in (f.name for f in fields(cls)) if name in told}
        known |= {
            "candidates": tuple(told["candidates"]),
            "opponents": tuple(told["opponents"]),
            "openings": openings,
            "budget": Budget(**told["budget"]),
            "identities": dict(told["identities"]),
            "seed": int(told["seed"]),
            "sprt": None if told["sprt"] is None else Sprt(**told["sprt"]),
        }
        return cls(**known)


def configuration_key(told: Mapping[str, Any]) -> str:
    """A hash of everything in a configuration but this key itself: it shows whether anything was changed.

    >>> configuration_key({"board": "7x7"}) == configuration_key({"board": "7x7", "key": "?"})
    True
    """
    rest = {name: value for name, value in told.items() if name != "key"}
    return f"{key_of('configuration', json.dumps(rest, sort_keys=True)):016x}"


def differences(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> list[str]:
    """What is not the same in two configurations, in words."""
    found = []
    for name in dict.fromkeys([*old, *new]):
        was, now = old.get(name), new.get(name)
        if was == now:
            continue
        if isinstance(was, Mapping) and isinstance(now, Mapping):
            found += differences(was, now, f"{prefix}{name} ")
        else:
            found.append(f"{prefix}{name.replace('_', ' ')} was {_told(was)}, now {_told(now)}")
    return found


def _told(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(str(part) for part in value) or "none"
    return "none" if value is None or value == "" else str(value)
