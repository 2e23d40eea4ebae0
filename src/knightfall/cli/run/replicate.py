"""The work of `knightfall replicate`: the five published analyses played again, and a verdict on each claim."""

from __future__ import annotations

import shlex
import sys
import textwrap
from pathlib import Path

from knightfall.arena.ledger import Ledger, LedgerError, LedgerMoved
from knightfall.arena.plan import Plan
from knightfall.arena.run import Execution, Stopped
from knightfall.arena.runner import Progress, Watcher
from knightfall.cli.common import warnings_as_lines
from knightfall.cli.json_output import print_json
from knightfall.cli.layout import Page, wrapped
from knightfall.cli.live import LiveLine, PlainProgress
from knightfall.cli.option_words import message_of
from knightfall.cli.options import (
    FULL_NODES,
    FULL_PAIRS,
    QUICK_PAIRS,
)
from knightfall.cli.run.outputs import check_outputs
from knightfall.cli.run.standings import progress_line
from knightfall.lab.replication.claims import CLAIMS
from knightfall.lab.replication.experiments import Terms
from knightfall.lab.replication.papers import REPORTS
from knightfall.lab.replication.replicate import OtherCode, Replication
from knightfall.lab.replication.replicate import replicate as run
from knightfall.rules import KnightfallError
from knightfall.rules.formatting import plural
from knightfall.work.executor import ExecutorError

_WIDTH = 112
_STYLES = {"holds": "green", "does not hold": "red", "undecided": "yellow"}


def replicate(
    reports: list[str] | None,
    pairs: int | None,
    quick: bool,
    nodes: int | None,
    ms: float | None,
    seed: int,
    fresh: bool,
    workers: int | None,
    cluster: str | None,
    db: Path,
    json: bool,
) -> None:
    """Run `knightfall replicate`."""
    chosen = [name.upper() for name in reports or REPORTS]
    for name in chosen:
        if name not in REPORTS:
            raise KnightfallError(f"there is no report {name!r}; one of {', '.join(REPORTS)} is expected")
    if quick and pairs is not None:
        raise KnightfallError("--quick and --pairs exclude each other")
    if ms is not None and nodes is not None:
        raise KnightfallError("--ms and --nodes exclude each other: a move has one budget")
    if ms is not None and not 0.01 <= ms <= 1e9:
        raise KnightfallError(f"--ms: a number of milliseconds from 0.01 to 1e9 is expected, not {ms:g}")
    check_outputs(db)
    terms = Terms(QUICK_PAIRS if quick else pairs or FULL_PAIRS, nodes or FULL_NODES, ms, seed)
    command = shlex.join(["knightfall", *sys.argv[1:]])
    again = shlex.join(["knightfall", *(word for word in sys.argv[1:] if word != "--fresh")])
    view = TrialView()
    with warnings_as_lines(), Ledger(db) as ledger:
        try:
            with view:
                found = run(
                    ledger,
                    list(dict.fromkeys(chosen)),
                    terms,
                    Execution(workers=workers, cluster=cluster, command=command, say=view.say),
                    fresh=fresh,
                    watch=view.begin,
                )
        except LedgerMoved:
            raise
        except (LedgerError, ExecutorError) as error:
            kind = LedgerError if isinstance(error, OtherCode) else type(error)
            raise kind(f"{message_of(error)}; completed pairs are saved; resume with: {again}") from None
        except (Stopped, KeyboardInterrupt):
            print(f"completed pairs are saved; resume with: {again}", file=sys.stderr)
            raise
        if json:
            print_json("replication", {"claims": found.to_dict()})
        else:
            print(claims_text(found, Page.of(sys.stdout)))


class TrialView:
    """Progress of the trials, one after another."""

    def __init__(self) -> None:
        self._line = LiveLine()
        self._plain = PlainProgress(first=0, interval=15)

    def __enter__(self) -> TrialView:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.clear()

    def say(self, text: str) -> None:
        """Show the preparation before the first game."""
        self._line.write(text)

    def begin(self, plan: Plan, number: int, total: int) -> Watcher:
        """Return a watcher for one trial."""

        def watch(progress: Progress) -> None:
            text = f"trial {number} of {total}: {progress_line(progress)}"
            if self._line.is_on:
                self._line.write(text)
            else:
                self._plain.write(text)

        return watch


def claims_text(found: Replication, page: Page | None = None) -> str:
    """Return the claims and their verdicts as text, in the width of the page if there is one."""
    lines: list[str] = []

    def add(text: str, first: str = "", indent: str = "    ", style: str = "") -> None:
        if page is not None:
            parts = wrapped(text, page.width, indent, first)
            lines.extend(page.paint(part, "bold", style) if style else part for part in parts)
        elif first:
            lines.extend(textwrap.wrap(text, _WIDTH, initial_indent=first, subsequent_indent=indent))
        else:
            lines.append(text)

    for name, answers in found.answers.items():
        claim = CLAIMS[name]
        flag = " (depends on the budget)" if found.disagree(name) else ""
        verdict = found.verdict(name)
        add(f"{name}  {verdict.upper()}{flag}: {claim.words}", style=_STYLES.get(verdict, ""))
        add(f"    published: {claim.original} ({claim.sample})", indent="      ")
        for budget, answer in answers.items():
            text = (
                f"equal {budget}: {answer.verdict}: {answer.text}"
                if budget != "ms"
                else f"{answer.verdict}: {answer.text}"
            )
            add(text, first="    ", indent="      ")
        lines.append("")
    verdicts = [found.verdict(name) for name in found.answers]
    words = (("holds", "hold"), ("does not hold", "do not"), ("undecided", "undecided"))
    counts = ", ".join(f"{verdicts.count(word)} {told}" for word, told in words)
    games = sum(results.games_played for _, results in found.played)
    terms = found.terms
    add(f"{plural(len(verdicts), 'claim')}: {counts}")
    budget = f"{terms.ms:g} ms" if terms.ms is not None else f"{terms.nodes:,} nodes"
    add(f"{games:,} games, {terms.pairs} pairs per opponent, {budget} per move, seed {terms.seed}")
    return "\n".join(lines)
