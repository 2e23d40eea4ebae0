"""Tuning, from a request to a finished study."""

from __future__ import annotations

from pathlib import Path

from knightfall.arena.defaults import BOARD, PANEL
from knightfall.arena.request import Request, check_workers, read_budget
from knightfall.lab.truth.sets import truth_set
from knightfall.lab.tuning.accuracy_goal import AccuracyGoal, read_kinds
from knightfall.lab.tuning.conduct import SCREENED, TRIALS, Watch, conduct_study
from knightfall.lab.tuning.errors import BadParameter
from knightfall.lab.tuning.goals import Goal
from knightfall.lab.tuning.space import Space, read_space
from knightfall.lab.tuning.stages import read_stage
from knightfall.lab.tuning.study import Study
from knightfall.lab.tuning.tournament_goal import TournamentGoal
from knightfall.rules import Geometry
from knightfall.rules.files import file_path
from knightfall.work.cluster import check_address

GOALS = ("accuracy", "tournament")
PAIRS = 50
CONFIRMED = 4
"""Openings of the confirmation per opening of tuning."""

_MOST_DEPTH = 12


def tune(
    text: str,
    goal: str = "accuracy",
    *,
    start: str = "",
    against: str | None = None,
    stage: str | None = None,
    board: str | None = None,
    trials: int = TRIALS,
    screening: int = SCREENED,
    seed: int = 1,
    truth: Path | str | None = None,
    depth: int | None = None,
    pairs: int | None = None,
    confirm: int | None = None,
    nodes: int | None = None,
    ms: float | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    path: Path | str | None = None,
    fresh: bool = False,
    command: str = "",
    watch: Watch | None = None,
) -> Study:
    """Tune the parameters of a heuristic, and measure the gain on data that tuning never saw.

    ``text`` is a heuristic with a question mark for each value to tune. ``path`` is the study file; without it
    nothing is saved. The same arguments give the same study.

    >>> study = tune("reach(k=?)", stage="late")
    >>> len(study.trials), study.confirmation.word
    (8, 'better')
    """
    if goal not in GOALS:
        raise BadParameter("{goal}: one of {goals} is expected, not {given!r}", goals=", ".join(GOALS), given=goal)
    space = read_space(text, start)
    if goal == "accuracy":
        games = {"pairs": pairs, "confirm": confirm, "nodes": nodes, "ms": ms, "workers": workers, "cluster": cluster}
        stray = next((name for name, value in games.items() if value is not None), None)
        if stray is not None:
            raise BadParameter(f"{{{stray}}} goes with {{goal=tournament}} only")
        chosen: Goal = _accuracy(space, truth, board, against, stage, depth or 0)
    else:
        if truth is not None:
            raise BadParameter("{truth} goes with {goal=accuracy} only")
        check_workers(workers)
        count = PAIRS if pairs is None else pairs
        request = Request(
            candidates=[],
            panel=against or PANEL,
            pairs=count,
            budget=read_budget(depth, nodes, ms),
            seed=seed,
            baseline=None,
            board=board or BOARD,
        )
        part = None if stage is None else read_stage(stage, Geometry.parse(board or BOARD))
        if cluster is not None:
            check_address(cluster)
        chosen = TournamentGoal(
            space, request, CONFIRMED * count if confirm is None else confirm, part, workers, cluster
        )
    with chosen:
        return conduct_study(
            space,
            chosen,
            None if path is None else file_path(path),
            trials=trials,
            screened=screening,
            seed=seed,
            fresh=fresh,
            command=command,
            watch=watch,
        )


def _accuracy(
    space: Space, truth: Path | str | None, board: str | None, against: str | None, stage: str | None, depth: int
) -> AccuracyGoal:
    if not 0 <= depth <= _MOST_DEPTH:
        raise BadParameter(f"{{depth}}: for accuracy, from 0 to {_MOST_DEPTH} plies beyond each move, not {depth}")
    kinds = [] if against is None else read_kinds(against)
    truths = truth_set(None if truth is None else Path(truth), board)
    part = None if stage is None else read_stage(stage, truths[0].position.geometry)
    where = "" if truth is None else Path(truth).name
    return AccuracyGoal(space.make(space.start), truths, kinds, part, depth, where)
