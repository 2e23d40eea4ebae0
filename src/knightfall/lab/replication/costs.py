"""Costs of heuristics in interpreted Python, relative to `improved`.

In 2017 a costly function searched fewer nodes in the same time. The costs were measured once, by `python
benchmarks/costs.py`, with the interpreted twin of the game view, in positions of random games on 7×7. Parameters that
do not change what is computed do not change the cost, so these variants share the entry of the plain name.
"""

from __future__ import annotations

from knightfall.catalogue.registry import parse_parameters

COSTS = {
    "null": 0.386,
    "open": 0.644,
    "center": 0.475,
    "improved": 1,
    "lookahead_both": 4.5,
    "lookahead_own": 2.57,
    "opponent_mobility": 0.874,
    "lookahead_opponent": 2.28,
    "center_deviation": 0.702,
    "weighted_mobility": 1.15,
    "central_mobility": 1.42,
    "space_proximity": 3.2,
    "central_then_proximity": 3.4,
    "aggressive_mobility": 1.03,
    "chase": 0.524,
    "central_then_paths": 5.75,
    "flee": 0.694,
    "pursue": 0.51,
    "space_proximity(metric=d2, whose=both)": 4.94,
    "space_proximity(metric=d2sq, whose=both)": 3.42,
    "stages": 12.3,
    "stages_hard": 4.93,
    "stages_lines": 10.4,
    "stages_lines_hard": 5.33,
    "stages_open": 7.53,
    "stages_improved": 7.95,
    "mobility": 0.785,
    "space_difference": 4.94,
    "space_lookahead": 3.98,
    "space": 3.07,
    "squared_ratio": 0.933,
    "least_opponent": 1.05,
    "near_opponent": 1.21,
    "contested_reach": 3.44,
    "shared_square": 1.08,
    "reach": 2.96,
    "reach(k=1)": 1.17,
    "reach(k=3)": 5.43,
    "reach(k=4)": 8.13,
    "contested_reach(k=1)": 1.6,
    "contested_reach(k=3)": 5.39,
    "contested_reach(k=4)": 8.74,
}


def cost_of(heuristic: str) -> float:
    """Return the cost of a heuristic; parameters may be included or omitted.

    >>> cost_of("improved"), cost_of("reach(k=3)") > cost_of("reach"), cost_of("reach(k=2)") == cost_of("reach")
    (1.0, True, True)
    """
    plain = heuristic.replace(" ", "")
    if plain in _EXACT:
        return _EXACT[plain]
    name, changes = parse_parameters(heuristic)
    if "metric" in changes:
        return _EXACT.get(f"{name}(metric={changes['metric']},whose=both)", _EXACT[name])
    return _EXACT[name]


_EXACT = {text.replace(" ", ""): float(cost) for text, cost in COSTS.items()}


def nodes_at_equal_cost(heuristic: str, nodes: int) -> int:
    """Return the number of nodes that cost a heuristic as much as ``nodes`` nodes cost `improved`."""
    return max(1, round(nodes / cost_of(heuristic)))
