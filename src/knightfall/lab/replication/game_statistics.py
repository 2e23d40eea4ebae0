"""Statistics of games other than the winner: how often the attacker won, and how deep the agents searched."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from knightfall.arena.referee import SCORES
from knightfall.arena.results import Results
from knightfall.arena.statistics.estimate import estimate
from knightfall.arena.statistics.pairs import Interval
from knightfall.rules import Position


def kind_of(name: str) -> str:
    """Return the kind of agent that a name describes: random, fixed depth, deepening or Monte Carlo."""
    if name.startswith(("Random", "random")):
        return "random"
    if name.startswith(("MM_", "AB5_", "minimax", "greedy")):
        return "fixed depth"
    return "Monte Carlo" if name.startswith(("MonteCarlo", "mcts")) else "deepening"


def attacker_share(results: Results) -> dict[str, Interval]:
    """Return the share of games that the attacker won, by the kinds of the two agents. Each pair is one cluster."""
    clusters: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    attackers = {opening: Position.from_fen(opening).attacker for opening in results.plan.openings}
    for pair, game in results.rows():
        attacker = attackers[pair.opening]
        if attacker is None:
            continue
        kinds = sorted((kind_of(game.first), kind_of(game.second)))
        clusters[f"{kinds[0]} against {kinds[1]}"][pair.number].append(float(game.winner == attacker))
    found = {}
    for kind, pairs in sorted(clusters.items()):
        found[kind] = estimate(((sum(won), len(won)) for won in pairs.values()), 2).interval()
    return found


def mean_depth(results: Results, player: str) -> Interval:
    """Return the mean depth of a player's searches, with one value per game."""
    values = []
    movers = {opening: Position.from_fen(opening).to_move for opening in results.plan.openings}
    for pair, game in results.rows():
        for name, player_number in ((game.first, 1), (game.second, 2)):
            if name != player:
                continue
            mover = movers[pair.opening]
            depths = np.frombuffer(game.scores, SCORES)["depth"][0 if mover == player_number else 1 :: 2]
            # Near the end every search reaches the end of the game, so the last moves do not show how deep an agent
            # can search.
            searched = depths[: max(len(depths) // 2, 1)]
            if len(searched):
                values.append(float(searched.mean()))
    if len(values) < 2:
        return Interval(values[0] if values else 0.0, 0.0, 100.0)
    mean, error = float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))
    return Interval(mean, mean - 1.96 * error, mean + 1.96 * error)
