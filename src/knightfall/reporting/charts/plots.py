"""The charts of a report: intervals as dots, bars, curves and histograms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from knightfall.arena.statistics.pairs import Interval
from knightfall.reporting.charts.parts import (
    INK,
    ROW,
    Drawing,
    drawn,
    key,
    mark,
    panel_axes,
    plot_axes,
    row_axes,
)
from knightfall.reporting.charts.svg import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SERIES = ("one", "two")
_MARKERS = ("o", "D")


@dataclass(frozen=True)
class Dot:
    """One row of a chart of intervals: a name, and for each series an interval, a value without one, or None."""

    label: str
    values: tuple[Interval | None, ...]
    extra: float | None = None
    """A value from another source, such as a published one."""


def draw_dots(
    rows: Sequence[Dot],
    axis: str,
    *,
    series: Sequence[str] = ("",),
    reference: tuple[float, str] | None = None,
    extra: str = "",
    scale: float = 100.0,
) -> Drawing:
    """Draw intervals in rows, with an optional reference line."""

    def build() -> Figure:
        has_key = len(series) > 1 or bool(extra)
        figure, axes = row_axes([row.label for row in rows], has_key, ROW + 8 * (len(series) - 1))
        apart = 0.26 if len(series) > 1 else 0.0
        for at, (name, colour, marker) in enumerate(zip(series, _SERIES, _MARKERS, strict=False)):
            shift = (at - (len(series) - 1) / 2) * apart
            places = [(row + shift, dot.values[at]) for row, dot in enumerate(rows)]
            shown = [(place, value) for place, value in places if value is not None]
            for place, value in shown:
                ends = [scale * value.low, scale * value.high]
                if ends[0] < ends[1]:
                    axes.plot(ends, [place, place], color=COLOURS[colour], linewidth=2.2, clip_on=False)
            axes.plot(
                [scale * value.estimate for _, value in shown],
                [place for place, _ in shown],
                marker,
                color=COLOURS[colour],
                markersize=8 if marker == "o" else 6.5,
                clip_on=False,
                label=name,
            )
        if extra:
            known = [(row, dot.extra) for row, dot in enumerate(rows) if dot.extra is not None]
            axes.plot(
                [scale * value for _, value in known],
                [row for row, _ in known],
                "|",
                color=COLOURS["ink"],
                markersize=15,
                markeredgewidth=2,
                label=extra,
            )
        axes.set_xlabel(axis)
        if reference is not None:
            mark(axes, scale * reference[0], reference[1])
        if has_key:
            key(figure, axes)
        return figure

    return drawn(build)


def draw_bars(rows: Sequence[str], panels: Sequence[Panel]) -> Drawing:
    """Draw bars of several quantities, side by side."""

    def build() -> Figure:
        figure, all_axes = panel_axes(rows, len(panels))
        for axes, panel in zip(all_axes, panels, strict=True):
            axes.barh(range(len(rows)), panel.values, height=0.5, color=COLOURS["one"])
            for at, value in enumerate(panel.values):
                axes.annotate(
                    panel.words(value), (value, at), (5, 0), textcoords="offset points", va="center", color=INK
                )
            axes.set_xlim(0, max([*panel.values, 1e-9]) * 1.45)
            axes.set_xlabel(panel.name)
            axes.set_xticks([])
            axes.grid(visible=False)
        return figure

    return drawn(build)


@dataclass(frozen=True)
class Panel:
    """One quantity of a bar chart."""

    name: str
    values: tuple[float, ...]
    words: Callable[[float], str]


def draw_curve(
    points: Sequence[tuple[float, Interval]],
    axis: str,
    published: float | None,
) -> Drawing:
    """Draw a win rate over a parameter, with intervals and a mark at the published value."""

    def build() -> Figure:
        figure, axes = plot_axes(250)
        at = [x for x, _ in points]
        low, mid, high = (
            [100 * getattr(interval, end) for _, interval in points] for end in ("low", "estimate", "high")
        )
        axes.fill_between(at, low, high, color=COLOURS["one"], alpha=0.14, linewidth=0)
        axes.vlines(at, low, high, color=COLOURS["one"], linewidth=2)
        axes.plot(at, mid, "-o", color=COLOURS["one"], linewidth=1.6, markersize=7, clip_on=False)
        axes.set_xticks(at, [f"{x:g}" for x in at])
        if published is not None:
            mark(axes, published, "published")
        axes.set_xlabel(axis)
        axes.set_ylabel("games won, %")
        return figure

    return drawn(build)


def draw_histogram(counts: Sequence[tuple[int, int]], axis: str, median: float) -> Drawing:
    """Draw how often each number occurs, with a mark at the median."""

    def build() -> Figure:
        figure, axes = plot_axes(220)
        axes.bar([value for value, _ in counts], [count for _, count in counts], width=0.82, color=COLOURS["one"])
        axes.set_xlabel(axis)
        axes.set_ylabel("games")
        axes.margins(x=0.02)
        mark(axes, median, f"median {median:g}")
        return figure

    return drawn(build)
