"""The charts of a report, drawn with Matplotlib: intervals as dots, curves, bars.

Matplotlib is loaded when the first of them is drawn. Text stays text; a browser sets it in the page's own type.
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from knightfall.arena.statistics.pairs import Interval
from knightfall.lab.report.svg import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Drawing = Callable[[], str]
"""What draws a chart as SVG, in the marker colours of :mod:`knightfall.lab.report.svg`."""

WIDTH = 720.0
_SIZE = 12.0  # of the type, in units of the picture
_LETTER = 6.6  # the width of one, on average
_MOST_LETTERS = 38
_ROW = 27.0
_FOOT = 46.0

_SERIES = ("one", "two")
_MARKERS = ("o", "D")

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "knightfall",  # the same ledger, the same file
    "font.size": _SIZE,
    "axes.linewidth": 1.0,
    "path.simplify": False,
    "text.parse_math": False,  # a name may hold a dollar
    "axes.unicode_minus": True,
}


@dataclass(frozen=True)
class Dot:
    """One line of a chart of intervals: a name, and for each series an interval, a bare value, or nothing."""

    label: str
    values: tuple[Interval | None, ...]
    extra: float | None = None
    """A figure from elsewhere, such as a published one."""


def short(name: str, most: int = _MOST_LETTERS) -> str:
    """A name that fits beside a chart; its middle is left out if it must be.

    >>> short("AB_improved"), short("abcdefghij", 7)
    ('AB_improved', 'abcd…ij')
    """
    name = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)
    if len(name) <= most:
        return name
    tail = most // 3
    return f"{name[: most - tail - 1]}…{name[-tail:]}"


def draw_dots(
    rows: Sequence[Dot],
    axis: str,
    *,
    series: Sequence[str] = ("",),
    reference: tuple[float, str] | None = None,
    extra: str = "",
    scale: float = 100.0,
) -> Drawing:
    """Intervals, one below the other, with a line for comparison."""

    def build() -> Figure:
        has_key = len(series) > 1 or bool(extra)
        figure, axes = _rows([row.label for row in rows], has_key, _ROW + 8 * (len(series) - 1))
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
            _mark(axes, scale * reference[0], reference[1])
        if has_key:
            _key(figure, axes)
        return figure

    return _drawn(build)


def draw_bars(rows: Sequence[str], panels: Sequence[Panel]) -> Drawing:
    """Bars of several quantities, side by side."""

    def build() -> Figure:
        figure, all_axes = _panels(rows, len(panels))
        for axes, panel in zip(all_axes, panels, strict=True):
            axes.barh(range(len(rows)), panel.values, height=0.5, color=COLOURS["one"])
            for at, value in enumerate(panel.values):
                axes.annotate(
                    panel.words(value), (value, at), (5, 0), textcoords="offset points", va="center", color=_INK
                )
            axes.set_xlim(0, max([*panel.values, 1e-9]) * 1.45)
            axes.set_xlabel(panel.name)
            axes.set_xticks([])
            axes.grid(visible=False)
        return figure

    return _drawn(build)


@dataclass(frozen=True)
class Panel:
    """One quantity of a chart of bars."""

    name: str
    values: tuple[float, ...]
    words: Callable[[float], str]


def draw_curve(
    points: Sequence[tuple[float, Interval]],
    axis: str,
    published: float | None,
) -> Drawing:
    """A rate over a parameter, with intervals; the published value is marked."""

    def build() -> Figure:
        figure, axes = _plot(250)
        at = [x for x, _ in points]
        low, mid, high = (
            [100 * getattr(interval, end) for _, interval in points] for end in ("low", "estimate", "high")
        )
        axes.fill_between(at, low, high, color=COLOURS["one"], alpha=0.14, linewidth=0)
        axes.vlines(at, low, high, color=COLOURS["one"], linewidth=2)
        axes.plot(at, mid, "-o", color=COLOURS["one"], linewidth=1.6, markersize=7, clip_on=False)
        axes.set_xticks(at, [f"{x:g}" for x in at])
        if published is not None:
            _mark(axes, published, "published")
        axes.set_xlabel(axis)
        axes.set_ylabel("games won, %")
        return figure

    return _drawn(build)


def draw_histogram(counts: Sequence[tuple[int, int]], axis: str, median: float) -> Drawing:
    """How often each number occurs."""

    def build() -> Figure:
        figure, axes = _plot(220)
        axes.bar([value for value, _ in counts], [count for _, count in counts], width=0.82, color=COLOURS["one"])
        axes.set_xlabel(axis)
        axes.set_ylabel("games")
        axes.margins(x=0.02)
        _mark(axes, median, f"median {median:g}")
        return figure

    return _drawn(build)


# --- the parts

_INK = COLOURS["ink"]


def _figure(height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH / 72, height / 72), dpi=72)


def _rows(labels: Sequence[str], has_key: bool, row: float = _ROW) -> tuple[Figure, Axes]:
    """Axes with one line for each label."""
    head = 40.0 if has_key else 24.0
    height = head + row * len(labels) + _FOOT
    figure = _figure(height)
    names = [short(label) for label in labels]
    left = 24 + _LETTER * max(len(name) for name in names)
    axes = figure.add_axes((left / WIDTH, _FOOT / height, (WIDTH - left - 24) / WIDTH, row * len(labels) / height))
    _dress(axes, "x")
    _name_rows(axes, names)
    return figure, axes


def _panels(labels: Sequence[str], count: int) -> tuple[Figure, list[Axes]]:
    height = 12 + _ROW * len(labels) + 34
    figure = _figure(height)
    names = [short(label) for label in labels]
    left = 24 + _LETTER * max(len(name) for name in names)
    width = (WIDTH - left - 12) / count
    found = []
    for at in range(count):
        place = ((left + at * width) / WIDTH, 34 / height, (width - 18) / WIDTH, _ROW * len(labels) / height)
        axes = figure.add_axes(place)
        _dress(axes, "x")
        _name_rows(axes, names if at == 0 else [""] * len(names))
        found.append(axes)
    return figure, found


def _plot(height: float) -> tuple[Figure, Axes]:
    figure = _figure(height)
    axes = figure.add_axes((62 / WIDTH, _FOOT / height, (WIDTH - 62 - 20) / WIDTH, (height - _FOOT - 24) / height))
    _dress(axes, "y")
    return figure, axes


def _dress(axes: Axes, grid: str) -> None:
    """Little ink: no frame, light lines."""
    axes.patch.set_visible(False)
    axes.figure.patch.set_visible(False)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(side == ("bottom" if grid == "y" else "left"))
        axes.spines[side].set_color(COLOURS["grid"])
    axes.tick_params(length=0, labelcolor=COLOURS["muted"], pad=6)
    axes.xaxis.label.set_color(COLOURS["muted"])
    axes.yaxis.label.set_color(COLOURS["muted"])
    axes.set_axisbelow(True)
    _round_steps(axes, grid)
    axes.grid(visible=True, axis="x" if grid == "x" else "y", color=COLOURS["grid"], linewidth=1)


def _round_steps(axes: Axes, grid: str) -> None:
    """Few ticks, at round numbers."""
    from matplotlib.ticker import MaxNLocator

    axis = axes.xaxis if grid == "x" else axes.yaxis
    axis.set_major_locator(MaxNLocator(nbins=7 if grid == "x" else 5, steps=[1, 2, 5, 10]))


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names)
    for label in axes.get_yticklabels():
        label.set_color(_INK)


def _mark(axes: Axes, value: float, words: str) -> None:
    """A line across, with its name above; near an end the name stands beside it."""
    low, high = axes.get_xlim()
    at = (value - low) / (high - low)
    axes.axvline(value, color=COLOURS["mark"], linewidth=1.4, linestyle=(0, (4, 3)))
    axes.annotate(
        short(words),
        (value, 1),
        (0, 6),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha="left" if at < 0.15 else "right" if at > 0.85 else "center",
        va="bottom",
        color=COLOURS["mark"],
        fontsize=_SIZE - 1,
    )


def _key(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    shown = [(handle, label) for handle, label in zip(handles, labels, strict=True) if label]
    figure.legend(
        [handle for handle, _ in shown],
        [label for _, label in shown],
        loc="upper right",
        ncols=len(shown),
        frameon=False,
        labelcolor=_INK,
        borderaxespad=0.1,
        handletextpad=0.4,
        columnspacing=1.4,
    )


def _drawn(build: Callable[[], Figure]) -> Drawing:
    """What draws a chart when it is wanted."""

    def draw() -> str:
        import matplotlib as mpl

        logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells when it looks for fonts
        out = io.StringIO()
        with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a letter that Matplotlib's own type lacks; the browser's has it
            build().savefig(out, format="svg", metadata={"Date": None})
        return out.getvalue()

    return draw
