"""Accuracy of heuristics: their choices and values compared with exact truth.

Choices are graded in critical positions, because only there they matter: does the heuristic's preferred move keep the
win? If several moves are preferred equally, each counts by its share. Values are graded by how well they separate won
positions from lost ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import cast

import numpy as np
import numpy.typing as npt

from knightfall.agents.searching import PLAIN, SearchAgent
from knightfall.arena.statistics.estimate import estimate
from knightfall.arena.statistics.pairs import Interval
from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.portable import Portable, is_from_file
from knightfall.catalogue.sandbox_check import warning_of
from knightfall.catalogue.timing import compiled_nanoseconds, interpreted_nanoseconds, typical_positions
from knightfall.lab.truth.sets import TruePosition
from knightfall.native import pulse
from knightfall.native.batch import Prepared
from knightfall.native.containment import Ended, Send, contained, is_contained
from knightfall.native.control import Control
from knightfall.native.view import View
from knightfall.rules import KnightfallError, Position

DEPTHS = (0, 2, 4)
TICKS = 10_000
"""The tick limit of one evaluation. Heuristics that count a tree return the count reached by then."""

_SEARCHED = {2: 2_000, 4: 1_000}
_SEARCHED_DEEPER = 500
_INTERPRETED = 200
_PLY_STEP = 4
_MOST_JUMPS = 8  # of a knight
_UNREACHED = 1_000_000  # nodes

Numbers = npt.NDArray[np.float64]


class AccuracyError(KnightfallError):
    """Accuracy that cannot be measured; the message is one line."""


@dataclass(frozen=True)
class Blunder:
    """A critical position in which the heuristic prefers a losing move to all winning ones.

    ``margin`` is the difference between the values of the chosen move and the best winning move.
    """

    truth: TruePosition
    chosen: int
    margin: float


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of one heuristic. ``kept`` is the share of critical positions that stay won, by search depth."""

    heuristic: str
    kept: dict[int, Interval]
    by_ply: dict[int, dict[int, Interval]]
    counts: dict[int, int]
    """The number of critical positions graded at each depth.

    It is smaller than in the truth set if grading would be slow.
    """
    valued: int
    """The number of positions, critical or not, on which AUC and ``confidently_wrong`` are measured."""
    auc: Interval
    confidently_wrong: Interval
    nanoseconds: float
    compiled: bool
    blunders: tuple[Blunder, ...] = field(default=(), repr=False)


class Grader:
    """A truth set prepared for grading heuristics one after another."""

    def __init__(self, truths: Sequence[TruePosition]) -> None:
        self.truths = list(truths)
        self.critical = [entry for entry in truths if entry.is_critical]
        if not self.critical:
            raise AccuracyError("there is no critical position among these: nothing can be told from them")
        self.geometry = self.truths[0].position.geometry
        self.moves = [entry.position.legal_moves() for entry in self.critical]
        self.children = Questions(
            [e.position.play(square) for e, moves in zip(self.critical, self.moves, strict=True) for square in moves],
            [e.position.to_move for e, moves in zip(self.critical, self.moves, strict=True) for _ in moves],
        )
        self._first = np.cumsum([0, *(len(moves) for moves in self.moves[:-1])])  # index of each position's first child
        self._wins = np.array(
            [s in e.winning for e, moves in zip(self.critical, self.moves, strict=True) for s in moves]
        )
        self.positions = Questions([e.position for e in self.truths], [e.position.to_move for e in self.truths])
        self._small: Grader | None = None

    def measure(self, heuristic: Heuristic, depths: Sequence[int] = DEPTHS, worst: int = 0) -> Accuracy:
        """Return the accuracy of a heuristic. Heuristics from users' files are graded in a contained process.

        ``depths`` are the search depths for graded choices, and ``worst`` is the maximum number of blunders to
        return.
        """
        if is_from_file(heuristic) and not is_contained():
            return self._measure_contained(heuristic, depths, worst)
        if not heuristic.compiled and len(self.critical) > _INTERPRETED:
            return self._fewer().measure(heuristic, depths, worst)
        kept: dict[int, Interval] = {}
        by_ply: dict[int, dict[int, Interval]] = {}
        counts: dict[int, int] = {}
        blunders: tuple[Blunder, ...] = ()
        for depth in depths:
            chosen = self._chosen(heuristic, depth)
            if depth == 0:
                shares, values = self._static_choices(heuristic)
                if worst:
                    found = self._blunders(shares, values)
                    blunders = tuple(sorted(found, key=lambda blunder: -blunder.margin)[:worst])
            else:
                shares = _searched_choices(heuristic, chosen, depth)
            kept[depth] = _mean(shares)
            counts[depth] = len(shares)
            stages: dict[int, list[float]] = {}
            for entry, share in zip(chosen, shares, strict=True):
                stages.setdefault(entry.position.ply // _PLY_STEP * _PLY_STEP, []).append(share)
            by_ply[depth] = {ply: _mean(found_there) for ply, found_there in sorted(stages.items())}
        auc, wrong = self._tell_apart(heuristic)
        cost = self._cost(heuristic)
        valued = len(self.truths)
        return Accuracy(heuristic.text, kept, by_ply, counts, valued, auc, wrong, cost, heuristic.compiled, blunders)

    def _measure_contained(self, heuristic: Heuristic, depths: Sequence[int], worst: int) -> Accuracy:
        code = heuristic.code
        job = partial(_measure, self.truths, Portable.of(heuristic), depths, worst)
        try:
            found, failure, warning = contained(job)
        except Ended as error:
            raise AccuracyError(f"{code.shown}: it {error}") from None
        code.failure, code.warning = failure, warning
        code.warn_if_interpreted()
        return cast("Accuracy", found)

    def shares(self, heuristic: Heuristic, depth: int = 0) -> list[float]:
        """Return for each graded position the share of the choice that keeps the win.

        Variants of one heuristic are graded on the same positions, so that they can be compared position by position.
        """
        if not heuristic.compiled and len(self.critical) > _INTERPRETED:
            return self._fewer().shares(heuristic, depth)
        if depth == 0:
            return self._static_choices(heuristic)[0]
        return _searched_choices(heuristic, self._chosen(heuristic, depth), depth)

    def count(self, heuristic: Heuristic, depth: int = 0) -> int:
        """Return the number of positions that :meth:`shares` grades."""
        if not heuristic.compiled and len(self.critical) > _INTERPRETED:
            return self._fewer().count(heuristic, depth)
        return len(self._chosen(heuristic, depth))

    def _chosen(self, heuristic: Heuristic, depth: int) -> list[TruePosition]:
        """Return the positions to grade. Searches get fewer, in particular if one evaluation can take long."""
        if depth == 0:
            return self.critical
        wanted = _SEARCHED.get(depth, _SEARCHED_DEEPER)
        wanted = wanted // 20 if heuristic.code.can_run_long else wanted
        return self.critical[:: max(1, len(self.critical) // wanted)]

    def _fewer(self) -> Grader:
        """Return a grader with a sample of the positions, for heuristics that are not compiled."""
        if self._small is None:
            rest = [entry for entry in self.truths if not entry.is_critical][:_INTERPRETED]
            self._small = Grader([*self.critical[:: len(self.critical) // _INTERPRETED][:_INTERPRETED], *rest])
        return self._small

    @cached_property
    def _typical(self) -> list[Position]:
        return typical_positions(64, (self.geometry.width, self.geometry.height))

    def _cost(self, heuristic: Heuristic) -> float:
        cost = compiled_nanoseconds(heuristic, self._typical, 0.005) if heuristic.compiled else None
        return interpreted_nanoseconds(heuristic, self._typical) if cost is None else cost

    def _static_choices(self, heuristic: Heuristic) -> tuple[list[float], Numbers]:
        """Return the shares of static choices, by the value after each move, and these values.

        Moves that end the game are valued by the rules, not by the heuristic.
        """
        values = np.where(self.children.are_over, np.inf, self.children.values(heuristic))
        if np.isnan(values).any():
            at = int(np.flatnonzero(np.isnan(values))[0])
            raise AccuracyError(f"{heuristic.text}: it returns nan in {self.children.positions[at].fen()}")
        best = np.maximum.reduceat(values, self._first)
        liked = values == np.repeat(best, [len(moves) for moves in self.moves])
        kept = np.add.reduceat((liked & self._wins).astype(np.float64), self._first)
        return (kept / np.add.reduceat(liked.astype(np.float64), self._first)).tolist(), values

    def _blunders(self, shares: Sequence[float], values: Numbers) -> Iterator[Blunder]:
        """Yield the positions in which the heuristic prefers losing moves only."""
        for at, first in enumerate(self._first.tolist()):
            if shares[at] == 0.0:
                entry, moves = self.critical[at], self.moves[at]
                own = dict(zip(moves, values[first : first + len(moves)].tolist(), strict=True))
                chosen = max(moves, key=own.__getitem__)  # the first of equals
                margin = own[chosen] - max(own[square] for square in entry.winning)
                yield Blunder(entry, chosen, 0.0 if math.isnan(margin) else margin)

    def _tell_apart(self, heuristic: Heuristic) -> tuple[Interval, Interval]:
        """Return two measures of how well the values separate won from lost positions.

        The first is the area under the ROC curve (AUC). The second is the share of lost positions that are valued
        above the median of the won ones.
        """
        from scipy.stats import rankdata

        values = self.positions.values(heuristic)
        won = np.array([entry.is_won for entry in self.truths])
        winners, losers = int(won.sum()), int((~won).sum())
        if not winners or not losers:
            return Interval(0.5, 0.0, 1.0), Interval(0.0, 0.0, 1.0)
        ranks = rankdata(values)
        area = float((ranks[won].sum() - winners * (winners + 1) / 2) / (winners * losers))
        wrong = (values[~won] > np.median(values[won])).astype(float)
        return _area_interval(area, winners, losers), _mean(wrong.tolist())


class Questions:
    """Positions, each with the player for whom it is valued."""

    def __init__(self, positions: list[Position], players: list[int]) -> None:
        self.positions = positions
        self.players = players
        self.are_over = np.array([position.is_over for position in positions])
        self._control = Control()
        self._prepared = Prepared([View(position, self._control) for position in positions], players)

    def values(self, heuristic: Heuristic) -> Numbers:
        """Return the value that a heuristic gives to each position."""
        dispatcher = heuristic.code.dispatcher(self._prepared.width)
        if dispatcher is None:
            both = zip(self.positions, self.players, strict=True)
            return np.array([heuristic.value(position, player, ticks=TICKS) for position, player in both], np.float64)
        params = heuristic.code.pack(heuristic.parameters)
        pulse.watch(self._control)
        pulse.note_many(self.positions, self.players)
        try:
            return self._prepared.evaluate(dispatcher, params, self._control, ticks=TICKS)
        except Exception as error:
            at = self._control.leaf
            raise heuristic.error_in(self.positions[at], self.players[at], error) from None


def _measure(
    truths: Sequence[TruePosition],
    portable: Portable,
    depths: Sequence[int],
    worst: int,
    send: Send,
) -> tuple[Accuracy, str | None, str | None]:
    """Grade one heuristic in a contained process.

    Return its accuracy, the reason why it is not compiled (or None), and the warning.
    """
    heuristic = portable.make()
    found = Grader(truths).measure(heuristic, depths, worst)
    return found, heuristic.code.failure, warning_of(heuristic)


def chance(truths: Sequence[TruePosition]) -> float:
    """Return how often a random move keeps the win in the critical positions."""
    shares = [len(entry.winning) / len(entry.position.legal_moves()) for entry in truths if entry.is_critical]
    return sum(shares) / len(shares)


def _mean(shares: Sequence[float]) -> Interval:
    """Return a mean of shares with Student's interval and one virtual observation, as for pairs."""
    return estimate(((share, 1) for share in shares), 1).interval()


def _searched_choices(heuristic: Heuristic, critical: Sequence[TruePosition], depth: int) -> list[float]:
    """Return the choices of a plain search that looks ``depth`` plies beyond each move: 1.0 if it keeps the win."""
    # The node limit is never reached. It marks a search that is certain to be small, which then runs without a
    # thread, because a thread would cost more than the search.
    is_small = _MOST_JUMPS ** (depth + 2) < _UNREACHED and all(None not in e.position.locations for e in critical)
    bound = _UNREACHED if is_small else None
    agent = SearchAgent("alphabeta", heuristic, replace(PLAIN, depth=depth + 1, nodes=bound))
    return [float(agent.choose(entry.position).square in entry.winning) for entry in critical]


def _area_interval(area: float, winners: int, losers: int) -> Interval:
    """Return the interval of an AUC by Hanley and McNeil (1982)."""
    one, two = area / (2 - area), 2 * area * area / (1 + area)
    variance = area * (1 - area) + (winners - 1) * (one - area * area) + (losers - 1) * (two - area * area)
    error = 1.96 * math.sqrt(max(variance, 0.0) / (winners * losers))
    return Interval(area, max(area - error, 0.0), min(area + error, 1.0))
