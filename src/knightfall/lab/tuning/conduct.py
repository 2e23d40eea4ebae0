"""Conducting a study: the start, the screening, the search and the confirmation. Each finished trial is saved."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from knightfall.catalogue.registry import parse_parameters
from knightfall.lab.tuning.design import Design, screening
from knightfall.lab.tuning.errors import SettingFailed, TuningError
from knightfall.lab.tuning.goals import Goal
from knightfall.lab.tuning.proposals import check_extra, propose
from knightfall.lab.tuning.space import Setting, Space
from knightfall.lab.tuning.study import (
    FORMAT,
    SCREENING,
    SEARCH,
    START,
    Confirmation,
    Study,
    Trial,
    measured_trial,
    opened,
    read_study,
    tried,
)
from knightfall.work.signals import stopped_by_signals

TRIALS = 64
SCREENED = 32
_MOST_TRIALS = 100_000
# Files that decide which settings are tried and how they are valued, in addition to the files that decide moves.
_DECIDING = ("space.py", "design.py", "proposals.py", "stages.py", "accuracy_goal.py", "tournament_goal.py")

Watch = Callable[[Study, int, str], None]
"""Called with the study so far, the total number of trials, and the progress of the current trial."""


def conduct_study(
    space: Space,
    goal: Goal,
    path: Path | None = None,
    *,
    trials: int = TRIALS,
    screened: int = SCREENED,
    seed: int = 1,
    fresh: bool = False,
    command: str = "",
    watch: Watch | None = None,
) -> Study:
    """Try the start, the screening and then Optuna's proposals; confirm the best setting on unseen data.

    If ``path`` is set, every finished trial is saved there, and an existing study is resumed.
    """
    if not 2 <= trials <= _MOST_TRIALS:
        raise TuningError(f"a study has from 2 to {_MOST_TRIALS:,} trials, not {trials}")
    design = screening(space, min(screened, trials - 1), seed)
    planned = [setting for setting in design.settings if setting != space.start]
    total = trials if space.count is None else min(trials, space.count + (not space.holds(space.start)))
    if total < 2:
        raise TuningError(f"{space.heuristic.name}: there is no other setting than the start")
    head = _head(space, goal, design, trials, screened, seed, command)
    if total > 1 + len(planned) and not _is_finished(path, fresh):
        check_extra(1 + len(planned))
    with opened(path, head, fresh) as (known, keep), stopped_by_signals(goal.stop):
        study = known
        while len(study.trials) < total and study.confirmation is None:
            setting = _next(space, planned, seed, study)
            if setting is None:
                break
            study = Study(head, (*study.trials, _try(space, goal, study, setting, len(planned), watch, total)))
            keep(study.trials[-1])
        if study.confirmation is None:
            study = Study(head, study.trials, _confirm(space, goal, study, watch, total))
            keep(study.confirmation)
    return study


def _head(
    space: Space, goal: Goal, design: Design, trials: int, screened: int, seed: int, command: str
) -> dict[str, Any]:
    heuristic = space.heuristic
    return {
        "knightfall_study": FORMAT,
        "heuristic": parse_parameters(heuristic.text)[0],
        "fixed": heuristic.changes,
        "parameters": [parameter.facts() for parameter in space.parameters],
        "start": space.start,
        "goal": goal.facts(),
        "unit": goal.unit,
        "seen": goal.seen,
        "unseen": goal.unseen,
        "trials": trials,
        "screening": screened,
        "design": {"kind": design.kind, "settings": list(design.settings)},
        "seed": str(seed),  # as a string, because it may exceed the integers that JSON readers support
        "code": {**goal.code(), "tuning": _own_hash(), **_versions()},
        "command": command,
    }


@cache
def _own_hash() -> str:
    folder = Path(__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for file in [folder.parent / "truth" / "accuracy.py", *(folder / name for name in _DECIDING)]:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in ("scipy", "optuna"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = ""
    return found


def _is_finished(path: Path | None, fresh: bool) -> bool:
    return path is not None and path.is_file() and not fresh and read_study(path).confirmation is not None


def _next(space: Space, planned: list[Setting], seed: int, study: Study) -> Setting | None:
    """Return the next setting to try. It depends only on the seed and on the trials before."""
    number = len(study.trials)
    if number == 0:
        return space.start
    return planned[number - 1] if number <= len(planned) else propose(space, seed, tried(study.trials))


def _try(
    space: Space, goal: Goal, study: Study, setting: Setting, planned: int, watch: Watch | None, total: int
) -> Trial:
    number = len(study.trials)
    how = START if number == 0 else SCREENING if number <= planned else SEARCH

    def say(text: str) -> None:
        if watch is not None:
            watch(study, total, text)

    say("")
    try:
        return measured_trial(number, how, setting, goal.measure(space.make(setting), say))
    except SettingFailed as error:
        if number == 0:  # without the start, nothing can be compared
            raise
        return Trial(number, how, setting, None, failure=" ".join(str(error).split()))


def _confirm(space: Space, goal: Goal, study: Study, watch: Watch | None, total: int) -> Confirmation:
    best = study.best
    if best is None:
        raise TuningError(f"no setting but the start could be measured: {study.trials[-1].failure}")

    def say(text: str) -> None:
        if watch is not None:
            watch(study, total, f"confirming {text}".strip())

    say("")
    found = goal.compare(space.make(best.setting), space.make(space.start), say)
    return Confirmation.from_facts(Confirmation(best.number, found).facts())
