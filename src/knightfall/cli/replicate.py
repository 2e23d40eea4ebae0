"""`knightfall replicate`: the five published analyses put to the test, claim by claim."""

from __future__ import annotations

import shlex
import sys
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from knightfall.cli.common import JsonOption, print_json, warnings_as_lines
from knightfall.cli.layout import Page, wrapped
from knightfall.cli.outputs import check_outputs
from knightfall.cli.scores import plural
from knightfall.cli.tournament import DEFAULT_DB, ClusterOption, DbOption, WorkersOption

if TYPE_CHECKING:
    from knightfall.arena.plan import Plan
    from knightfall.arena.runner import Progress, Watcher
    from knightfall.lab.replication.replicate import Replication

FULL_PAIRS, QUICK_PAIRS = 500, 30
FULL_NODES = 5_000
_WIDTH = 112
_STYLES = {"holds": "green", "does not hold": "red", "undecided": "yellow"}


def replicate(
    reports: Annotated[
        list[str] | None, typer.Argument(metavar="A|B|C|D|E", help="Reports to replicate (default: all).")
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(
            "--pairs", min=5, metavar="N", help=f"Pairs per opponent (default {FULL_PAIRS}; sweeps: a fifth)."
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help=f"Play {QUICK_PAIRS} pairs: minutes instead of an hour, and fewer decisions."),
    ] = False,
    nodes: Annotated[
        int | None,
        typer.Option(
            "--nodes",
            min=10,
            max=10**9,
            metavar="N",
            help=f"Nodes per move; at equal cost, those of `improved` (default {FULL_NODES}).",
        ),
    ] = None,
    ms: Annotated[
        float | None,
        typer.Option("--ms", metavar="N", help="Milliseconds per move instead of nodes."),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**64 - 1, metavar="N", help="Seed for openings and agents.")
    ] = 1,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start again, even if the ledger has results (default: resume).")
    ] = False,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    db: DbOption = DEFAULT_DB,
    json: JsonOption = False,
) -> None:
    """Run the experiments of the published reports and say of each claim whether it holds.

    Twice: with equal nodes for all, and with equal cost, where an expensive function searches fewer nodes. What is in
    the ledger already is not played again.
    """
    from knightfall.arena.ledger import Ledger, LedgerError, LedgerMoved
    from knightfall.arena.tournament import Stopped
    from knightfall.cli.option_words import message_of
    from knightfall.lab.replication.experiments import Terms
    from knightfall.lab.replication.papers import REPORTS
    from knightfall.lab.replication.replicate import OtherCode
    from knightfall.lab.replication.replicate import replicate as run
    from knightfall.rules import KnightfallError
    from knightfall.work.executor import ExecutorError

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
                    fresh=fresh,
                    workers=workers,
                    cluster=cluster,
                    watch=view.begin,
                    say=view.say,
                    command=command,
                )
        except LedgerMoved:
            raise
        except (LedgerError, ExecutorError) as error:
            kind = LedgerError if isinstance(error, OtherCode) else type(error)
            raise kind(f"{message_of(error)}; what was finished is kept; to go on: {again}") from None
        except (Stopped, KeyboardInterrupt):
            print(f"what was finished is kept; to go on: {again}", file=sys.stderr)
            raise
        if json:
            print_json("replication", {"claims": found.to_dict()})
        else:
            print(claims_text(found, Page.of(sys.stdout)))


class TrialView:
    """Progress of one trial after the other."""

    def __init__(self) -> None:
        from knightfall.cli.live import LiveLine, PlainProgress

        self._line = LiveLine()
        self._plain = PlainProgress(first=0, interval=15)

    def __enter__(self) -> TrialView:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.clear()

    def say(self, text: str) -> None:
        """Tell what is done before the first game."""
        self._line.write(text)

    def begin(self, plan: Plan, number: int, total: int) -> Watcher:
        """A watcher for one trial."""
        from knightfall.cli.standings import progress_line

        def watch(progress: Progress) -> None:
            text = f"trial {number} of {total}: {progress_line(progress)}"
            if self._line.is_on:
                self._line.write(text)
            else:
                self._plain.write(text)

        return watch


def claims_text(found: Replication, page: Page | None = None) -> str:
    """The claims and their answers, one below the other, as wide as the page if there is one."""
    from knightfall.lab.replication.claims import CLAIMS

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
