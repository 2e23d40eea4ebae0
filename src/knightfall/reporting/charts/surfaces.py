"""Response surfaces: a value over one or two parameters, with the trials behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from knightfall.arena.statistics.pairs import Interval
from knightfall.lab.tuning.space import CHOICE, Parameter, Value, value_words
from knightfall.lab.tuning.study import Trial
from knightfall.reporting.charts.parts import FOOT, INK, SIZE, WIDTH, Drawing, drawn, dress, key, new_figure
from knightfall.reporting.charts.svg import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BANDWIDTH = 0.12  # range of a trial's influence, as a share of the parameter's range
_STEPS = 61  # grid points of the picture in each direction
_BANDS = 8
_LEAST_BAND = 0.2  # in points: thinner bands would show noise
_FAINTEST, _STRONGEST = 0.05, 0.6  # opacity of the lowest and the highest value
_CELLS = 5  # number of pieces of a range that is not shown value by value
_MOST_VALUES = 9  # maximum number of whole numbers that are shown one by one
_LEFT, _TOP = 70.0, 34.0

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Surface:
    """The value over two parameters, averaged over the others."""

    across: Parameter
    up: Parameter
    trials: Sequence[Trial]
    start: Trial
    best: Trial

    @property
    def is_smooth(self) -> bool:
        """Whether both parameters are continuous."""
        return not _is_stepped(self.across) and not _is_stepped(self.up)

    def inside(self) -> list[Trial]:
        """Return the measured trials that lie within both ranges."""
        return [
            trial
            for trial in self.trials
            if trial.value is not None and all(p.holds(trial.setting[p.name]) for p in (self.across, self.up))
        ]

    def place(self, trial: Trial) -> tuple[float, float]:
        """Return the place of a trial, from 0 to 1 in both directions."""
        return tuple(p.place(trial.setting[p.name]) for p in (self.across, self.up))  # type: ignore[return-value]

    def smoothed(self, across: Numbers, up: Numbers) -> Numbers:
        """Return the mean of the nearby trials, weighted by distance (the Nadaraya-Watson estimate)."""
        trials = self.inside()
        places = np.array([self.place(trial) for trial in trials])
        values = np.array([trial.score for trial in trials])
        distance = (across[..., None] - places[:, 0]) ** 2 + (up[..., None] - places[:, 1]) ** 2
        # Subtract the smallest distance, so that far from all trials the nearest one decides, without a division by
        # zero.
        weights = np.exp(-(distance - distance.min(axis=-1, keepdims=True)) / (2 * _BANDWIDTH**2))
        found: Numbers = (weights * values).sum(axis=-1) / weights.sum(axis=-1)
        return found

    def cells(self) -> dict[tuple[int, int], float]:
        """Return means by column and row of a coarse grid, counted from the bottom, for cells with trials."""
        found: dict[tuple[int, int], list[float]] = {}
        for trial in self.inside():
            at = tuple(_step(p, trial.setting[p.name]) for p in (self.across, self.up))
            found.setdefault((at[0], at[1]), []).append(trial.score)
        return {at: sum(values) / len(values) for at, values in found.items()}


def _is_stepped(parameter: Parameter) -> bool:
    return parameter.kind == CHOICE or (parameter.count is not None and parameter.count <= _MOST_VALUES)


def steps(parameter: Parameter) -> list[str]:
    """Return the names of the columns or rows of a coarse grid."""
    if _is_stepped(parameter):
        return [value_words(value) for value in parameter.levels(parameter.count or 0)]
    ends = [parameter.low + at / _CELLS * (parameter.high - parameter.low) for at in range(_CELLS + 1)]
    return [f"{low:g}–{high:g}" for low, high in pairwise(ends)]


def _step(parameter: Parameter, value: Value) -> int:
    if _is_stepped(parameter):
        return parameter.levels(parameter.count or 0).index(value)
    return min(int(parameter.place(value) * _CELLS), _CELLS - 1)


def draw_response(
    parameter: Parameter, trials: Sequence[tuple[float, Interval]], axis: str, start: Trial, best: Trial
) -> Drawing:
    """Draw a value over one parameter, with intervals."""

    def build() -> Figure:
        figure, axes = _frame(270)
        dress(axes, "y")
        at = [x for x, _ in trials]
        low, mid, high = ([100 * getattr(found, end) for _, found in trials] for end in ("low", "estimate", "high"))
        axes.fill_between(at, low, high, color=COLOURS["one"], alpha=0.14, linewidth=0)
        axes.plot(at, mid, "-o", color=COLOURS["one"], linewidth=1.4, markersize=4, clip_on=False)
        for name, trial, marker, colour in _marked(start, best):
            if trial.value is not None:
                place = ([float(trial.setting[parameter.name])], [100 * trial.score])
                axes.plot(*place, marker, color=COLOURS[colour], markersize=9, clip_on=False, label=name)
        axes.set_xlabel(parameter.name)
        axes.set_ylabel(axis)
        key(figure, axes)
        return figure

    return drawn(build)


def draw_surface(surface: Surface) -> Drawing:
    """Draw a value over two parameters.

    If both are continuous, the picture has bands of colour with labelled lines between them, otherwise a grid of
    means.
    """

    def build() -> Figure:
        figure, axes = _frame(380)
        dress(axes, "y")
        axes.grid(visible=False)
        if surface.is_smooth:
            _bands(axes, surface)
        else:
            _grid(axes, surface)
        axes.set_xlabel(surface.across.name)
        axes.set_ylabel(surface.up.name)
        key(figure, axes)
        return figure

    return drawn(build)


def _frame(height: float) -> tuple[Figure, Axes]:
    figure = new_figure(height)
    place = (_LEFT / WIDTH, FOOT / height, (WIDTH - _LEFT - 20) / WIDTH, (height - FOOT - _TOP) / height)
    return figure, figure.add_axes(place)


def _marked(start: Trial, best: Trial) -> tuple[tuple[str, Trial, str, str], ...]:
    return (("start", start, "D", "two"), ("best", best, "*", "ink"))


def _bands(axes: Axes, surface: Surface) -> None:
    shares = np.linspace(0.0, 1.0, _STEPS)
    across, up = np.meshgrid(shares, shares)
    values = 100 * surface.smoothed(across, up)
    scaled = [p.low + grid * (p.high - p.low) for p, grid in ((surface.across, across), (surface.up, up))]
    levels = _levels(values)
    for at, strength in enumerate(np.linspace(_FAINTEST, _STRONGEST, len(levels) - 1)):
        band = [levels[at], levels[at + 1] + 1e-9]
        axes.contourf(*scaled, values, levels=band, colors=COLOURS["one"], alpha=float(strength), antialiased=False)
    if len(levels) > 2:
        lines = axes.contour(*scaled, values, levels=levels[1:-1], colors=COLOURS["ink"], linewidths=0.5, alpha=0.5)
        for label in axes.clabel(lines, fmt="%.1f", fontsize=SIZE - 2, colors=INK):
            label.set_alpha(None)  # the label must be readable, unlike its faint line
    trials = surface.inside()
    places = [[float(trial.setting[p.name]) for trial in trials] for p in (surface.across, surface.up)]
    axes.plot(*places, "o", color=COLOURS["ink"], markersize=2.5, clip_on=False, label="tried")
    for name, trial, marker, colour in _marked(surface.start, surface.best):
        if trial in trials:
            place = [[float(trial.setting[p.name])] for p in (surface.across, surface.up)]
            axes.plot(*place, marker, color=COLOURS[colour], markersize=11, clip_on=False, label=name)
    axes.set_xlim(surface.across.low, surface.across.high)
    axes.set_ylim(surface.up.low, surface.up.high)


def _levels(values: Numbers) -> list[float]:
    """Return the borders between bands. Each band covers a similar area, so that a plateau is visible, too."""
    found = [float(values.min())]
    for level in np.quantile(values, np.linspace(0, 1, _BANDS + 1)[1:-1]):
        if level - found[-1] >= _LEAST_BAND:
            found.append(float(level))
    return [*found, float(values.max())]


def _grid(axes: Axes, surface: Surface) -> None:
    from matplotlib.patches import Rectangle

    cells = surface.cells()
    low, high = min(cells.values()), max(cells.values())
    for (column, row), value in cells.items():
        part = (value - low) / (high - low) if high > low else 1.0
        strength = _FAINTEST + part * (_STRONGEST - _FAINTEST)
        axes.add_patch(Rectangle((column, row), 1, 1, facecolor=COLOURS["one"], alpha=strength, linewidth=0))
        axes.annotate(f"{100 * value:.1f}", (column + 0.5, row + 0.3), ha="center", va="center", color=INK)
    for name, trial, marker, colour in _marked(surface.start, surface.best):
        if trial in surface.inside():
            column, row = (_step(p, trial.setting[p.name]) for p in (surface.across, surface.up))
            shift = 0.38 if name == "start" else 0.62
            axes.plot([column + shift], [row + 0.7], marker, color=COLOURS[colour], markersize=9, label=name)
    for parameter, ticks, limits in (
        (surface.across, axes.set_xticks, axes.set_xlim),
        (surface.up, axes.set_yticks, axes.set_ylim),
    ):
        names = steps(parameter)
        ticks([at + 0.5 for at in range(len(names))], names)
        limits(0, len(names))
