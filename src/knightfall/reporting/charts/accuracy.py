"""The charts of the accuracy section: small curves side by side, and labelled points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from knightfall.arena.statistics.pairs import Interval
from knightfall.reporting.charts.parts import (
    INK,
    LETTER,
    SIZE,
    WIDTH,
    Drawing,
    drawn,
    dress,
    new_figure,
    plot_axes,
    short,
)
from knightfall.reporting.charts.svg import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 3
_PANEL = 128.0  # height of one small curve with its margins
_LINE = 14.0


@dataclass(frozen=True)
class SmallCurve:
    """One of many curves: a name, and intervals by ply."""

    name: str
    points: Mapping[int, Interval]


def draw_small_curves(curves: Sequence[SmallCurve], typical: Mapping[int, float], axis: str) -> Drawing:
    """Draw one curve per panel, with the ``typical`` curve dashed in every panel."""

    def build() -> Figure:
        rows = -(-len(curves) // _COLUMNS)
        height = _PANEL * rows + 30
        figure = new_figure(height)
        ends = [end for curve in curves for i in curve.points.values() for end in (i.low, i.high)]
        width = (WIDTH - 40) / _COLUMNS
        for at, curve in enumerate(curves):
            row, column = divmod(at, _COLUMNS)
            left, top = 40 + column * width, row * _PANEL
            place = (left / WIDTH, (height - top - _PANEL + 24) / height, (width - 20) / WIDTH, (_PANEL - 48) / height)
            axes = figure.add_axes(place)
            dress(axes, "y")
            axes.set_ylim(100 * min(ends), 100 * max(ends))
            axes.plot(
                list(typical),
                [100 * value for value in typical.values()],
                color=COLOURS["mark"],
                linewidth=1.2,
                linestyle=(0, (3, 2)),
            )
            plies = list(curve.points)
            low, mid, high = (
                [100 * getattr(interval, end) for interval in curve.points.values()]
                for end in ("low", "estimate", "high")
            )
            axes.fill_between(plies, low, high, color=COLOURS["one"], alpha=0.18, linewidth=0)
            axes.plot(plies, mid, color=COLOURS["one"], linewidth=2)
            axes.set_title(short(curve.name, int(width / LETTER) - 4), loc="left", fontsize=SIZE, color=INK, pad=6)
            if column:
                axes.set_yticklabels([])
        figure.text(0.5, 6 / height, axis, ha="center", va="bottom", color=COLOURS["muted"])
        return figure

    return drawn(build)


@dataclass(frozen=True)
class Point:
    """A named point."""

    name: str
    x: float
    y: float


def draw_points(points: Sequence[Point], x_axis: str, y_axis: str) -> Drawing:
    """Draw points, with their names if there is room."""

    def build() -> Figure:
        figure, axes = plot_axes(360)
        axes.plot(
            [100 * point.x for point in points],
            [100 * point.y for point in points],
            "o",
            color=COLOURS["one"],
            markersize=7,
            clip_on=False,
        )
        axes.margins(x=0.12, y=0.08)
        _name_points(axes, points)
        axes.set_xlabel(x_axis)
        axes.set_ylabel(y_axis)
        return figure

    return drawn(build)


def _name_points(axes: Axes, points: Sequence[Point]) -> None:
    """Write each name beside its point if the space is free. Other names are omitted, because the table has them."""
    axes.figure.draw_without_rendering()  # type: ignore[union-attr]  # so that the limits are known
    places = [axes.transData.transform((100 * point.x, 100 * point.y)) for point in points]
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in places]
    left, _, right, _ = axes.get_window_extent().extents
    for point, (x, y) in sorted(zip(points, places, strict=True), key=lambda each: -each[0].y):
        name = short(point.name, 30)
        wide = LETTER * len(name)
        for side, dx, dy in (("left", 8, 0), ("right", -8, 0), ("center", 0, 13), ("center", 0, -13)):
            begin = x + dx - {"left": 0.0, "right": wide, "center": wide / 2}[side]
            box = (begin, y + dy - _LINE / 2, begin + wide, y + dy + _LINE / 2)
            if left <= box[0] and box[2] <= right + 20 and not any(_meet(box, other) for other in taken):
                taken.append(box)
                axes.annotate(
                    name,
                    (100 * point.x, 100 * point.y),
                    (dx, dy),
                    textcoords="offset points",
                    ha=side,
                    va="center",
                    color=INK,
                    fontsize=SIZE - 1,
                )
                break


Box = tuple[float, float, float, float]


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
