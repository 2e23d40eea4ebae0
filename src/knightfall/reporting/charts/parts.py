"""Common parts of charts: figures, axes in a plain style, reference lines and keys, drawn with Matplotlib.

Matplotlib is imported when the first chart is drawn. Text stays text in the SVG, so the browser shows it in the fonts
of the page.
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from knightfall.reporting.charts.svg import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Drawing = Callable[[], str]
"""Returns a chart as SVG, in the marker colours of :mod:`knightfall.reporting.charts.svg`."""

WIDTH = 720.0
SIZE = 12.0
"""Font size, in units of the picture."""

LETTER = 6.6
"""Average width of a letter."""

ROW = 27.0
FOOT = 46.0
INK = COLOURS["ink"]

_MOST_LETTERS = 38

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "knightfall",  # equal ledgers give equal files
    "font.size": SIZE,
    "axes.linewidth": 1.0,
    "path.simplify": False,
    "text.parse_math": False,  # a name may contain a dollar sign
    "axes.unicode_minus": True,
}


def short(name: str, most: int = _MOST_LETTERS) -> str:
    """Return a name that fits beside a chart; the middle of a long name is omitted.

    >>> short("AB_improved"), short("abcdefghij", 7)
    ('AB_improved', 'abcd…ij')
    """
    name = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)
    if len(name) <= most:
        return name
    tail = most // 3
    return f"{name[: most - tail - 1]}…{name[-tail:]}"


def new_figure(height: float) -> Figure:
    """Return an empty figure of the common width."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH / 72, height / 72), dpi=72)


def row_axes(labels: Sequence[str], has_key: bool, row: float = ROW) -> tuple[Figure, Axes]:
    """Return axes with one row per label."""
    head = 40.0 if has_key else 24.0
    height = head + row * len(labels) + FOOT
    figure = new_figure(height)
    names = [short(label) for label in labels]
    left = 24 + LETTER * max(len(name) for name in names)
    axes = figure.add_axes((left / WIDTH, FOOT / height, (WIDTH - left - 24) / WIDTH, row * len(labels) / height))
    dress(axes, "x")
    _name_rows(axes, names)
    return figure, axes


def panel_axes(labels: Sequence[str], count: int) -> tuple[Figure, list[Axes]]:
    """Return ``count`` axes side by side, with one row per label."""
    height = 12 + ROW * len(labels) + 34
    figure = new_figure(height)
    names = [short(label) for label in labels]
    left = 24 + LETTER * max(len(name) for name in names)
    width = (WIDTH - left - 12) / count
    found = []
    for at in range(count):
        place = ((left + at * width) / WIDTH, 34 / height, (width - 18) / WIDTH, ROW * len(labels) / height)
        axes = figure.add_axes(place)
        dress(axes, "x")
        _name_rows(axes, names if at == 0 else [""] * len(names))
        found.append(axes)
    return figure, found


def plot_axes(height: float) -> tuple[Figure, Axes]:
    """Return axes for a curve or for points."""
    figure = new_figure(height)
    axes = figure.add_axes((62 / WIDTH, FOOT / height, (WIDTH - 62 - 20) / WIDTH, (height - FOOT - 24) / height))
    dress(axes, "y")
    return figure, axes


def dress(axes: Axes, grid: str) -> None:
    """Apply the plain style: no frame, light grid lines."""
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
    """Set few ticks, at round numbers."""
    from matplotlib.ticker import MaxNLocator

    axis = axes.xaxis if grid == "x" else axes.yaxis
    axis.set_major_locator(MaxNLocator(nbins=7 if grid == "x" else 5, steps=[1, 2, 5, 10]))


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names)
    for label in axes.get_yticklabels():
        label.set_color(INK)


def mark(axes: Axes, value: float, words: str) -> None:
    """Draw a vertical reference line with its name above; near an edge the name is aligned inwards."""
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
        fontsize=SIZE - 1,
    )


def key(figure: Figure, axes: Axes) -> None:
    """Draw the key with the names of the series."""
    handles, labels = axes.get_legend_handles_labels()
    shown = [(handle, label) for handle, label in zip(handles, labels, strict=True) if label]
    figure.legend(
        [handle for handle, _ in shown],
        [label for _, label in shown],
        loc="upper right",
        ncols=len(shown),
        frameon=False,
        labelcolor=INK,
        borderaxespad=0.1,
        handletextpad=0.4,
        columnspacing=1.4,
    )


def drawn(build: Callable[[], Figure]) -> Drawing:
    """Return a function that builds the figure and returns its SVG when it is called."""

    def draw() -> str:
        import matplotlib as mpl

        logging.getLogger("matplotlib").setLevel(logging.ERROR)  # Matplotlib reports when it searches for fonts
        out = io.StringIO()
        with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warns of letters that only the browser's font has
            build().savefig(out, format="svg", metadata={"Date": None})
        return out.getvalue()

    return draw
