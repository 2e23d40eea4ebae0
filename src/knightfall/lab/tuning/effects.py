"""Main effects: how much the value changes with one parameter, averaged over the others.

They are computed from the screening, in which the levels of each parameter meet the others evenly. The search prefers
settings with high values, so every parameter would seem to matter less in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from knightfall.lab.tuning.space import CHOICE, Parameter, Setting, Value, value_words
from knightfall.lab.tuning.study import Study, Trial

_MOST_LEVELS = 9
_BINS = 4  # for a parameter without levels


@dataclass(frozen=True)
class Effect:
    """The effect of one parameter.

    ``levels`` contains the levels of the parameter and the mean value of the settings at each level. ``share`` is the
    share of the variance among the settings that lies between the levels (η² of an analysis of variance).
    """

    parameter: str
    levels: tuple[tuple[str, float], ...]
    share: float

    @property
    def size(self) -> float:
        """The difference between the best level and the worst."""
        means = [mean for _, mean in self.levels]
        return max(means) - min(means)

    @property
    def best(self) -> str:
        """The name of the best level."""
        return max(self.levels, key=lambda level: level[1])[0]

    def facts(self) -> dict[str, Any]:
        """Return the effect as a dictionary for JSON."""
        return {
            "parameter": self.parameter,
            "size": round(self.size, 6),
            "share_of_variance": round(self.share, 6),
            "levels": {name: round(mean, 6) for name, mean in self.levels},
        }


def screened(study: Study) -> list[Trial]:
    """Return the measured trials of the screening, including the start if it is one of its settings."""
    wanted: list[Setting] = study.head["design"]["settings"]
    return [trial for trial in study.trials if trial.setting in wanted and trial.value is not None]


def main_effects(study: Study) -> list[Effect]:
    """Return the effect of each parameter, largest first. The list is empty for fewer than two measured trials."""
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
    """Return the position and the name of the level that a value belongs to."""
    place = parameter.place(value)
    if has_levels:
        return place, value_words(value)
    at = min(int(place * _BINS), _BINS - 1)
    width = (parameter.high - parameter.low) / _BINS
    return float(at), f"{parameter.low + at * width:g}..{parameter.low + (at + 1) * width:g}"
