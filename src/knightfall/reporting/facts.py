"""Statistics of an experiment other than win rates: how games ended, their length, and the cost of a move."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from knightfall.arena.referee import SCORES
from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import Interval
from knightfall.arena.verdicts import OVER_THE_PANEL
from knightfall.rules import Position


@dataclass(frozen=True)
class Endings:
    """Numbers of games by the reason of their end, and by their number of moves after the opening."""

    reasons: Counter[str]
    lengths: Counter[int]

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self.lengths.values())

    @property
    def median(self) -> float:
        """The median length."""
        return float(np.median(sorted(self.lengths.elements())))


def endings(many: Iterable[Results]) -> Endings:
    """Count how games ended, and how long they were."""
    reasons: Counter[str] = Counter()
    lengths: Counter[int] = Counter()
    for results in many:
        for _, game in results.rows():
            reasons[game.reason] += 1
            lengths[len(game.moves.split())] += 1
    return Endings(reasons, lengths)


@dataclass(frozen=True)
class Effort:
    """A player's average effort per move. Moves without a search, such as random ones, do not count.

    ``depth`` covers the first half of each game, because near the end every search reaches the end of the game.
    """

    player: str
    moves: int
    milliseconds: float
    nodes: float
    depth: float


def efforts(results: Results) -> dict[str, Effort]:
    """Return the effort of every player who searched, by name."""
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


def ratios(results: Results) -> dict[str, Interval]:
    """Return each candidate's win rate divided by the baseline's, as in report A.

    The interval is that of the difference divided by the baseline's rate. This difference is paired and corrected for
    the number of comparisons. So the interval contains 1 exactly if the verdict is "not distinguishable".
    """
    found = {}
    for name in results.plan.candidates:
        verdict = results.verdict_on(name, OVER_THE_PANEL)
        if verdict is not None and verdict.interval is not None and verdict.rates[1] > 0:
            theirs = verdict.rates[1]
            difference = verdict.interval
            low, mid, high = (1 + end / theirs for end in (difference.low, difference.estimate, difference.high))
            found[name] = Interval(mid, max(low, 0.0), high, difference.confidence)
    return found


def is_number(text: str) -> bool:
    """Return whether the value of a parameter is a number.

    >>> is_number("0.5"), is_number("chase")
    (True, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return True


def histogram(lengths: Counter[int]) -> list[tuple[int, int]]:
    """Return every length from the shortest to the longest, with its number of games."""
    return [(length, lengths[length]) for length in range(min(lengths), max(lengths) + 1)] if lengths else []
