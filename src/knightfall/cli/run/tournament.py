"""The work of `knightfall tournament`: which heuristic or agent is better, and how certain that is."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from knightfall.agents.budget import Budget
from knightfall.arena import defaults
from knightfall.arena.export import results_csv, results_markdown
from knightfall.arena.ledger import Experiment, Ledger, LedgerError, LedgerMoved
from knightfall.arena.panels import candidate_text
from knightfall.arena.plan import Plan
from knightfall.arena.prepare import Prepared, prepare
from knightfall.arena.request import Request, read_budget
from knightfall.arena.results import Results
from knightfall.arena.run import Execution, Stopped, play_experiment, resume
from knightfall.arena.statistics.sprt import Sprt
from knightfall.catalogue.loader import expand
from knightfall.cli.common import warnings_as_lines
from knightfall.cli.json_output import print_json
from knightfall.cli.layout import Page
from knightfall.cli.options import (
    AGENTS_FAILED,
    DEFAULT_DB,
)
from knightfall.cli.run.consent import consent
from knightfall.cli.run.outputs import check_outputs
from knightfall.cli.run.results_page import results_page
from knightfall.cli.run.standings import ExperimentView
from knightfall.rules import KnightfallError
from knightfall.work.executor import ExecutorError


def tournament(
    candidates: list[str] | None,
    panel: str | None,
    pairs: int | None,
    nodes: int | None,
    ms: float | None,
    depth: int | None,
    seed: int | None,
    baseline: str | None,
    board: str | None,
    openings: str | None,
    plies: int | None,
    balanced: bool,
    sprt: str | None,
    model: str | None,
    round_robin: bool,
    workers: int | None,
    cluster: str | None,
    db: Path,
    resume: bool,
    experiment: int | None,
    run_files: bool,
    retry: bool,
    json: bool,
    csv: bool,
    markdown: bool,
) -> None:
    """Run `knightfall tournament`."""
    if resume and experiment is not None:
        raise KnightfallError("--resume and --experiment exclude each other: the first means the last one")
    if retry and not resume and experiment is None:
        raise KnightfallError("--retry needs --resume or --experiment: it plays pairs again that were left out")
    if json + csv + markdown > 1:
        raise KnightfallError("--json, --csv and --markdown exclude each other")
    if cluster is not None and workers is not None:
        raise KnightfallError("--cluster and --workers exclude each other: the cluster has workers of its own")
    asked = Asked(
        candidates=candidates or [],
        panel=panel,
        pairs=pairs,
        nodes=nodes,
        ms=ms,
        depth=depth,
        seed=seed,
        baseline=baseline,
        board=board,
        openings=openings,
        plies=plies,
        balanced=balanced,
        sprt=sprt,
        model=model,
        round_robin=round_robin,
    )
    shape = "json" if json else "csv" if csv else "markdown" if markdown else "text"
    with warnings_as_lines(), consent(run_files):
        execution = Execution(workers=workers, cluster=cluster, command=shlex.join(["knightfall", *sys.argv[1:]]))
        if resume or experiment is not None:
            with Ledger(db, create=False) as ledger:
                _go_on(ledger, asked, experiment, retry, execution, shape)
        else:
            check_outputs(db)
            prepared = prepare(asked.request())  # before the ledger, which an invalid request must not create
            execution.check_cluster()
            with Ledger(db) as ledger:
                _play(ledger, prepared, execution, shape)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The request on the command line; None for options that are not given."""

    candidates: list[str]
    panel: str | None
    pairs: int | None
    nodes: int | None
    ms: float | None
    depth: int | None
    seed: int | None
    baseline: str | None
    board: str | None
    openings: str | None
    plies: int | None
    balanced: bool
    sprt: str | None
    model: str | None
    round_robin: bool

    def request(self) -> Request:
        """Return the request for this tournament."""
        if not self.candidates:
            raise KnightfallError("name at least one candidate, or --resume; `knightfall heuristics` lists heuristics")
        if self.panel is not None and not self.panel.strip():
            raise KnightfallError("--panel: opponents are expected, such as gen2, not an empty text")
        if self.baseline is not None and not self.baseline.strip():
            raise KnightfallError("--baseline: an agent, a heuristic or none is expected, not an empty text")
        test = self.read_sprt()
        if test is not None and self.panel is not None and self.baseline is not None:
            raise KnightfallError("--sprt goes with --panel or with --baseline: each match has a test of its own")
        baseline = self.baseline or defaults.BASELINE
        opponents: str | list[str] = self.panel or defaults.PANEL
        if self.panel is None and test is not None:
            opponents = baseline
        if self.panel is None and self.round_robin:
            opponents = []
        return Request(
            candidates=self.candidates,
            panel=opponents,
            pairs=self.pairs,
            budget=self.read_budget(),
            seed=defaults.SEED if self.seed is None else self.seed,
            baseline=None if baseline == "none" else baseline,
            board=self.board,
            openings=self.openings,
            plies=defaults.PLIES if self.plies is None else self.plies,
            balanced=self.balanced,
            sprt=test,
            round_robin=self.round_robin,
        )

    def read_budget(self) -> Budget:
        """Return the budget of agents that do not specify their own."""
        return read_budget(self.depth, self.nodes, self.ms)

    def read_sprt(self) -> Sprt | None:
        """Return the sequential test, or None."""
        if self.sprt is None:
            if self.model is not None:
                raise KnightfallError("--model goes with --sprt only")
            return None
        try:
            low, high = (float(part) for part in self.sprt.split(","))
        except ValueError:
            raise KnightfallError(f"--sprt: two Elo differences are expected, as in 0,5, not {self.sprt!r}") from None
        return Sprt(low, high, model=self.model or "logistic")

    def contradictions(self, plan: Plan) -> list[str]:
        """Return the differences between the command line and the plan of an experiment."""
        budget = self.read_budget()
        said: dict[str, tuple[object, object]] = {}
        if self.candidates:
            given = [candidate_text(text, plan.panel) for text in expand(self.candidates)]
            known = [name for name in plan.candidates if name in given or name != plan.baseline]
            said["the candidates"] = (" ".join(known), " ".join(given))
        for name, was, now in (
            ("--panel", plan.panel, self.panel),
            ("--pairs", len(plan.openings), self.pairs),
            ("--seed", plan.seed, self.seed),
            ("--board", plan.board, self.board),
            ("--sprt", plan.sprt, self.read_sprt()),
            ("the budget", plan.budget, None if budget.is_empty else budget),
            ("--baseline", plan.baseline, self._baseline(plan)),
            ("--round-robin", plan.is_round_robin, self.round_robin or None),
            ("--balanced", plan.drawn.startswith("balanced"), self.balanced or None),
            ("--plies", plan.drawn, None if self.plies is None else f"random, {self.plies} plies"),
            ("--openings", plan.drawn, self._drawn()),
        ):
            if now is not None:
                said[name] = (was, now)
        return [f"{name}: it was begun with {was}, not {now}" for name, (was, now) in said.items() if was != now]

    def _baseline(self, plan: Plan) -> str | None:
        if self.baseline is None:
            return None
        return candidate_text(self.baseline, plan.panel)

    def _drawn(self) -> str | None:
        if self.openings is None:
            return None
        if self.openings == "all":
            return "all of two plies" if self.pairs is None else "of two plies"
        return f"from {Path(self.openings).name}"


def _go_on(ledger: Ledger, asked: Asked, number: int | None, retry: bool, execution: Execution, shape: str) -> None:
    """Resume an experiment: the one with this number, or the last one with pairs to play."""
    found: Experiment | None
    if number is not None:
        found = ledger.experiment(number)
    else:
        found = ledger.last_unfinished()
        incomplete = ledger.last_with_pairs_left_out()
        if retry and incomplete is not None and (found is None or incomplete.id > found.id):
            found = incomplete
        if found is None:
            hint = "`knightfall experiments` lists all"
            if incomplete is not None:
                hint = f"experiment {incomplete.id} has pairs that were left out: {to_retry(ledger, incomplete.id)}"
            raise KnightfallError(f"{ledger.path}: there is no unfinished experiment in it; {hint}")
    plan = ledger.plan(found)
    contradictions = asked.contradictions(plan)
    if contradictions:
        raise KnightfallError(f"{ledger.path}: experiment {found.id} is another one: {'; '.join(contradictions)}")
    is_retry = retry and "left out" in ledger.counts(found.id)
    if found.ended is not None and not is_retry:
        results = Results.read(ledger, found.id)
        _tell(results, shape, retry=to_retry(ledger, found.id))
        return
    _play(ledger, resume(ledger, found), execution, shape, known=found, retry=is_retry)


def _play(
    ledger: Ledger,
    prepared: Prepared,
    execution: Execution,
    shape: str,
    *,
    known: Experiment | None = None,
    retry: bool = False,
) -> None:
    """Play a new experiment, or resume a known one, and print the results."""
    view = ExperimentView()
    try:
        with view:
            results = play_experiment(
                ledger, prepared, replace(execution, say=view.say), known=known, retry=retry, watch=view.begin
            )
    except Stopped as stopped:
        _tell(stopped.results, shape, failing=False)
        sys.stdout.flush()
        print(f"resume with: {resume_command(ledger, stopped.results.experiment.id)}", file=sys.stderr)
        raise
    except (LedgerError, ExecutorError) as error:
        if view.number is None:  # nothing was begun
            raise
        hint = "to see or resume it" if isinstance(error, LedgerMoved) else "completed pairs are saved; resume with"
        raise type(error)(f"{error}; {hint}: {resume_command(ledger, view.number)}") from None
    except KeyboardInterrupt:
        if view.number is not None:
            print(f"resume with: {resume_command(ledger, view.number)}", file=sys.stderr)
        raise
    _tell(results, shape, retry=to_retry(ledger, results.experiment.id))


def resume_command(ledger: Ledger, number: int, *more: str) -> str:
    """Return the command that resumes an experiment."""
    where = [] if ledger.path == DEFAULT_DB else ["--db", str(ledger.path)]
    return shlex.join(["knightfall", "tournament", "--experiment", str(number), *more, *where])


def to_retry(ledger: Ledger, number: int) -> str:
    """Return the command that plays again the pairs of an experiment that were left out."""
    return resume_command(ledger, number, "--retry")


def _tell(results: Results, shape: str, *, failing: bool = True, retry: str = "") -> None:
    if shape == "json":
        print_json("tournament", results.to_dict())
    elif shape == "csv":
        print(results_csv(results), end="")
    elif shape == "markdown":
        print(results_markdown(results), end="")
    elif (page := Page.of(sys.stdout)) is not None:
        print(results_page(results, page))
    else:
        print(results)
    if results.left_out and retry:
        sys.stdout.flush()
        print(f"to play the pairs again that were left out: {retry}", file=sys.stderr)
    if failing and (results.faults or results.left_out):
        raise typer.Exit(AGENTS_FAILED)
