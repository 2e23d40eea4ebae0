"""Play an experiment: begin or resume it, get everything ready, and play its pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from knightfall.arena.executors import make_executor
from knightfall.arena.fingerprint import code_of, machine
from knightfall.arena.ledger import Experiment, Ledger, LedgerError
from knightfall.arena.plan import Plan, differences
from knightfall.arena.players import Player, make_players
from knightfall.arena.prepare import Prepared
from knightfall.arena.request import check_workers
from knightfall.arena.results import Results
from knightfall.arena.runner import Conductor, Watcher
from knightfall.arena.warm_up import warm_up
from knightfall.catalogue.consent import FileChanged, FileNotAllowed, named_by
from knightfall.work.executor import Executor, Job
from knightfall.work.signals import stopped_by_signals

Say = Callable[[str], None]
"""Receives messages about the preparation."""

Watch = Callable[[int, Plan], Watcher]
"""Creates the watcher of an experiment from its number and its plan."""


class Stopped(KeyboardInterrupt):
    """A tournament was stopped by Ctrl-C or SIGTERM; ``results`` contains the results so far."""

    def __init__(self, results: Results) -> None:
        super().__init__(f"experiment {results.experiment.id} was stopped")
        self.results = results


@dataclass(frozen=True)
class Execution:
    """How experiments are played.

    - ``workers``: the number of worker processes, by default one per core; 0: play in this process
    - ``cluster``: the address of a Dask scheduler
    - ``command``: the command line, recorded in the ledger
    - ``say``: receives messages about the preparation
    """

    workers: int | None = None
    cluster: str | None = None
    command: str = ""
    say: Say | None = None

    def __post_init__(self) -> None:
        check_workers(self.workers)

    def check_cluster(self) -> None:
        """Raise an error if the address of the cluster is invalid."""
        if self.cluster is not None:
            from knightfall.work.cluster import check_address

            check_address(self.cluster)


def play_experiment(
    ledger: Ledger,
    prepared: Prepared,
    execution: Execution,
    *,
    name: str = "",
    known: Experiment | None = None,
    retry: bool = False,
    watch: Watch | None = None,
) -> Results:
    """Play an experiment and return its results.

    - ``name``: the name of a new experiment
    - ``known``: an experiment of the ledger, which is read if it is finished and resumed otherwise
    - ``retry``: play again the pairs of the known experiment that were left out
    - ``watch``: creates the watcher before the first pair is played

    Raises :class:`Stopped` if a signal stops it early.
    """
    if known is None:
        number = begin(ledger, prepared, name, execution.command)
    elif known.ended is not None and not retry:
        return Results.read(ledger, known.id)
    else:
        number = known.id
        ledger.claim(known)
        if retry:
            ledger.retry(number)
    return conduct(
        ledger,
        number,
        prepared,
        workers=execution.workers,
        cluster=execution.cluster,
        watch=None if watch is None else watch(number, prepared.plan),
        say=execution.say,
    )


def begin(ledger: Ledger, prepared: Prepared, name: str = "", command: str = "") -> int:
    """Write a new experiment to the ledger; return its number."""
    return ledger.begin(prepared.plan, code_of(prepared.players.values()), machine(), name, command)


def resume(ledger: Ledger, experiment: Experiment) -> Prepared:
    """Return the plan and the players of an experiment to resume; raise LedgerError if something has changed.

    A file that the ledger names, but that this user never named, runs only if the user allows it
    (:mod:`knightfall.catalogue.consent`).
    """
    with ledger.snapshot():
        plan, pairs = ledger.plan_and_pairs(experiment)
        ledger.finished_games(experiment, pairs)  # a damaged experiment cannot be resumed
    where = f"{ledger.path}: experiment {experiment.id} cannot be resumed"
    players = _recorded_players(ledger, experiment, plan, where)
    changed = differences(experiment.code, code_of(players.values()))
    changed += differences(plan.identities, {name: player.identity for name, player in players.items()})
    if changed:
        raise LedgerError(f"{where}: {'; '.join(changed)}")
    return Prepared(plan, players)


def _recorded_players(ledger: Ledger, experiment: Experiment, plan: Plan, where: str) -> dict[str, Player]:
    """Return the players of an experiment; raise LedgerError if a file has changed or may not run."""
    recorded = experiment.heuristic_hashes
    # A heuristic from a script or a notebook has a name that cannot be looked up.
    try:
        with named_by(f"experiment {experiment.id} of {ledger.path}", recorded):
            return make_players(plan.names, plan.budget)
    except FileChanged as error:
        was = next((value for name, value in recorded.items() if name.partition("(")[0] == error.name), "none")
        raise LedgerError(f"{where}: heuristics {error.name} was {was}, now {error.digest}") from None
    except FileNotAllowed as error:
        raise LedgerError(f"{where}: {error}") from None


def open_executor(
    prepared: Prepared,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    roster: Job | None = None,
    say: Say | None = None,
) -> Executor:
    """Compile what the players need, and return the executor that plays their pairs.

    ``roster`` replaces the roster of these players, for example by one that can create more players.
    """
    warm_up(prepared.players, prepared.plan.openings[0], say)
    return make_executor(prepared, workers, cluster, roster)


def conduct(
    ledger: Ledger,
    number: int,
    prepared: Prepared,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    watch: Watcher | None = None,
    say: Say | None = None,
) -> Results:
    """Play the remaining pairs of an experiment; raise :class:`Stopped` if a signal stops it early.

    If the ledger is moved or deleted meanwhile, all pairs are still played and saved in another file, and then
    :class:`LedgerMoved` is raised.
    """
    with open_executor(prepared, workers=workers, cluster=cluster, say=say) as executor:
        conductor = Conductor(ledger, number, prepared.plan, executor, watch)
        with stopped_by_signals(conductor.stop):
            finished = conductor.run()
    results = Results.read(ledger, number)
    ledger.check_place()
    if not finished:
        raise Stopped(results)
    return results
