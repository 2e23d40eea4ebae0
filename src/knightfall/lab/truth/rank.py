"""How well accuracy predicts rank: the heuristics of an experiment by games won and by accuracy.

Win rates depend on the panel, so candidates are compared within one experiment. Several experiments are compared by
the results of their candidates against the opponents that all of them met.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import Interval
from knightfall.catalogue.heuristic import Heuristic
from knightfall.lab.replication.replicate import trial_of
from knightfall.lab.truth.accuracy import Accuracy
from knightfall.lab.truth.entrants import Entrant, entrants, is_of_this_version
from knightfall.rules import KnightfallError

LEAST = 4
"""Minimum number of heuristics to compare; fewer allow no conclusion."""

AUC = "AUC"
_NORMAL = 1.959964  # the quantile for 95%


class RankError(KnightfallError):
    """Ranks that cannot be compared; the message is one line."""


def spearman(first: Sequence[float], second: Sequence[float]) -> Interval | None:
    """Return Spearman's rho with a 95% interval by Bonett and Wright (2000).

    The values are treated as a sample from a larger population. The result is None for fewer than four values, or if
    one side has no ranks because all its values are equal. The interval uses Fisher's transformation, which is
    infinite at 1. Therefore the interval of a perfect order is computed half a step below 1. A step is the change in
    rho when two neighbours are exchanged.

    >>> found = spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    >>> f"{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}]"
    '0.80 [-0.46, 0.99]'
    """
    from scipy.stats import spearmanr

    count = len(first)
    if count < LEAST or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    rho = float(spearmanr(first, second).statistic)
    most = 1 - 6 / (count**3 - count)
    inner = min(max(rho, -most), most)
    error = _NORMAL * math.sqrt((1 + inner**2 / 2) / (count - 3))
    low, high = (math.tanh(math.atanh(inner) + side * error) for side in (-1, 1))
    return Interval(rho, min(low, rho), max(high, rho))


@dataclass(frozen=True)
class Place:
    """One heuristic: the share of games that its candidate won, and its accuracy by each measure."""

    candidate: str
    heuristic: str
    score: float
    measures: Mapping[str, float]


@dataclass(frozen=True)
class Ranking:
    """The heuristics of one or more experiments, best first. ``against`` names the opponents that count."""

    experiments: tuple[int, ...]
    title: str
    budget: str
    against: tuple[str, ...]
    places: tuple[Place, ...]
    notes: tuple[str, ...]
    """Heuristics that were left out of the comparison, and other remarks."""
    missing: tuple[str, ...] = ()
    """Candidates that cannot be loaded, and why."""

    @property
    def measures(self) -> list[str]:
        """The measures of accuracy."""
        return list(self.places[0].measures) if self.places else []

    @cached_property
    def rho(self) -> dict[str, Interval | None]:
        """Spearman's rho between accuracy and games won, by measure."""
        scores = [place.score for place in self.places]
        return {name: spearman([place.measures[name] for place in self.places], scores) for name in self.measures}

    @cached_property
    def ranks(self) -> list[float]:
        """The ranks by games won; 1 is the best, and equal values share the mean of their ranks."""
        return _ranks([place.score for place in self.places])

    def ranks_by(self, measure: str) -> list[float]:
        """Return the ranks by one measure of accuracy."""
        return _ranks([place.measures[measure] for place in self.places])


def _ranks(values: Sequence[float]) -> list[float]:
    from scipy.stats import rankdata

    return [float(rank) for rank in rankdata([-value for value in values])]


@dataclass(frozen=True)
class Comparable:
    """The entrants of an experiment that differ only in their heuristics, and notes on the others."""

    results: Results
    members: tuple[Entrant, ...]
    notes: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def budget(self) -> str:
        """The budget that was equal for all members, in words."""
        trial = trial_of(self.results.experiment)
        if trial is not None:
            return "equal time" if trial.budget == "ms" else f"equal {trial.budget}"
        for name, words in (("nodes", "nodes"), ("ms", "time"), ("playouts", "playouts"), ("depth", "depth")):
            values = {getattr(member.budget, name) for member in self.members}
            if len(values) == 1 and values != {None}:
                return f"equal {words}"
        return "budgets of their own"


def comparable(results: Results) -> Comparable:
    """Return the entrants that can be ranked: each heuristic once, all with the most common search."""
    found = entrants(results)
    missing = tuple(f"{name} is left out: {why}" for name, why in found.missing.items())
    notes = []
    searches = [member.search for member in found.members]
    usual = max(searches, key=searches.count, default="")
    members: dict[Heuristic, Entrant] = {}
    played = {standing.candidate for standing in results.standings if standing.games}
    for member in found.members:
        known = members.get(member.heuristic)
        if member.candidate not in played:
            notes.append(f"{member.candidate} has not played yet")
        elif member.search != usual:
            notes.append(f"{member.candidate} is left out: it searches otherwise than the others")
        elif known is not None:
            notes.append(f"{member.candidate} is left out: it has the heuristic of {known.candidate}")
        else:
            members[member.heuristic] = member
    if not is_of_this_version(results):
        notes.append("The games were played by another version; accuracy is that of the functions as they are now")
    return Comparable(results, tuple(members.values()), tuple(notes), missing)


def check(found: Comparable) -> None:
    """Raise an error if an experiment cannot be ranked."""
    number = found.results.experiment.id
    if found.results.plan.sprt is not None:
        raise RankError(f"experiment {number} is a sequential test, which ends matches early: nothing can be ranked")
    if len(found.members) < LEAST:
        because = f" ({'; '.join([*found.missing, *found.notes])})" if found.missing or found.notes else ""
        count = len(found.members)
        raise RankError(f"experiment {number}: {LEAST} heuristics are needed to compare ranks, not {count}{because}")


Graded = Mapping[Heuristic, Accuracy]


def rank(found: Comparable, graded: Graded) -> Ranking:
    """Return the ranking of one experiment. Heuristics without a grade are left out."""
    results = found.results
    scores = {standing.candidate: standing.estimate.mean for standing in results.standings}
    places = [_place(m, graded[m.heuristic], scores[m.candidate]) for m in found.members if m.heuristic in graded]
    name = results.experiment.name
    title = f"experiment {results.experiment.id}{f' ({name})' if name else ''}"
    against = () if results.plan.is_round_robin else results.plan.opponents
    number = results.experiment.id
    return Ranking((number,), title, found.budget, against, _best_first(places), found.notes, found.missing)


def rank_together(many: Sequence[Comparable], graded: Graded) -> Ranking:
    """Return the ranking of several experiments, by scores against the opponents that all candidates met.

    These opponents have equal weight. A candidate's score against itself counts as one half.
    """
    numbers = tuple(found.results.experiment.id for found in many)
    told = ", ".join(str(number) for number in numbers)
    boards = {found.results.plan.board for found in many}
    if len(boards) > 1:
        raise RankError(f"experiments {told} are on different boards: {', '.join(sorted(boards))}")
    players: dict[Heuristic, tuple[Entrant, str]] = {}
    sums: dict[str, dict[str, tuple[float, int]]] = {}
    names: dict[str, str] = {}
    for found in many:
        plan = found.results.plan
        for member in found.members:
            identity = plan.identity(member.candidate)
            known, agent = players.setdefault(member.heuristic, (member, identity))
            if agent != identity:
                as_what = (
                    known.candidate
                    if known.candidate == member.candidate
                    else f"{known.candidate} and {member.candidate}"
                )
                raise RankError(
                    f"experiments {told} cannot be taken together: {known.heuristic.text} plays as {as_what}, with "
                    "searches or budgets that differ"
                )
            own = sums.setdefault(agent, {})
            for opponent, (score, count) in _scores(found.results, member.candidate).items():
                before = own.get(opponent, (0.0, 0))
                own[opponent] = (before[0] + score, before[1] + count)
        for name in plan.names:
            names.setdefault(plan.identity(name), name)
    met = [{*own, agent} for agent, own in sums.items()]
    common = [opponent for opponent in names if met and all(opponent in others for others in met)]
    if not common:
        raise RankError(f"experiments {told} have no opponent in common, so that their scores cannot be compared")
    places = []
    for heuristic, (member, agent) in players.items():
        if heuristic in graded:
            own = sums[agent]
            rates = [0.5 if opponent == agent else own[opponent][0] / own[opponent][1] for opponent in common]
            places.append(_place(member, graded[heuristic], sum(rates) / len(rates)))
    budgets = list(dict.fromkeys(found.budget for found in many))
    return Ranking(
        numbers,
        f"experiments {told} together",
        budgets[0] if len(budgets) == 1 else "different budgets",
        tuple(names[opponent] for opponent in common),
        _best_first(places),
        tuple(dict.fromkeys(note for found in many for note in found.notes)),
        tuple(dict.fromkeys(name for found in many for name in found.missing)),
    )


def _scores(results: Results, candidate: str) -> dict[str, tuple[float, int]]:
    """Return the sum and the number of a candidate's scores against each opponent, by the identity of the opponent."""
    found: dict[str, tuple[float, int]] = {}
    for matchup, scores in results.scores.items():
        if candidate not in (matchup.candidate, matchup.opponent) or not scores:
            continue
        is_first = matchup.candidate == candidate
        other = results.plan.identity(matchup.opponent if is_first else matchup.candidate)
        total = sum(scores.values())
        before = found.get(other, (0.0, 0))
        found[other] = (before[0] + (total if is_first else len(scores) - total), before[1] + len(scores))
    return found


def _place(member: Entrant, accuracy: Accuracy, score: float) -> Place:
    measures = {f"depth {depth}": interval.estimate for depth, interval in accuracy.kept.items()}
    return Place(member.candidate, member.heuristic.text, score, {**measures, AUC: accuracy.auc.estimate})


def _best_first(places: Sequence[Place]) -> tuple[Place, ...]:
    return tuple(sorted(places, key=lambda place: -place.score))
