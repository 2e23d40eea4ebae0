"""The five published analyses: what they measured, in how many games, their results, and the sweeps they suggested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Sweep:
    """Several values of one parameter, or several choices. ``parameter`` labels the axis of the curve."""

    name: str
    parameter: str
    candidates: tuple[str, ...]
    published: str = ""
    """The value that the report recommends, or the candidate if the sweep is a choice."""


@dataclass(frozen=True)
class Report:
    """One analysis. ``published`` contains its win rates in per cent, by candidate."""

    id: str
    subject: str
    panel: str
    games: int
    candidates: tuple[str, ...]
    published: Mapping[str, float]
    sweeps: tuple[Sweep, ...] = field(default=())


def _over(heuristic: str, parameter: str, *values: float) -> tuple[str, ...]:
    return tuple(f"{heuristic}({parameter}={value:g})" for value in values)


A = Report(
    "A",
    "lookahead",
    "gen1",
    20,
    (
        "improved",
        "lookahead_both",
        "lookahead_both(mix=0.3)",
        "lookahead_both(mix=0.7)",
        "lookahead_own",
        "opponent_mobility",
        "lookahead_opponent",
        "center_deviation",
        "weighted_mobility",
    ),
    {
        # ID_Improved was measured again beside each function. This value is from the run beside lookahead_both with
        # mix 0.5.
        "improved": 66.43,
        "lookahead_both": 72.14,
        "lookahead_both(mix=0.3)": 70.00,
        "lookahead_both(mix=0.7)": 72.86,
        "lookahead_own": 63.57,
        "opponent_mobility": 65.71,
        "lookahead_opponent": 68.57,
        "center_deviation": 62.86,
    },
    (
        Sweep("mix of lookahead_both", "mix", _over("lookahead_both", "mix", 0, 0.1, 0.3, 0.5, 0.7, 0.9, 1), "0.5"),
        Sweep(
            "mix of weighted_mobility", "mix", _over("weighted_mobility", "mix", 0.3, 0.5, 0.6, 0.7, 0.8, 0.9), "0.7"
        ),
        Sweep("mix of center_deviation", "mix", _over("center_deviation", "mix", 0.5, 0.7, 0.8, 0.9, 1), "0.8"),
    ),
)

B = Report(
    "B",
    "quality of moves",
    "gen2",
    40,
    (
        "improved",
        "central_mobility",
        "space_proximity",
        "central_then_proximity",
        "aggressive_mobility",
        "chase",
        "central_then_paths",
    ),
    {
        "improved": 67.9,
        "central_mobility": 73.2,
        "space_proximity": 65.4,
        "central_then_proximity": 67.5,
        "aggressive_mobility": 66.4,
        "chase": 62.9,
    },
    (
        Sweep(
            "weight of the opponent's moves",
            "opponent",
            _over("central_mobility", "opponent", 0.5, 1, 1.5, 2, 2.5),
            "1.5",
        ),
        Sweep("peak of central_mobility", "peak", _over("central_mobility", "peak", 4, 5, 6, 7, 8), "6"),
        Sweep(
            "weight in aggressive_mobility",
            "opponent",
            _over("aggressive_mobility", "opponent", 0.5, 1, 1.5, 2, 3),
            "1.5",
        ),
        Sweep(
            "threshold of central_then_proximity",
            "threshold",
            _over("central_then_proximity", "threshold", 8, 14, 20, 26, 32),
            "20",
        ),
        Sweep("sign of chase", "", ("chase", "flee", "pursue"), "chase"),
        Sweep(
            "metric and whose of space_proximity",
            "",
            tuple(
                f"space_proximity(metric={metric}, whose={whose})"
                for metric in ("d1", "d2", "d2sq")
                for whose in ("both", "own", "opponent")
            ),
            "space_proximity(metric=d1, whose=both)",
        ),
    ),
)

C = Report(
    "C",
    "open space and stages",
    "gen1",
    20,
    (
        "improved",
        "stages",
        "stages_hard",
        "stages_lines",
        "stages_lines_hard",
        "stages_open",
        "stages_improved",
        "mobility",
        "space_difference",
        "space_lookahead",
        "space",
    ),
    {
        "improved": 67.14,
        "stages": 78.57,
        "stages_hard": 57.86,
        "stages_lines": 73.57,
        "stages_lines_hard": 62.86,
        "stages_open": 72.86,
        "stages_improved": 73.57,
        "mobility": 57.86,
        "space_difference": 69.29,
        "space_lookahead": 57.86,
        "space": 69.29,
    },
    (
        Sweep("cut-off of stages", "cutoff", _over("stages", "cutoff", 0, 0.05, 0.1, 0.15, 0.2), "0.2"),
        Sweep("cut-off of stages_lines", "cutoff", _over("stages_lines", "cutoff", 0, 0.05, 0.1, 0.15, 0.2), "0.2"),
        Sweep("early border of stages_hard", "early", _over("stages_hard", "early", 0.5, 0.6, 0.7, 0.8, 0.9), "0.7"),
    ),
)

D = Report(
    "D",
    "ratios",
    "gen2",
    10,
    ("improved", "squared_ratio", "least_opponent", "open"),
    # AB_Custom_3, as it was measured, never reaches its first branch and is therefore `open`.
    {"improved": 67.1, "squared_ratio": 71.4, "least_opponent": 64.3, "open": 67.1},
    (Sweep("sign of near_opponent", "sign", _over("near_opponent", "sign", -1, 1), "1"),),
)

E = Report(
    "E",
    "attacker and defender",
    "E",
    100,
    ("improved", "contested_reach", "shared_square", "reach", "Custom"),
    {"improved": 65.2, "contested_reach": 71.0, "shared_square": 63.2, "reach": 65.5, "Custom": 72.5},
    (
        Sweep("k of reach", "k", _over("reach", "k", 1, 2, 3, 4), "2"),
        Sweep("k of contested_reach", "k", _over("contested_reach", "k", 1, 2, 3, 4), "2"),
        Sweep("c of contested_reach", "c", _over("contested_reach", "c", 0, 0.25, 0.5, 0.75, 1), "0.5"),
        Sweep("bonus of shared_square", "bonus", _over("shared_square", "bonus", 0, 1, 2, 3, 4, 5), "3"),
    ),
)

REPORTS = {report.id: report for report in (A, B, C, D, E)}
