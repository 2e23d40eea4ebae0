"""Ratings of all agents together: a Bradley–Terry model with terms for the first move and for the attacker.

The log odds that the first player wins are the difference of the two ratings, plus a term for moving first, plus or
minus a term for the attacker. Each agent has one virtual split pair against the pool of all agents. This weak prior is
necessary: without it, an agent that lost every game would be rated minus infinity, or, by a fit that stops on the way
there, an absurd number with a small error. The two terms have one virtual pair each, too. If the attacker always won,
or if the first player was always the attacker, the games alone do not show the value of each term. Errors are
clustered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from knightfall.arena.statistics.distributions import normal_quantile
from knightfall.arena.statistics.elo import MOST
from knightfall.arena.statistics.logit import fit_logit
from knightfall.arena.statistics.pairs import Interval

_ELO = 400.0 / math.log(10.0)

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RatedGame:
    """The data of a game for the ratings: who played, who won, its cluster, who was the attacker.

    Games of one cluster, such as those of one pair or from one opening, are not assumed to be independent.
    ``first_wins`` and ``first_attacks`` refer to the player who moved first after the opening. ``first_attacks`` is
    None if there is no attacker, as before both knights are placed.
    """

    first: str
    second: str
    first_wins: bool
    cluster: str
    first_attacks: bool | None = None


@dataclass(frozen=True)
class Ratings:
    """The Elo, with intervals, of each agent relative to the mean, of the first move and of the attacker.

    If the games provide little information, an interval ends at ±1200. ``bounded`` names the agents that won or lost
    all their games. For them, one end of the interval is only the effect of the prior, so only a bound can be reported.
    """

    agents: dict[str, Interval]
    first_move: Interval
    attacker: Interval
    bounded: dict[str, str]


def rate(games: Sequence[RatedGame], confidence: float = 0.95) -> Ratings:
    """Fit the ratings of all agents that occur in these games."""
    names = sorted({name for game in games for name in (game.first, game.second)})
    column = {name: index for index, name in enumerate(names)}
    first_move, attacker = len(names), len(names) + 1
    columns = len(names) + 2
    rows = len(games) + 2 * columns
    design = np.zeros((rows, columns))
    won = np.zeros(rows)
    groups = np.zeros(rows, np.int64)
    numbers: dict[str, int] = {}
    for row, game in enumerate(games):
        design[row, column[game.first]] += 1.0
        design[row, column[game.second]] -= 1.0
        design[row, first_move] = 1.0
        if game.first_attacks is not None:
            design[row, attacker] = 1.0 if game.first_attacks else -1.0
        won[row] = game.first_wins
        groups[row] = numbers.setdefault(game.cluster, len(numbers))
    for index in range(columns):  # the virtual pairs
        for half in range(2):
            row = len(games) + 2 * index + half
            design[row, index] = 1.0
            won[row] = half
            groups[row] = len(numbers) + index
    estimates, errors = _fit(design, won, groups, len(names))
    reach = normal_quantile((1 + confidence) / 2)

    def interval(index: int) -> Interval:
        middle, half = _ELO * estimates[index], _ELO * reach * errors[index]
        estimate, low, high = (float(end) for end in np.clip((middle, middle - half, middle + half), -MOST, MOST))
        return Interval(estimate, low, high, confidence)

    return Ratings(
        {name: interval(index) for name, index in column.items()},
        interval(first_move),
        interval(attacker),
        _bounded(games, names),
    )


def _fit(design: Numbers, won: Numbers, groups: npt.NDArray[np.int64], agents: int) -> tuple[Numbers, Numbers]:
    """Return the estimates and their errors, with agents relative to their mean."""
    logit = fit_logit(design, won, groups)
    # The level of the pool is hardly known and irrelevant: agents are compared with the mean of all.
    contrast = np.eye(design.shape[1])
    contrast[:agents, :agents] -= 1.0 / max(agents, 1)
    # With few clusters, clustered errors are too small, so the model's own errors are the minimum.
    variances = [np.diag(contrast @ covariance @ contrast.T) for covariance in (logit.covariance, logit.clustered)]
    # For a single agent, the variance against the mean is 0, or slightly negative due to rounding.
    return contrast @ logit.estimates, np.sqrt(np.maximum(np.maximum(*variances), 0.0))


def _bounded(games: Sequence[RatedGame], names: Sequence[str]) -> dict[str, str]:
    results: dict[str, set[bool]] = {name: set() for name in names}
    for game in games:
        if game.first != game.second:
            results[game.first].add(game.first_wins)
            results[game.second].add(not game.first_wins)
    return {name: "won all" if found == {True} else "lost all" for name, found in results.items() if len(found) == 1}
