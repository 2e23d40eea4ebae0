"""A study: trials in order, and the confirmation of the best one, saved to a file as soon as each is finished.

The file has one line of JSON for each entry: first the header, with everything that decides what is tried and
measured, then the trials, then the confirmation. A line is complete on the disk before the next trial begins. An
incomplete last line is ignored. The next setting depends only on the header and on the lines before.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from knightfall.arena.export import interval_facts
from knightfall.arena.plan import differences
from knightfall.arena.statistics.pairs import Interval
from knightfall.lab.tuning.errors import BadParameter, TuningError
from knightfall.lab.tuning.goals import Compared, Measured
from knightfall.lab.tuning.space import Parameter, Setting
from knightfall.rules.files import write_whole

FORMAT = 1
_DECIDING = ("heuristic", "fixed", "parameters", "start", "goal", "trials", "screening", "seed", "code")
_FOLLOWING = ("unit", "seen", "unseen", "design", "command")
START, SCREENING, SEARCH = "start", "screening", "search"


@dataclass(frozen=True)
class Trial:
    """One trial of a setting. ``failure`` says in one line why it could not be measured."""

    number: int
    how: str
    setting: Setting
    value: Interval | None
    faults: int = 0
    failure: str = ""

    @property
    def score(self) -> float:
        """The value for comparisons; 0 for a failed trial."""
        return 0.0 if self.value is None else self.value.estimate

    def facts(self) -> dict[str, Any]:
        """Return the trial as a dictionary for the file."""
        told: dict[str, Any] = {"trial": self.number, "how": self.how, "setting": self.setting}
        told["value"] = interval_facts(self.value)
        if self.faults:
            told["faults"] = self.faults
        if self.failure:
            told["failure"] = self.failure
        return told

    @classmethod
    def from_facts(cls, told: Mapping[str, Any]) -> Trial:
        """Read a trial from the dictionary in the file."""
        value = None if told["value"] is None else _interval(told["value"])
        faults, failure = int(told.get("faults", 0)), str(told.get("failure", ""))
        return cls(int(told["trial"]), str(told["how"]), dict(told["setting"]), value, faults, failure)


@dataclass(frozen=True)
class Confirmation:
    """The best setting other than the start, compared with the start on data that tuning never saw."""

    trial: int
    compared: Compared

    @property
    def word(self) -> str:
        """The verdict: ``better``, ``worse`` or ``not distinguishable``."""
        difference = self.compared.difference
        return "better" if difference.low > 0 else "worse" if difference.high < 0 else "not distinguishable"

    def facts(self) -> dict[str, Any]:
        """Return the confirmation as a dictionary for the file."""
        told = self.compared
        return {
            "confirmation": self.trial,
            "word": self.word,
            "challenger": interval_facts(told.challenger),
            "start": interval_facts(told.start),
            "difference": interval_facts(told.difference),
            "faults": told.faults,
        }

    @classmethod
    def from_facts(cls, told: Mapping[str, Any]) -> Confirmation:
        """Read a confirmation from the dictionary in the file."""
        challenger, start, difference = (_interval(told[name]) for name in ("challenger", "start", "difference"))
        return cls(int(told["confirmation"]), Compared(challenger, start, difference, int(told["faults"])))


def _interval(told: Mapping[str, float]) -> Interval:
    return Interval(told["estimate"], told["low"], told["high"], told["confidence"])


@dataclass(frozen=True)
class Study:
    """The content of a study file: the header, and the results so far."""

    head: Mapping[str, Any]
    trials: tuple[Trial, ...] = ()
    confirmation: Confirmation | None = None

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The tuned parameters."""
        return tuple(Parameter.from_facts(told) for told in self.head["parameters"])

    @property
    def goal(self) -> Mapping[str, Any]:
        """What was maximised, and on which data."""
        found: Mapping[str, Any] = self.head["goal"]
        return found

    @property
    def start(self) -> Trial:
        """The trial of the start setting."""
        return self.trials[0]

    @property
    def best(self) -> Trial | None:
        """The best trial other than the start; of equals, the one that was tried first."""
        others = [trial for trial in self.trials[1:] if trial.value is not None]
        return max(others, key=lambda trial: (trial.score, -trial.number)) if others else None

    @property
    def winner(self) -> Trial | None:
        """The recommended setting: the best one if it is confirmed to be better, otherwise the start.

        None without a confirmation.
        """
        if self.confirmation is None:
            return None
        return self.trials[self.confirmation.trial] if self.confirmation.word == "better" else self.start

    def text_of(self, trial: Trial) -> str:
        """Return the heuristic with a trial's setting as a string that other commands accept."""
        name, fixed = self.head["heuristic"], self.head["fixed"]
        values = {**fixed, **trial.setting}
        return f"{name}({', '.join(f'{key}={value}' for key, value in values.items())})"

    def to_dict(self) -> dict[str, Any]:
        """Return the whole study as a dictionary for JSON."""
        from knightfall.lab.tuning.effects import main_effects
        from knightfall.lab.tuning.words import conclusion

        winner = self.winner
        return {
            **self.head,
            "trials_done": [trial.facts() for trial in self.trials],
            "effects": [effect.facts() for effect in main_effects(self)],
            "confirmation": None if self.confirmation is None else self.confirmation.facts(),
            "winner": None if winner is None else self.text_of(winner),
            "conclusion": None if self.confirmation is None else conclusion(self),
        }


class StudyFile:
    """The file of a study, open for writing and locked for other processes."""

    def __init__(self, path: Path, head: Mapping[str, Any], *, fresh: bool = False) -> None:
        self.path = path
        if not path.parent.is_dir():
            raise TuningError(f"{path}: there is no folder {path.parent}")
        if fresh or not path.exists():
            write_whole(path, _line(head))
        known, length = _read(path)
        changed = differences(_comparable(known.head), _comparable(head))
        if changed:
            raise BadParameter(
                "{file}: it is a study of other settings: {changed}; "
                "{path} names another file, {fresh=True} begins anew",
                file=path,
                changed="; ".join(changed),
            )
        self.known = known
        self._out: IO[bytes] = path.open("r+b")
        _lock(self._out, path)
        self._out.truncate(length)  # remove a line that a crash has cut off
        self._out.seek(0, os.SEEK_END)

    def append(self, told: Trial | Confirmation) -> None:
        """Write a line; it is on the disk when this returns."""
        self._out.write(_line(told.facts()))
        self._out.flush()
        os.fsync(self._out.fileno())

    def close(self) -> None:
        """Close the file and release its lock."""
        self._out.close()


@contextlib.contextmanager
def opened(path: Path | None, head: Mapping[str, Any], fresh: bool) -> Iterator[tuple[Study, Callable[..., None]]]:
    """Open or create a study.

    Yield the study so far, and a function that saves a trial. If ``path`` is None, nothing is saved.
    """
    if path is None:
        yield Study(head), lambda _: None
        return
    file = StudyFile(path, head, fresh=fresh)
    try:
        yield file.known, file.append
    finally:
        file.close()


def read_study(path: Path) -> Study:
    """Read a study, finished or not, from its file."""
    return _read(path)[0]


def _read(path: Path) -> tuple[Study, int]:
    """Return a study, and the number of bytes of its file in complete lines."""
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise TuningError(f"{path}: {error.strerror or error}") from None
    length = 0
    told: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            entry = None
        if not isinstance(entry, dict) or (number == 1 and "knightfall_study" not in entry):
            if number == 1:
                raise TuningError(f"{path}: it is no study: its first line is not that of one")
            if number < len(lines):
                raise TuningError(f"{path}: line {number} is damaged")
            break
        told.append(entry)
        length += len(line)
    if not told:
        raise TuningError(f"{path}: it is no study: it is empty")
    if told[0]["knightfall_study"] != FORMAT:
        raise TuningError(f"{path}: it was written by another Knightfall (format {told[0]['knightfall_study']!r})")
    missing = [name for name in (*_DECIDING, *_FOLLOWING) if name not in told[0]]
    if missing:
        raise TuningError(f"{path}: it is damaged: its first line does not tell {missing[0]!r}")
    try:
        trials = tuple(Trial.from_facts(entry) for entry in told[1:] if "trial" in entry)
        confirmed = [Confirmation.from_facts(entry) for entry in told[1:] if "confirmation" in entry]
        if [trial.number for trial in trials] != list(range(len(trials))):
            raise ValueError("trials are missing")
        study = Study(told[0], trials, confirmed[-1] if confirmed else None)
        _check(study)
    except KeyError as error:
        raise TuningError(f"{path}: it is damaged: {error} is missing") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise TuningError(f"{path}: it is damaged: {error}") from None
    return study, length


_SHAPES: dict[str, type] = {"heuristic": str, "fixed": dict, "parameters": list, "start": dict, "goal": dict}
_SHAPES |= {"unit": str, "seen": str, "unseen": str, "trials": int, "design": dict, "code": dict, "command": str}


def _check(study: Study) -> None:
    """Raise an error if something that is used later is missing or invalid."""
    for name, shape in _SHAPES.items():
        if not isinstance(study.head[name], shape):
            raise ValueError(f"{name!r} is no {shape.__name__}")
    for name in ("goal", "board", "against", "stage"):
        study.goal[name]
    if not isinstance(study.head["design"]["settings"], list):
        raise ValueError("the settings of the design are no list")
    study.head["design"]["kind"]
    names = {parameter.name for parameter in study.parameters}
    for trial in study.trials:
        if trial.setting.keys() != names:
            raise ValueError(f"trial {trial.number} has no value for every parameter")
    ends = [trial.value for trial in study.trials if trial.value is not None]
    if study.confirmation is not None:
        if not 0 <= study.confirmation.trial < len(study.trials):
            raise ValueError("the confirmed trial is missing")
        told = study.confirmation.compared
        ends += [told.challenger, told.start, told.difference]
    for value in ends:
        for number in (value.estimate, value.low, value.high, value.confidence):
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise ValueError(f"{number!r} is no number")


def _line(told: Mapping[str, Any]) -> bytes:
    return (json.dumps(told, allow_nan=False) + "\n").encode()


def _comparable(head: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries that must be equal for resuming; the others follow from them."""
    kept = {name: value for name, value in head.items() if name not in _FOLLOWING}
    told: dict[str, Any] = json.loads(json.dumps(kept))
    told["parameters"] = {entry["name"]: entry for entry in told["parameters"]}
    return told


def _lock(out: IO[bytes], path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows does not have fcntl
        return
    try:
        fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        out.close()
        raise TuningError(f"{path}: another process is at this study") from None


def measured_trial(number: int, how: str, setting: Setting, found: Measured) -> Trial:
    """Return a finished trial with its numbers rounded as in the file."""
    return Trial.from_facts(Trial(number, how, setting, found.value, found.faults).facts())


def tried(trials: Sequence[Trial]) -> list[tuple[Setting, float]]:
    """Return settings and their values, the input of proposals."""
    return [(trial.setting, trial.score) for trial in trials]
