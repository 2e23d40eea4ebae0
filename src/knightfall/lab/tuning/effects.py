"""Main effects: how much the value changes with one parameter, whatever the others are.

They are read off the screening, which gives each parameter's levels equal company; the search afterwards looks where
the value is high and would make every parameter seem to matter less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from knightfall.lab.tuning.space import CHOICE, Parameter, Setting, Value, value_words
from knightfall.lab.tuning.study import Study, Trial

_MOST_LEVELS = 9
_BINS = 4  # of a parameter that has no levels


@dataclass(frozen=True)
class Effect:
    """One parameter. ``levels``: what it was, and the mean value of the settings that had it so.

    ``share`` is how much of all variance among the settings lies between the levels (η² of an analysis of variance).
    """

    parameter: str
    levels: tuple[tuple[str, float], ...]
    share: float

    @property
    def size(self) -> float:
        """How far the best level is above the worst."""
        means = [mean for _, mean in self.levels]
        return max(means) - min(means)

    @property
    def best(self) -> str:
        """The best level."""
        return max(self.levels, key=lambda level: level[1])[0]

    def facts(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "parameter": self.parameter,
            "size": round(self.size, 6),
            "share_of_variance": round(self.share, 6),
            "levels": {name: round(mean, 6) for name, mean in self.levels},
        }


def screened(study: Study) -> list[Trial]:
    """The trials of the screening, the start among them if it is one of its settings."""
    wanted: list[Setting] = study.head["design"]["settings"]
    return [trial for trial in study.trials if trial.setting in wanted and trial.value is not None]


def main_effects(study: Study) -> list[Effect]:
    """The effect of each parameter, the largest first; nothing before there is something to compare."""
    trials = screened(study)
    if len(trials) < 2:
        return []
    found = [_effect(parameter, trials) for parameter in study.parameters]
    return sorted(found, key=lambda effect: -effect.share)


def _effect(parameter: Parameter, trials: list[Trial]) -> Effect:
    groups: dict[tuple[float, str], list[float]] = {}
    values = {trial.setting[parameter.name] for trial in trials}
    has_levels = parameter.kind == CHOICE or len(values) <= _MOST_LEVELS
    for trial in trials:
        groups.setdefault(_level(parameter, trial.setting[parameter.name], has_levels), []).append(trial.score)
    ordered = sorted(groups.items())
    mean = sum(trial.score for trial in trials) / len(trials)
    whole = sum((trial.score - mean) ** 2 for trial in trials)
    between = sum(len(scores) * (sum(scores) / len(scores) - mean) ** 2 for _, scores in ordered)
    levels = tuple((name, sum(scores) / len(scores)) for (_, name), scores in ordered)
    return Effect(parameter.name, levels, between / whole if whole > 0 else 0.0)


def _level(parameter: Parameter, value: Value, has_levels: bool) -> tuple[float, str]:
    """Where a value belongs, and what it is called there."""
    place = parameter.place(value)
    if has_levels:
        return place, value_words(value)
    at = min(int(place * _BINS), _BINS - 1)
    width = (parameter.high - parameter.low) / _BINS
    return float(at), f"{parameter.low + at * width:g}..{parameter.low + (at + 1) * width:g}"
