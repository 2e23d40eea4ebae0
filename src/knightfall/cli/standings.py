"""What is seen of a tournament while it is played: standings on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

from knightfall.cli.live import LiveLine

if TYPE_CHECKING:
    from knightfall.arena.conduct import Progress
    from knightfall.arena.plan import Plan

_FIRST_LINE = 20.0  # seconds until the first plain line; what is done by then tells nothing but its result
_NEXT_LINE = 10.0
_STANDINGS = 1.0  # seconds between two standings: working out intervals takes time from the workers
_BAR = 28  # characters


class StandingsView:
    """Progress, pace, time left, standings with intervals, and faults."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._line = LiveLine()
        self._live: Any = None
        self._table: Any = None
        self._next_table = 0.0
        self._next_line = time.monotonic() + _FIRST_LINE

    def __enter__(self) -> StandingsView:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.clear()
        if self._live is not None:
            self._live.stop()

    def say(self, text: str) -> None:
        """Tell what is done before the first game."""
        self._line.write(text)

    def watch(self, progress: Progress) -> None:
        """Show how far it is."""
        if self._line.is_on:
            self._draw(progress)
        elif time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _NEXT_LINE
            print(progress_line(progress), file=sys.stderr, flush=True)

    def _draw(self, progress: Progress) -> None:
        from rich.console import Console, Group
        from rich.live import Live
        from rich.text import Text

        if self._live is None:
            self._line.clear()
            console = Console(stderr=True, no_color="NO_COLOR" in os.environ, highlight=False)
            self._live = Live(console=console, auto_refresh=False, transient=True)
            self._live.start()
        now = time.monotonic()
        if now >= self._next_table:
            self._next_table = now + _STANDINGS
            self._table = self._standings(progress)
        share = progress.done / progress.total if progress.total else 1.0
        full = int(share * _BAR)
        parts = [Text(f"{'#' * full}{'.' * (_BAR - full)} {progress_line(progress)}"), self._table]
        parts += [Text(line, style="yellow") for line in _trouble(progress)]
        self._live.update(Group(*parts), refresh=True)

    def _standings(self, progress: Progress) -> Any:
        from rich.table import Table
        from rich.text import Text

        from knightfall.arena.results import panel_estimate
        from knightfall.arena.tables import percent_interval

        table = Table(box=None, padding=(0, 2))
        for head, side in (("candidate", "left"), ("won", "right"), ("lost", "right"), ("win rate", "left")):
            table.add_column(head, justify=side, no_wrap=True)  # type: ignore[arg-type]
        for candidate in self._plan.candidates:
            estimate, counts = panel_estimate(self._plan, progress.scores, candidate)
            rate = "-"
            if counts.pairs:
                rate = percent_interval(estimate.interval()) if self._plan.sprt is None else f"{counts.score:.1%}"
            table.add_row(Text(candidate), f"{counts.games_won:,}", f"{counts.games_lost:,}", rate)
        return table


def progress_line(progress: Progress) -> str:
    """How far it is, in one line."""
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
    """
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
