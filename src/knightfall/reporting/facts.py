"""What the games of an experiment tell beside who won: how they ended, how long they were, what a move took."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from knightfall.arena.plan import Matchup
from knightfall.arena.referee import SCORES
from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import Interval, PairCounts
from knightfall.arena.verdicts import OVER_THE_PANEL, Verdict
from knightfall.rules import Position


@dataclass(frozen=True)
class Endings:
    """Games by the reason of their end, and by their number of moves after the opening."""

    reasons: Counter[str]
    lengths: Counter[int]

    @property
    def games(self) -> int:
        """How many there are."""
        return sum(self.lengths.values())

    @property
    def median(self) -> float:
        """The length that as many games exceed as fall short of."""
        return float(np.median(sorted(self.lengths.elements())))


def endings(many: Iterable[Results]) -> Endings:
    """How games ended."""
    reasons: Counter[str] = Counter()
    lengths: Counter[int] = Counter()
    for results in many:
        for _, game in results.rows():
            reasons[game.reason] += 1
            lengths[len(game.moves.split())] += 1
    return Endings(reasons, lengths)


@dataclass(frozen=True)
class Effort:
    """What a player spent on a move, on average. Moves without a search, such as random ones, do not count.

    ``depth`` is that of the first half of each game, as the last moves see its end whoever looks.
    """

    player: str
    moves: int
    milliseconds: float
    nodes: float
    depth: float


def efforts(results: Results) -> dict[str, Effort]:
    """What every player spent."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    depths: dict[str, list[float]] = defaultdict(list)
    movers = {opening: Position.from_fen(opening).to_move for opening in {pair.opening for pair in results.pairs}}
    for pair, game in results.rows():
        scores = np.frombuffer(game.scores, SCORES)
        mover = movers[pair.opening]
        for player, name in ((1, game.first), (2, game.second)):
            own = scores[0 if mover == player else 1 :: 2]
            early = own["depth"][: max(len(own) // 2, 1)]
            searched = own["nodes"] > 0
            total = sums[name]
            total[0] += int(np.count_nonzero(searched))
            total[1] += float(own["microseconds"][searched].sum())
            total[2] += float(own["nodes"].sum())
            if len(early) and searched.any():
                depths[name].append(float(early.mean()))
    found = {}
    for name in results.plan.names:
        count, microseconds, nodes = sums[name]
        if count:
            depth = sum(depths[name]) / len(depths[name])
            found[name] = Effort(name, int(count), microseconds / count / 1e3, nodes / count, depth)
    return found


def pairs_of(results: Results, candidate: str) -> PairCounts:
    """A candidate's pairs over the panel, or against all others in a round robin."""
    total = PairCounts()
    for matchup in results.plan.panel_matchups:
        if matchup.candidate == candidate:
            total += results.matches[matchup].counts
        elif results.plan.is_round_robin and matchup.opponent == candidate:
            total += turned(results.matches[matchup].counts)
    return total


def turned(counts: PairCounts) -> PairCounts:
    """The same pairs from the other side."""
    return PairCounts(counts.ww, counts.wl, counts.ll)


def between(results: Results, name: str, other: str) -> PairCounts | None:
    """The pairs of two players from the side of the first; None where they do not meet."""
    if (match := results.matches.get(Matchup(name, other))) is not None:
        return match.counts
    if results.plan.is_round_robin and (match := results.matches.get(Matchup(other, name))) is not None:
        return turned(match.counts)
    return None


def duel(results: Results, candidate: str) -> PairCounts | None:
    """A candidate's pairs against the baseline."""
    matchup = results.plan.duel(candidate)
    if matchup is None:
        return None
    counts = results.matches[matchup].counts
    return counts if matchup.candidate == candidate else turned(counts)


def verdict_on(results: Results, candidate: str, kind: str) -> Verdict | None:
    """The verdict on a candidate of one kind, where there is one."""
    return next((v for v in results.verdicts if v.candidate == candidate and v.kind == kind), None)


def ratios(results: Results) -> dict[str, Interval]:
    """Each candidate's win rate divided by the baseline's, as report A told it.

    The interval is that of the difference, which is paired and corrected for the number of comparisons, divided by the
    baseline's rate: it holds 1 exactly where the verdict is that nothing can be distinguished.
    """
    found = {}
    for name in results.plan.candidates:
        verdict = verdict_on(results, name, OVER_THE_PANEL)
        if verdict is not None and verdict.interval is not None and verdict.rates[1] > 0:
            theirs = verdict.rates[1]
            difference = verdict.interval
            low, mid, high = (1 + end / theirs for end in (difference.low, difference.estimate, difference.high))
            found[name] = Interval(mid, max(low, 0.0), high, difference.confidence)
    return found


def losing_to(results: Results, candidate: str) -> list[str]:
    """The opponents to whom a candidate lost more games than it won."""
    plan = results.plan
    others = plan.candidates if plan.is_round_robin else plan.opponents
    found = []
    for other in others:
        counts = between(results, candidate, other)
        if counts is not None and counts.games_lost > counts.games_won:
            found.append(other)
    return found


def is_number(text: str) -> bool:
    """Whether a parameter's value is a number.

    >>> is_number("0.5"), is_number("chase")
    (True, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return True


def histogram(lengths: Counter[int]) -> list[tuple[int, int]]:
    """Every length from the shortest to the longest with its number of games."""
    return [(length, lengths[length]) for length in range(min(lengths), max(lengths) + 1)] if lengths else []
