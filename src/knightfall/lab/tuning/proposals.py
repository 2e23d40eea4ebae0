"""Proposals after the screening: Optuna's tree-structured Parzen estimator (Bergstra et al., 2011).

A new sampler makes each proposal from all finished trials. So a proposal depends only on the seed and on these
trials, and a resumed study continues exactly as if it had not been stopped.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from knightfall.lab.tuning.errors import BadParameter
from knightfall.lab.tuning.space import CHOICE, WHOLE, Parameter, Setting, Space
from knightfall.native.seeds import key_of

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

_LARGEST_SEED = 2**32
_ASKED = 10  # attempts before an untried setting is drawn at random
_DRAWN = 1_000

Tried = Sequence[tuple[Setting, float]]
"""Finished trials in order: each setting with its value."""


def check_extra(alone: int) -> None:
    """Raise an error if Optuna is not installed. ``alone`` is the number of trials that do not need it."""
    try:
        import optuna  # noqa: F401 (whether it is there)
    except ImportError:
        raise BadParameter(
            "what follows the screening needs optuna: pip install 'knightfall[tune]'; "
            f"{{trials={alone}}} is the screening alone"
        ) from None


def propose(space: Space, seed: int, tried: Tried) -> Setting | None:
    """Return an untried setting, or None if all settings were tried."""
    known = [setting for setting, _ in tried]
    if space.count is not None and sum(space.holds(setting) for setting in known) >= space.count:
        return None
    for attempt in range(_ASKED):
        found = _ask(space, key_of("search", seed, len(tried), attempt) % _LARGEST_SEED, tried)
        if found not in known:
            return found
    return _by_lot(space, random.Random(key_of("lot", seed, len(tried))), known)


def _ask(space: Space, seed: int, tried: Tried) -> Setting:
    import optuna

    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some versions report multivariate sampling as experimental
            sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=1, multivariate=True)
            study = optuna.create_study(direction="maximize", sampler=sampler)
            distributions = {parameter.name: _distribution(parameter) for parameter in space.parameters}
            for setting, value in tried:
                if space.holds(setting):  # the start may lie outside the ranges
                    study.add_trial(optuna.trial.create_trial(params=setting, distributions=distributions, value=value))
            asked = study.ask(distributions).params
    finally:
        optuna.logging.set_verbosity(level)
    return {p.name: p.rounded(asked[p.name]) if p.count is None else asked[p.name] for p in space.parameters}


def _distribution(parameter: Parameter) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if parameter.kind == CHOICE:
        return CategoricalDistribution(parameter.choices)
    if parameter.kind == WHOLE:
        return IntDistribution(int(parameter.low), int(parameter.high))
    return FloatDistribution(parameter.low, parameter.high)


def _by_lot(space: Space, generator: random.Random, known: Sequence[Setting]) -> Setting | None:
    if space.count is not None and space.count <= _DRAWN:
        left = [setting for setting in space.every() if setting not in known]
        return generator.choice(left) if left else None
    for _ in range(_DRAWN):
        drawn = {parameter.name: parameter.at(generator.random()) for parameter in space.parameters}
        if drawn not in known:
            return drawn
    return None
