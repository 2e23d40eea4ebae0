"""The screening: settings that cover the ranges evenly, before anything is known.

Where few enough values make a full factorial (every level of one parameter with every level of the others), it is one:
the effect of each parameter can be read off it. Otherwise it is a scrambled Sobol sequence, which leaves no corner out.
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

_LEVELS = (9, 7, 5, 4, 3)  # of a number; with two a curve could not be told from a line
_LARGEST_SEED = 2**32


@dataclass(frozen=True)
class Design:
    """What is tried first."""

    kind: str
    settings: tuple[Setting, ...]


def screening(space: Space, most: int, seed: int) -> Design:
    """At most so many settings; always the same for one seed.

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
        if setting not in found:  # whole numbers and choices may meet
            found.append(setting)
    return tuple(found)


def _sobol(space: Space, most: int, seed: int) -> list[list[float | int | bool | str]]:
    """As many as are balanced: the largest power of two."""
    from scipy.stats import qmc

    if most < 1:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampler = qmc.Sobol(len(space.parameters), scramble=True, rng=key_of("screening", seed) % _LARGEST_SEED)
        points = sampler.random_base2(int(math.log2(most)))
    return [[p.at(float(share)) for p, share in zip(space.parameters, point, strict=True)] for point in points]
