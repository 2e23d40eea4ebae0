"""`kf.tournament`: candidates against opponents, in pairs, with a ledger and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from knightfall.arena.defaults import BASELINE, PANEL, PLIES, SEED
from knightfall.arena.ledger import Ledger
from knightfall.arena.prepare import prepare
from knightfall.arena.request import Contestant, Request, read_budget, read_sprt
from knightfall.arena.results import Results
from knightfall.arena.run import Execution, play_experiment
from knightfall.arena.statistics.sprt import Sprt
from knightfall.catalogue.consent import asking
from knightfall.rules import Geometry, Position


def tournament(
    candidates: Sequence[Contestant] | Contestant,
    opponents: Contestant | Sequence[Contestant] = PANEL,
    *,
    pairs: int | None = None,
    nodes: int | None = None,
    ms: float | None = None,
    depth: int | None = None,
    seed: int = SEED,
    baseline: Contestant | None = BASELINE,
    board: str | Geometry | None = None,
    openings: Path | str | Sequence[Position] | None = None,
    plies: int = PLIES,
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
    execution = Execution(workers=workers, cluster=cluster)
    request = Request(
        candidates=asked,
        panel=opponents,
        pairs=pairs,
        budget=budget,
        seed=seed,
        baseline=baseline,
        board=board,
        openings=openings,
        plies=plies,
        balanced=balanced,
        sprt=test,
        round_robin=round_robin,
    )
    with asking((lambda _: True) if run_files else None):
        prepared = prepare(request)
    execution.check_cluster()
    with Ledger(None if db is None else Path(db)) as ledger:
        return play_experiment(ledger, prepared, execution)
