"""The work of `knightfall tune`: parameters of a heuristic, tuned and then confirmed on unseen data."""

from __future__ import annotations

import re
import shlex
import sys
import textwrap
from collections.abc import Collection, Sequence
from pathlib import Path

import typer

from knightfall.arena.formatting import percent_interval, points_interval
from knightfall.cli.common import prose, warnings_as_lines
from knightfall.cli.json_output import print_json
from knightfall.cli.layout import Column, Page, table, wrapped
from knightfall.cli.live import LiveLine, PlainProgress
from knightfall.cli.options import (
    AGENTS_FAILED,
)
from knightfall.cli.run.consent import consent
from knightfall.cli.run.outputs import check_outputs
from knightfall.lab.tuning.effects import main_effects
from knightfall.lab.tuning.space import Setting, setting_words, value_words
from knightfall.lab.tuning.study import Study, Trial
from knightfall.lab.tuning.tune import tune as run
from knightfall.lab.tuning.words import conclusion, tuned_lead
from knightfall.rules import KnightfallError
from knightfall.rules.formatting import plural
from knightfall.work.executor import ExecutorError

_BEST = 10  # trials in the table
_WIDTH = 112


def tune(
    heuristic: str,
    goal: str,
    start: str,
    against: str | None,
    stage: str | None,
    trials: int,
    screening: int,
    seed: int,
    board: str | None,
    truth: Path | None,
    depth: int | None,
    pairs: int | None,
    confirm: int | None,
    nodes: int | None,
    ms: float | None,
    workers: int | None,
    cluster: str | None,
    output: Path | None,
    fresh: bool,
    run_files: bool,
    json: bool,
) -> None:
    """Run `knightfall tune`."""
    if cluster is not None and workers is not None:
        raise KnightfallError("--cluster and --workers exclude each other: the cluster has workers of its own")
    path = output or Path(f"tune_{_file_name(heuristic)}_{goal}.jsonl")
    check_outputs(path)
    command = ["knightfall", *sys.argv[1:]]
    again = shlex.join(word for word in command if word != "--fresh")
    view = StudyView()
    try:
        with warnings_as_lines(), consent(run_files):
            study = run(
                heuristic,
                goal,
                start=start,
                against=against,
                stage=stage,
                board=board,
                trials=trials,
                screening=screening,
                seed=seed,
                truth=truth,
                depth=depth,
                pairs=pairs,
                confirm=confirm,
                nodes=nodes,
                ms=ms,
                workers=workers,
                cluster=cluster,
                path=path,
                fresh=fresh,
                command=shlex.join(command),
                watch=view.watch,
            )
    except ExecutorError as error:
        raise ExecutorError(f"{error}; completed trials are saved; resume with: {again}") from None
    except KeyboardInterrupt:
        view.close()
        print(f"completed trials are saved; resume with: {again}", file=sys.stderr)
        raise
    finally:
        view.close()
    if json:
        print_json("study", {"file": str(path), **study.to_dict()})
    else:
        print(study_text(study, str(path), Page.of(sys.stdout)))
    assert study.confirmation is not None
    if study.confirmation.compared.faults:
        raise typer.Exit(AGENTS_FAILED)


def _file_name(text: str) -> str:
    """Return the part of a study's file name that stands for the heuristic.

    >>> _file_name("my/own.py:mine(weight=?)"), _file_name("B:custom_score")
    ('mine', 'B_custom_score')
    """
    name = text.partition("(")[0].strip()
    name = name.rpartition(":")[2] if ".py:" in name else name.rpartition("/")[2].removesuffix(".py")
    return re.sub(r"\W+", "_", name)


class StudyView:
    """The progress of a study: one live line on a terminal, elsewhere an occasional plain line."""

    def __init__(self) -> None:
        self._line = LiveLine()
        self._plain = PlainProgress(first=10, interval=10)

    def watch(self, study: Study, total: int, detail: str) -> None:
        """Show the progress."""
        if not self._line.is_on and not self._plain.is_due:
            return
        best = max(study.trials, key=lambda trial: trial.score, default=None)
        done = f"trial {min(len(study.trials) + 1, total)} of {total}"
        parts = ["" if detail.startswith("confirming") else done, detail]
        if best is not None:
            parts.append(f"best {best.score:.1%} with {setting_words(best.setting)}")
        text = ", ".join(part for part in parts if part)
        if self._line.is_on:
            self._line.write(text)
        else:
            self._plain.write(text)

    def close(self) -> None:
        """Erase the live line."""
        self._line.clear()


def study_text(study: Study, path: str, page: Page | None = None) -> str:
    """Return the best trials, the effects, the confirmation and the conclusion.

    The text is as wide as the page if there is one.
    """
    winner = study.winner
    assert winner is not None
    parts = [_trials_table(study, page), _effects_table(study, page), _confirmation_table(study, page)]
    words = conclusion(study)
    if page is None:
        told = textwrap.wrap(words, _WIDTH, break_long_words=False, break_on_hyphens=False)
    else:
        told = wrapped(words, page.width)
    ends = ["\n".join(told), f"use: {study.text_of(winner)}", f"study: {path}"]
    return "\n\n".join([*(part for part in parts if part), "\n".join(ends)])


def _trials_table(study: Study, page: Page | None) -> str:
    """Return the table of the best trials and the start."""
    order = sorted(study.trials, key=lambda trial: (-trial.score, trial.number))
    shown = order[:_BEST]
    if study.start not in shown:
        shown = [*shown[: _BEST - 1], study.start]
    names = [parameter.name for parameter in study.parameters]
    rows = [["trial", *names, f"{study.head['unit']}, 95% interval", "how"]]
    for trial in shown:
        value = "failed" if trial.value is None else percent_interval(trial.value)
        how = trial.how + (f", {plural(trial.faults, 'game')} lost by faults" if trial.faults else "")
        rows.append([str(trial.number), *(value_words(trial.setting[name]) for name in names), value, how])
    styles = [("bold", "green") if at == 0 else ("cyan",) if t is study.start else () for at, t in enumerate(shown)]
    lines = aligned(rows, left={len(names) + 1, len(names) + 2}, page=page, styles=styles)
    head = f"{plural(len(study.trials), 'setting')} on {study.head['seen']}, {_phases(study)}; the best:"
    failed = [trial for trial in study.trials if trial.value is None]
    told = [f"{plural(len(failed), 'setting')} failed; the first: {failed[0].failure}"] if failed else []
    return "\n".join([prose(head), *lines, *map(prose, told)])


def _phases(study: Study) -> str:
    how = [trial.how for trial in study.trials]
    parts = ["the start"]
    if "screening" in how:
        parts.append(f"{how.count('screening'):,} of a {study.head['design']['kind']}")
    if "search" in how:
        parts.append(f"{how.count('search'):,} proposed by Optuna")
    return ", ".join(parts)


def _effects_table(study: Study, page: Page | None) -> str:
    effects = main_effects(study)
    if not effects:
        return ""
    rows = [["main effect of", "points", "of variance", "mean at each level"]]
    for effect in effects:
        levels = "  ".join(f"{name}: {mean:.1%}" for name, mean in effect.levels)
        rows.append([effect.parameter, f"{100 * effect.size:.1f}", f"{effect.share:.0%}", levels])
    return "\n".join(aligned(rows, left={0, 3}, page=page, narrow={3}))


def _confirmation_table(study: Study, page: Page | None) -> str:
    confirmed = study.confirmation
    assert confirmed is not None
    best = study.trials[confirmed.trial]
    told = confirmed.compared
    rows = [["setting", "where it was tuned", "where tuning never looked"]]
    for name, trial, interval in (("best", best, told.challenger), ("start", study.start, told.start)):
        rows.append([_named(name, trial.setting), _tuned(trial), percent_interval(interval)])
    rows.append(["difference", f"{tuned_lead(study)} points", points_interval(told.difference)])
    lines = aligned(rows, left={0, 1, 2}, page=page, narrow={0})
    if told.faults:
        lines.append(f"lost by faults in the confirmation: {plural(told.faults, 'game')}")
    return "\n".join(lines)


def _named(name: str, setting: Setting) -> str:
    return f"{name}: {setting_words(setting)}"


def _tuned(trial: Trial) -> str:
    return "failed" if trial.value is None else percent_interval(trial.value)


def aligned(
    rows: list[list[str]],
    left: set[int],
    *,
    page: Page | None = None,
    narrow: Collection[int] = (),
    styles: Sequence[Sequence[str]] = (),
) -> list[str]:
    """Return aligned columns: those in ``left`` to the left, the others to the right.

    On a page, cells in the columns ``narrow`` may take several lines.
    """
    if page is not None:
        ranks = {len(rows[0]) - 1: 0} if len(rows[0]) > 3 else {}  # the last column is left out first
        columns = [
            Column(head, at not in left, ranks.get(at), whole=at not in narrow) for at, head in enumerate(rows[0])
        ]
        return table(page, columns, rows[1:], styles)
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(
            f"{cell:{width}}" if at in left else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
