"""The work of `knightfall compare`: two versions of a heuristic or an agent, one verdict."""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
from pathlib import Path

import typer

from knightfall.arena import defaults
from knightfall.arena.compare import Comparison, Question
from knightfall.arena.compare import compare as run
from knightfall.arena.formatting import elo_difference, points_interval
from knightfall.arena.ledger import Ledger, LedgerError, LedgerMoved
from knightfall.arena.request import read_budget
from knightfall.arena.run import Execution
from knightfall.arena.tables import fault_lines
from knightfall.cli.common import warnings_as_lines
from knightfall.cli.json_output import print_json
from knightfall.cli.options import (
    AGENTS_FAILED,
    NO_PANEL,
)
from knightfall.cli.run.consent import consent
from knightfall.cli.run.outputs import check_outputs
from knightfall.cli.run.standings import ExperimentView
from knightfall.rules import KnightfallError
from knightfall.work.executor import ExecutorError


def compare(
    old: str,
    new: str,
    panel: str,
    pairs: int,
    most: int,
    elo: float,
    nodes: int | None,
    ms: float | None,
    depth: int | None,
    seed: int,
    board: str | None,
    workers: int | None,
    cluster: str | None,
    db: Path,
    fresh: bool,
    run_files: bool,
    json: bool,
) -> None:
    """Run `knightfall compare`."""
    if cluster is not None and workers is not None:
        raise KnightfallError("--cluster and --workers exclude each other: the cluster has workers of its own")
    if not panel.strip():
        raise KnightfallError(f"--panel: opponents are expected, such as {defaults.PANEL}, or {NO_PANEL}")
    check_outputs(db)
    question = Question(
        old=old,
        new=new,
        panel=None if panel == NO_PANEL else panel,
        pairs=pairs,
        most=most,
        elo=elo,
        budget=read_budget(depth, nodes, ms),
        seed=seed,
        board=board,
    )
    with warnings_as_lines(), consent(run_files):
        found = _play(question, db, fresh, workers, cluster)
    if json:
        print_json("comparison", found.to_dict())
    else:
        print(comparison_text(found, str(db)))
    if found.is_faulty:
        raise typer.Exit(AGENTS_FAILED)


def _play(question: Question, db: Path, fresh: bool, workers: int | None, cluster: str | None) -> Comparison:
    question.parts()  # before the ledger, which an invalid request must not create
    command = ["knightfall", *sys.argv[1:]]
    again = shlex.join(word for word in command if word != "--fresh")
    view = ExperimentView()
    execution = Execution(workers=workers, cluster=cluster, command=shlex.join(command), say=view.say)
    execution.check_cluster()
    with Ledger(db) as ledger:
        try:
            with view:
                return run(ledger, question, execution, fresh=fresh, watch=view.begin)
        except LedgerMoved:
            raise
        except (LedgerError, ExecutorError) as error:
            raise type(error)(f"{error}; completed pairs are saved; resume with: {again}") from None
        except KeyboardInterrupt:
            print(f"completed pairs are saved; resume with: {again}", file=sys.stderr)
            raise


def comparison_text(found: Comparison, db: str) -> str:
    """Return the match, the results against the panel and the verdict as text."""
    numbers = [found.head.experiment.id, *([] if found.panel is None else [found.panel.experiment.id])]
    where = (
        f"experiment{'s' * (len(numbers) > 1)} {' and '.join(map(str, numbers))} in {db}, seed {found.question.seed}"
    )
    faults = [fault_lines(results) for results in (found.head, found.panel) if results is not None]
    parts = [_match_lines(found), _panel_lines(found), *faults, f"{_wrapped(found.sentence)}\n{where}"]
    return "\n\n".join(part for part in parts if part)


def _wrapped(text: str, indent: str = "  ") -> str:
    """Return text wrapped between words to fit on a terminal; elsewhere it is unchanged."""
    if not sys.stdout.isatty():
        return text
    width = shutil.get_terminal_size().columns - 1
    return textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _match_lines(found: Comparison) -> str:
    counts = found.match.counts
    asked = found.question
    return "\n".join(
        [
            f"head to head: {asked.new.strip()} against {asked.old.strip()}",
            f"  games won         {counts.games_won:,} of {2 * counts.pairs:,} ({counts.score:.1%})",
            f"  pairs             {counts.ll:,} lost, {counts.wl:,} split, {counts.ww:,} won",
            _wrapped(
                f"  Elo difference    {elo_difference(found.elo)} (95% interval, whenever the match stops)",
                " " * 20,
            ),
            _wrapped(f"  sequential test   {found.head_verdict.notes[0]}", " " * 20),
        ]
    )


def _panel_lines(found: Comparison) -> str:
    panel, told = found.panel, found.panel_verdict
    if panel is None or told is None:
        return ""
    old, new = found.question.old.strip(), found.question.new.strip()
    side = max(8, *(len(name) for name in panel.plan.opponents))
    first, second = max(7, len(old)), max(7, len(new))
    lines = [f"{'opponent':{side}}  {old:>{first}}  {new:>{second}}  difference, 95% interval"]
    for name in panel.plan.opponents:
        before, after = found.rate(0, name), found.rate(1, name)
        lines.append(f"{name:{side}}  {before:>{first}.1%}  {after:>{second}.1%}  {100 * (after - before):+z10.1f}")
    figure = "-" if told.interval is None else points_interval(told.interval)
    after, before = told.rates
    lines.append(f"{'all':{side}}  {before:>{first}.1%}  {after:>{second}.1%}  {figure}")
    return "\n".join(lines)
