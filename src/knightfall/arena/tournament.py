"""Tournaments: candidates against opponents, in pairs, with a ledger and verdicts."""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from knightfall.agents.agent import Agent
from knightfall.agents.make import agent
from knightfall.agents.native_agent import NativeAgent
from knightfall.arena.fingerprint import code_of, machine
from knightfall.arena.ledger import Experiment, Ledger, LedgerError
from knightfall.arena.openings import (
    OpeningError,
    all_openings,
    balanced_openings,
    checked_openings,
    draw_openings,
    read_openings,
)
from knightfall.arena.panels import candidate_text, panel, published_search
from knightfall.arena.plan import Plan, PlanError, differences
from knightfall.arena.play import play_pair
from knightfall.arena.players import Player, make_player, make_players
from knightfall.arena.referee import load_game
from knightfall.arena.request import (
    BASELINE,
    DEFAULT_PAIRS,
    SPRT_PAIRS,
    Contestant,
    Request,
    check_workers,
    read_budget,
    read_sprt,
)
from knightfall.arena.results import Results
from knightfall.arena.roster import Roster
from knightfall.arena.runner import Conductor, Watcher, stopped_by_signals
from knightfall.arena.statistics.sprt import Sprt
from knightfall.catalogue.consent import FileChanged, FileNotAllowed, asking, named_by
from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.loader import expand
from knightfall.catalogue.registry import heuristics as catalogue
from knightfall.native.announce import announcer
from knightfall.native.background import interruptible
from knightfall.native.board_tables import bit_width
from knightfall.native.cache import PACKAGE
from knightfall.rules import Geometry, Position
from knightfall.rules.formatting import plural
from knightfall.work.executor import Executor, InProcess, Job
from knightfall.work.workers import Workers


@dataclass(frozen=True)
class Prepared:
    """A plan and its players."""

    plan: Plan
    players: dict[str, Player] = field(repr=False)


_TOLD = 0.2  # seconds between two progress messages about compilation
_WORKERS_START = 1.0  # seconds
_NODE = 2e-7  # seconds per node of a compiled heuristic
_SLOWEST_NODE = 1e-3  # seconds per node of an interpreted heuristic
_FIXED_DEPTH = 3_600.0  # seconds, if the cost of a move is unknown


class Stopped(KeyboardInterrupt):
    """A tournament was stopped by Ctrl-C or SIGTERM; ``results`` contains the results so far."""

    def __init__(self, results: Results) -> None:
        super().__init__(f"experiment {results.experiment.id} was stopped")
        self.results = results


def prepare(request: Request) -> Prepared:
    """Look up everything that a request names; invalid requests raise one-line errors."""
    named: dict[str, Heuristic] = {}
    typed: dict[str, str] = {}
    panel_name = request.panel if isinstance(request.panel, str) else ""

    def name_of(asked: Contestant) -> str:
        if isinstance(asked, str):
            name = candidate_text(asked, panel_name)
            typed[name] = asked.strip()
            return name
        heuristic = getattr(asked, "heuristic", None) if isinstance(asked, Agent) else asked
        name = _agent_name(asked) if isinstance(asked, Agent) else published_search(asked.text, panel_name)
        if heuristic is None:
            return name
        name = _distinct(name, heuristic, named)
        named[name] = heuristic
        return name

    wanted = [part for asked in request.candidates for part in (expand([asked]) if isinstance(asked, str) else [asked])]
    candidates = [name_of(asked) for asked in wanted]
    for name in candidates:
        if candidates.count(name) > 1:
            raise PlanError(f"the candidate {typed.get(name, name)} is named twice")
    if not candidates:
        raise PlanError("a tournament needs at least one candidate")
    opponents = panel(request.panel) if isinstance(request.panel, str) else [name_of(asked) for asked in request.panel]
    if len(set(opponents)) < len(opponents):
        raise PlanError(f"the opponent {next(o for o in opponents if opponents.count(o) > 1)} is named twice")
    if request.round_robin:
        candidates, opponents = list(dict.fromkeys([*candidates, *opponents])), []
        if len(candidates) < 2:
            raise PlanError("a round robin needs at least two players")
    elif not opponents:
        raise PlanError("a tournament needs at least one opponent")
    players = make_players([*candidates, *opponents], request.budget, named, typed)
    for group in (candidates, opponents):
        known: dict[str, str] = {}
        for name in group:
            other = known.setdefault(players[name].identity, name)
            if other != name:
                raise PlanError(f"{name} is the same agent as {other}")
    baseline = _baseline(request, name_of, candidates, opponents, players, named, typed)
    identities = {name: player.identity for name, player in players.items()}
    geometry = Geometry.parse(request.board) if isinstance(request.board, str) else request.board
    openings, drawn = _openings(request, geometry)
    plan = Plan(
        candidates=tuple(candidates),
        opponents=tuple(opponents),
        openings=tuple(position.fen() for position in openings),
        board=str(openings[0].geometry),
        panel=request.panel if isinstance(request.panel, str) else "",
        baseline=baseline,
        budget=request.budget,
        seed=request.seed,
        identities=identities,
        drawn=drawn,
        sprt=request.sprt,
    )
    if baseline is not None and request.sprt is None and not plan.is_round_robin:
        rivals = any(plan.duel(name) is None for name in plan.candidates if name != baseline)
        plan = Plan(**{**vars(plan), "rivals": rivals})
    return Prepared(plan, players)


def _distinct(name: str, heuristic: Heuristic, named: Mapping[str, Heuristic]) -> str:
    """Return a name that no other function has: two versions of h in a notebook are two players."""
    number = 1
    taken = heuristic.code.path is None and heuristic.name in catalogue
    found = name
    while taken or (found in named and named[found] != heuristic):
        number += 1
        taken = False
        found = name.replace(heuristic.name, f"{heuristic.name}_{number}", 1)
    return found


def _agent_name(made: Agent) -> str:
    """Return a string that creates the same agent: its name, unless its budget was changed."""
    if made.name and agent(made.name, heuristic=getattr(made, "heuristic", None)).text == made.text:
        return made.name
    return made.text


def _baseline(
    request: Request,
    name_of: Callable[[Contestant], str],
    candidates: list[str],
    opponents: list[str],
    players: dict[str, Player],
    named: dict[str, Heuristic],
    typed: dict[str, str],
) -> str | None:
    """Return the name of the baseline; if necessary, add it as a candidate, so that it plays the same panel."""
    if request.baseline is None or request.sprt is not None:
        return None
    name = name_of(request.baseline)
    made = players.get(name) or make_player(name, request.budget, named.get(name), typed.get(name))
    for other in candidates:  # it may be a candidate under another name
        if players[other].identity == made.identity:
            return other
    if request.round_robin:
        if request.baseline != BASELINE:
            raise PlanError(f"the baseline {name} does not play in this round robin")
        return None
    candidates.insert(0, name)
    players[name] = made
    return name


def _openings(request: Request, geometry: Geometry | None) -> tuple[list[Position], str]:
    """Return the openings and a description of their source."""
    default = SPRT_PAIRS if request.sprt is not None else DEFAULT_PAIRS
    if request.balanced and request.openings is not None:
        raise PlanError("balanced openings are drawn, not read: --balanced and --openings exclude each other")
    if request.balanced and request.plies != 2:
        raise PlanError("balanced openings have two plies: --balanced and --plies exclude each other")
    if request.openings is not None and request.plies != 2:
        raise PlanError("--plies is for random openings: --plies and --openings exclude each other")
    board = geometry or Geometry(7, 7)
    if request.openings == "all":
        found = all_openings(board, request.seed)
        if request.pairs is not None and request.pairs > len(found):
            raise OpeningError(
                f"a {board} board has only {plural(len(found), 'opening')} of two plies; {request.pairs:,} requested"
            )
        return found[: request.pairs], "all of two plies" if request.pairs is None else "of two plies"
    if request.openings is not None:
        given = request.openings
        where = str(given) if isinstance(given, str | Path) else "the openings"
        found = read_openings(Path(given)) if isinstance(given, str | Path) else checked_openings(given)
        if geometry is not None and found[0].geometry != geometry:
            raise OpeningError(f"{where}: its positions are on {found[0].geometry}, not on {geometry}")
        if request.pairs is not None and request.pairs > len(found):
            raise OpeningError(f"{where}: it has only {plural(len(found), 'position')}; {request.pairs:,} requested")
        return found[: request.pairs], f"from {Path(given).name}" if isinstance(given, str | Path) else "given"
    if request.balanced:
        return balanced_openings(board, request.pairs or default, request.seed), "balanced, 2 plies"
    if not 0 <= request.plies < board.size:
        raise PlanError(f"openings have from 0 to {board.size - 1} plies on {board}, not {request.plies}")
    drawn = draw_openings(board, request.pairs or default, request.seed, request.plies)
    longest = max(position.ply for position in drawn)
    if longest > request.plies:
        return drawn, f"random, {request.plies} to {longest} plies"
    return drawn, f"random, {plural(request.plies, 'ply')}"


def warm_up(players: dict[str, Player], opening: str, progress: Callable[[str], None] | None = None) -> None:
    """Compile or load the code that the players need, before any worker starts.

    A player that cannot make a single move is rejected here, with its name.
    """
    position = Position.from_fen(opening)
    _compile([player.agent for player in players.values()], position, progress)
    for player in players.values():
        if progress is not None:
            progress(f"loading {player.name}")
        interruptible(lambda player=player: _try(player.agent, position))  # type: ignore[misc]


def _compile(agents: list[Agent], position: Position, progress: Callable[[str], None] | None) -> None:
    """Compile code that is not in the cache, in several processes; ``progress`` is called repeatedly."""
    from knightfall.agents.ready import Compilation, missing_units

    width = bit_width(position.geometry)
    compilation = Compilation(missing_units(agents, width, game=True), width)
    if not compilation.units:
        return
    done = threading.Event()

    def tell() -> None:
        while progress is not None and not done.wait(_TOLD):
            progress(compilation.describe())

    teller = threading.Thread(target=tell, daemon=True, name="knightfall-progress")
    teller.start()
    announcer.is_shown_elsewhere = progress is not None
    try:
        interruptible(compilation.run, compilation.cancel)
    finally:
        announcer.is_shown_elsewhere = False
        done.set()
        teller.join()


def _try(made: Agent, position: Position) -> None:
    from knightfall.agents.native_agent import load
    from knightfall.agents.perfect import PerfectAgent
    from knightfall.native.solve.solver import load_code

    if isinstance(made, NativeAgent):
        load(made, position)
        made.give_back(made.take(position.geometry))
    elif isinstance(made, PerfectAgent):
        load_code(position.geometry)
    load_game(position)


def default_workers() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_executor(
    prepared: Prepared, workers: int | None = None, cluster: str | None = None, roster: Job | None = None
) -> Executor:
    """Return the executor: a cluster, processes on this machine or, if there is no alternative, this process.

    ``roster`` replaces the roster of these players, for example by one that can create more players.
    """
    players, plan = prepared.players, prepared.plan
    strangers = [player.name for player in players.values() if not player.is_portable]
    if cluster is not None:
        from knightfall.work.cluster import Cluster

        if strangers:
            raise PlanError(f"{strangers[0]} is in no file and cannot be sent to a cluster")
        return Cluster(roster or Roster.of(players, plan.budget), cluster, _patience(prepared))
    here = bool(strangers) or workers == 0 or sys.platform == "win32"
    if here or (workers is None and roster is None and is_tiny(prepared)):
        return InProcess(partial(play_pair, players=players) if roster is None else roster.ready())
    wanted = default_workers() if workers is None else workers
    count = max(1, min(wanted, len(plan.openings) * len(plan.matchups)))
    return Workers(roster or Roster.of(players, plan.budget), count, _patience(prepared))


def is_tiny(prepared: Prepared) -> bool:
    """Return whether this process can play everything before other processes would have started.

    This applies only if all heuristics are from the catalogue. A user's function may hang or crash, and then only a
    worker is lost, not the tournament.
    """
    pairs = len(prepared.plan.openings) * len(prepared.plan.matchups)
    slowest = max(_seconds_per_move(player) for player in prepared.players.values())
    return 2 * pairs * Geometry.parse(prepared.plan.board).size * slowest < _WORKERS_START


def _seconds_per_move(player: Player) -> float:
    """Return the expected maximum time of a move; infinity if it is unknown."""
    made = player.agent
    heuristic: Heuristic | None = getattr(made, "heuristic", None)
    if heuristic is not None and (heuristic.code.path is None or not heuristic.code.path.is_relative_to(PACKAGE)):
        return math.inf
    if made.kind == "random":
        return 0.0
    if not isinstance(made, NativeAgent):
        return math.inf
    budget = made.budget
    if budget.ms is not None:
        return budget.ms / 1e3
    if budget.nodes is not None:
        return budget.nodes * _NODE
    return math.inf if budget.depth is None else 8.0**budget.depth * _NODE


def _patience(prepared: Prepared) -> float:
    """Return the seconds of silence after which a worker is considered stuck, far more than the slowest pair needs."""
    moves = 2 * Geometry.parse(prepared.plan.board).size
    longest = 0.0
    for player in prepared.players.values():
        budget = player.agent.budget
        if budget.ms is not None:
            longest = max(longest, 3 * moves * (2 * budget.ms + 100) / 1e3)
        elif budget.nodes is not None:
            longest = max(longest, moves * budget.nodes * _SLOWEST_NODE)
        else:
            longest = max(longest, _FIXED_DEPTH)
    return 60.0 + longest


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
    where = f"{ledger.path}: experiment {experiment.id} cannot be gone on with"
    recorded = experiment.heuristic_hashes
    # A heuristic from a script or a notebook has a name that cannot be looked up.
    try:
        with named_by(f"experiment {experiment.id} of {ledger.path}", recorded):
            players = make_players(plan.names, plan.budget)
    except FileChanged as error:
        was = next((value for name, value in recorded.items() if name.partition("(")[0] == error.name), "none")
        raise LedgerError(f"{where}: heuristics {error.name} was {was}, now {error.digest}") from None
    except FileNotAllowed as error:
        raise LedgerError(f"{where}: {error}") from None
    changed = differences(experiment.code, code_of(players.values()))
    changed += differences(plan.identities, {name: player.identity for name, player in players.items()})
    if changed:
        told = "; ".join(changed)
        raise LedgerError(f"{where}: {told}")
    return Prepared(plan, players)


def conduct(
    ledger: Ledger,
    number: int,
    prepared: Prepared,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    watch: Watcher | None = None,
    say: Callable[[str], None] | None = None,
) -> Results:
    """Play the remaining pairs of an experiment; raise :class:`Stopped` if a signal stops it early.

    If the ledger is moved or deleted meanwhile, all pairs are still played and saved in another file, and then
    :class:`LedgerMoved` is raised.
    """
    warm_up(prepared.players, prepared.plan.openings[0], say)
    with make_executor(prepared, workers, cluster) as executor:
        conductor = Conductor(ledger, number, prepared.plan, executor, watch)
        with stopped_by_signals(conductor.stop):
            finished = conductor.run()
    results = Results.read(ledger, number)
    ledger.check_place()
    if not finished:
        raise Stopped(results)
    return results


def tournament(
    candidates: Sequence[Contestant] | Contestant,
    opponents: Contestant | Sequence[Contestant] = "gen2",
    *,
    pairs: int | None = None,
    nodes: int | None = None,
    ms: float | None = None,
    depth: int | None = None,
    seed: int = 1,
    baseline: Contestant | None = BASELINE,
    board: str | Geometry | None = None,
    openings: Path | str | Sequence[Position] | None = None,
    plies: int = 2,
    balanced: bool = False,
    sprt: Sequence[float] | Sprt | None = None,
    round_robin: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    db: Path | str | None = None,
    run_files: bool = False,
) -> Results:
    """Play a tournament: every candidate against every opponent, each opening from both sides.

    The same arguments give the same games for any number of workers, unless the budget is a time.

    - ``candidates``: agents or heuristics, as objects or strings; a heuristic alone gets the panel's published search
    - ``opponents``: the name of a panel, a file that contains one, or a list of agents
    - ``pairs``: the number of openings per match, by default 100 or all given ones; with a sequential test, the
      maximum, by default 5,000
    - ``nodes``, ``ms``, ``depth``: the budget of each move, at most one of them; by default, each agent's own budget
    - ``seed``: the seed for openings and agents
    - ``baseline``: the agent with which the verdicts compare the candidates; None: no verdicts
    - ``board``: the size of the board, by default 7x7, or that of the given openings
    - ``openings``: a file, a list of positions, or "all" for all openings of two plies; by default, random openings
    - ``plies``: the number of random plies of an opening
    - ``balanced``: choose openings with equally frequent solved values
    - ``sprt``: two Elo differences for a sequential test
    - ``round_robin``: all candidates and opponents play each other
    - ``workers``: the number of worker processes, by default one per core; 0: play in this process
    - ``cluster``: the address of a Dask scheduler
    - ``db``: the file of the ledger; by default, it is kept in memory
    - ``run_files``: allow Python files that a file of opponents names; otherwise they run only if you named the same
      functions before

    Returns the :class:`Results`. Raises :class:`KnightfallError` if an argument is invalid, and :class:`Stopped` if
    Ctrl-C or SIGTERM ends the tournament.

    >>> import knightfall as kf
    >>> results = kf.tournament("central_mobility", ["Random", "MM_Improved"], pairs=4, nodes=200, workers=0)
    >>> results.games_played, [standing.candidate for standing in results.standings]
    (40, ['AB_improved', 'AB_central_mobility'])
    """
    alone = isinstance(candidates, Contestant) or not isinstance(candidates, Sequence)
    asked: list[Any] = [candidates] if alone else list(candidates)  # type: ignore[arg-type]
    test = sprt if sprt is None or isinstance(sprt, Sprt) else read_sprt(sprt)
    if isinstance(opponents, Contestant) and not isinstance(opponents, str):
        opponents = [opponents]
    budget = read_budget(depth, nodes, ms)
    check_workers(workers)
    request = Request(
        asked, opponents, pairs, budget, seed, baseline, board, openings, plies, balanced, test, round_robin
    )
    with asking((lambda _: True) if run_files else None):
        prepared = prepare(request)
    if cluster is not None:
        from knightfall.work.cluster import check_address

        check_address(cluster)
    with Ledger(None if db is None else Path(db)) as ledger:
        return conduct(ledger, begin(ledger, prepared), prepared, workers=workers, cluster=cluster)
