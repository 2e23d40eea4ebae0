"""The screening: settings that cover the ranges evenly, before any result is known.

If few enough values make a full factorial design (every level of one parameter with every level of the others), that
is used: it shows the effect of each parameter directly. Otherwise the settings are a scrambled Sobol sequence, which
covers every corner of the space.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from knightfall.lab.tuning.space import Setting, Space
from knightfall.native.seeds import key_of

FACTORIAL, SOBOL = "full factorial", "Sobol sequence"

_LEVELS = (9, 7, 5, 4, 3)  # levels of a number; two could not distinguish a curve from a line
_LARGEST_SEED = 2**32


@dataclass(frozen=True)
class Design:
    """The settings to try first."""

    kind: str
    settings: tuple[Setting, ...]


def screening(space: Space, most: int, seed: int) -> Design:
    """Return at most ``most`` settings, always the same for one seed.

    >>> from knightfall.lab.tuning.space import read_space
    >>> design = screening(read_space("central_mobility(peak=?, opponent=?)"), 32, seed=1)
    >>> design.kind, len(design.settings), design.settings[7]
    ('full factorial', 25, {'peak': 3.0, 'opponent': 2.0})
    """
    names = [parameter.name for parameter in space.parameters]
    for count in _LEVELS:
        levels = [parameter.levels(count) for parameter in space.parameters]
        if math.prod(len(values) for values in levels) <= most:
            return Design(FACTORIAL, _named(names, list(product(*levels))))
    return Design(SOBOL, _named(names, _sobol(space, most, seed)))


def _named(names: Sequence[str], rows: Sequence[Sequence[float | int | bool | str]]) -> tuple[Setting, ...]:
    found: list[Setting] = []
    for row in rows:
        setting: Setting = dict(zip(names, row, strict=True))
        if setting not in found:  # whole numbers and choices may coincide
            found.append(setting)
    return tuple(found)


def _sobol(space: Space, most: int, seed: int) -> list[list[float | int | bool | str]]:
    """Return the largest balanced number of points: a power of two."""
    from scipy.stats import qmc

    if most < 1:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampler = qmc.Sobol(len(space.parameters), scramble=True, rng=key_of("screening", seed) % _LARGEST_SEED)
        points = sampler.random_base2(int(math.log2(most)))
    return [[p.at(float(share)) for p, share in zip(space.parameters, point, strict=True)] for point in points]
