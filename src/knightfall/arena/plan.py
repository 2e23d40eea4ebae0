"""The plan of a tournament: who meets whom, from which openings. Equal plans have equal pairs in equal order.

Pairs are ordered by opening. So if a tournament is stopped early, all players have met about equally often, and from
the same openings.
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
    """An invalid tournament; the message is one line."""


@dataclass(frozen=True)
class Matchup:
    """Two players who meet."""

    candidate: str
    opponent: str


@dataclass(frozen=True)
class PlannedPair:
    """An opening that two players play twice, with sides swapped."""

    number: int
    id: str
    opening_number: int
    matchup: Matchup
    opening: str


@dataclass(frozen=True)
class Plan:
    """Everything that determines which games are played.

    ``opponents`` are the members of the panel; in a round robin it is empty, and the candidates play each other.
    ``drawn`` describes the source of the openings, and ``openings`` contains them as strings. ``rivals`` adds matches
    outside the panel: each candidate against the baseline, for a baseline that is not in the panel. ``identities`` maps
    names to agents; two names may refer to the same agent.
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
        """The names of all players."""
        return list(dict.fromkeys([*self.candidates, *self.opponents]))

    @property
    def matchups(self) -> list[Matchup]:
        """All matches, in the order of the tables."""
        if self.is_round_robin:
            found = [Matchup(a, b) for at, a in enumerate(self.candidates) for b in self.candidates[at + 1 :]]
        else:
            found = [Matchup(candidate, opponent) for candidate in self.candidates for opponent in self.opponents]
        if self.rivals and self.baseline is not None:
            found += [Matchup(name, self.baseline) for name in self.candidates if name != self.baseline]
        return found

    def identity(self, name: str) -> str:
        """Return the agent that a name refers to."""
        return self.identities.get(name, name)

    @property
    def panel_matchups(self) -> list[Matchup]:
        """The matches that count for the standings."""
        members = set(self.opponents)
        return [m for m in self.matchups if self.is_round_robin or m.opponent in members]

    def duel(self, candidate: str) -> Matchup | None:
        """Return a candidate's match against the baseline, under any name; None if there is none."""
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
        """Yield all pairs in the order of the schedule."""
        number = 0
        matchups = self.matchups
        for at, opening in enumerate(self.openings):
            for matchup in matchups:
                yield PlannedPair(number, self.pair_id(matchup, opening), at, matchup, opening)
                number += 1

    def pair_id(self, matchup: Matchup, opening: str) -> str:
        """Return the id of a pair; the seeds of its games are derived from it."""
        return f"{key_of('pair', self.seed, matchup.candidate, matchup.opponent, opening):016x}"

    def configuration(self) -> dict[str, Any]:
        """Return the plan for the ledger; the openings themselves are stored with the pairs."""
        told = {**asdict(self), "identities": dict(self.identities)}
        told["openings"] = len(self.openings)
        told["openings_key"] = f"{key_of('openings', *self.openings):016x}"
        told["seed"] = str(self.seed)  # it may be too large for JSON readers and SQLite
        told["key"] = configuration_key(told)
        return told

    @classmethod
    def from_configuration(cls, told: Mapping[str, Any], openings: tuple[str, ...]) -> Plan:
        """Return the plan of a ledger's configuration."""
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
    """Return a hash of a configuration without its key, to detect changes.

    >>> configuration_key({"board": "7x7"}) == configuration_key({"board": "7x7", "key": "?"})
    True
    """
    rest = {name: value for name, value in told.items() if name != "key"}
    return f"{key_of('configuration', json.dumps(rest, sort_keys=True)):016x}"


def differences(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Return the differences between two configurations in words."""
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
