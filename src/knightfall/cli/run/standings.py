"""Progress of a tournament: standings on a terminal, elsewhere an occasional plain line."""

from __future__ import annotations

import sys
import time

from knightfall.arena.formatting import percent_interval
from knightfall.arena.plan import Plan
from knightfall.arena.results import panel_estimate
from knightfall.arena.runner import Progress, Watcher
from knightfall.cli.layout import Column, Page, table, wrapped
from knightfall.cli.live import LiveLine, PlainProgress, live_width

_STANDINGS = 1.0  # seconds between updates of the standings, because their intervals take time from the workers
_BAR, _LEAST_BAR = 28, 8  # characters


class StandingsView:
    """Progress, speed, remaining time, standings with intervals, and faults."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._line = LiveLine()
        self._rows: list[list[str]] = []
        self._next_table = 0.0
        self._plain = PlainProgress(first=20, interval=10)

    def __enter__(self) -> StandingsView:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.clear()

    def say(self, text: str) -> None:
        """Show the preparation before the first game."""
        self._line.write(text)

    def watch(self, progress: Progress) -> None:
        """Show the progress."""
        if self._line.is_on:
            self._draw(progress)
        elif self._plain.is_due:
            self._plain.write(progress_line(progress))

    def _draw(self, progress: Progress) -> None:
        now = time.monotonic()
        if now >= self._next_table:
            self._next_table = now + _STANDINGS
            self._rows = [self._standing(progress, candidate) for candidate in self._plan.candidates]
        page = Page.of(sys.stderr)
        assert page is not None
        page = Page(live_width(), page.colour)
        columns = [
            Column("candidate", whole=False),
            Column("won", right=True, rank=1),
            Column("lost", right=True, rank=0),
            Column("win rate"),
        ]
        lines = [*progress_lines(progress, page.width), *table(page, columns, self._rows)]
        for text in _trouble(progress):
            lines += [page.paint(line, "yellow") for line in wrapped(text, page.width, "  ")]
        self._line.show(lines)

    def _standing(self, progress: Progress, candidate: str) -> list[str]:
        estimate, counts = panel_estimate(self._plan, progress.scores, candidate)
        rate = "-"
        if counts.pairs:
            rate = percent_interval(estimate.interval()) if self._plan.sprt is None else f"{counts.score:.1%}"
        return [candidate, f"{counts.games_won:,}", f"{counts.games_lost:,}", rate]


class ExperimentView:
    """Shows the standings of one experiment after another; ``number`` is that of the latest one."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._view: StandingsView | None = None

    def __enter__(self) -> ExperimentView:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def begin(self, number: int, plan: Plan) -> Watcher:
        """Return the watcher of an experiment."""
        self._end()
        self.number, self._view = number, StandingsView(plan)
        return self._view.watch

    def say(self, text: str) -> None:
        """Show the preparation before the first game."""
        if self._view is not None:
            self._view.say(text)

    def _end(self) -> None:
        if self._view is not None:
            self._view.__exit__()


def progress_lines(progress: Progress, width: int) -> list[str]:
    """Return the progress as a bar and text, on one line if there is room, otherwise on several lines.

    >>> from knightfall.cli.run.standings import bar
    >>> bar(1, 4, 8)
    '##......'
    """
    told = progress_line(progress)
    room = min(_BAR, width - len(told) - 1)
    if room >= _LEAST_BAR:
        return [f"{bar(progress.done, progress.total, room)} {told}"]
    return [bar(progress.done, progress.total, min(_BAR, width)), *wrapped(told, width)]


def bar(done: int, total: int, width: int) -> str:
    """Return a progress bar of ``width`` characters."""
    full = int(done / total * width) if total else width
    return "#" * full + "." * (width - full)


def progress_line(progress: Progress) -> str:
    """Return the progress in one line."""
    left = progress.seconds_left
    parts = [
        f"experiment {progress.experiment}: {progress.done:,} of {progress.total:,} pairs",
        f"{progress.games_per_second:,.0f} games/s",
        "" if left is None or progress.is_stopping else f"{_clock(left)} left",
        "finishing the pairs that were begun" if progress.is_stopping else "",
        f"{sum(progress.faults.values()):,} games lost by faults" if progress.faults else "",
    ]
    return ", ".join(part for part in parts if part)


def _clock(seconds: float) -> str:
    """Return seconds in minutes or hours.

    >>> _clock(75.2), _clock(4000)
    ('1:15', '1:06:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _trouble(progress: Progress) -> list[str]:
    lines = [f"{name}: {count:,} games lost by {reason}" for (name, reason), count in progress.faults.most_common(5)]
    if progress.deaths:
        lines.append(f"{progress.deaths:,} workers died; what they were playing is played again")
    return lines + [f"left out: {name}" for name in progress.left_out[-3:]]
