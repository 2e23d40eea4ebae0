"""Load heuristics from a user's file: ``my.py:function``, or ``my.py`` for the file's default function.

The file itself is not run; see :mod:`knightfall.compiler.source`. Before a heuristic is used, it is tried on random
positions in a contained process, so that a hang or a crash does no damage.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from knightfall.catalogue.consent import check_consent
from knightfall.catalogue.heuristic import TOO_LONG, Code, Heuristic, Metadata, Verdict
from knightfall.catalogue.portable import Portable
from knightfall.catalogue.registry import heuristics, parse_parameters
from knightfall.catalogue.sandbox_check import hold_comparison, hold_trial
from knightfall.compiler.errors import HeuristicError, HeuristicWarning, Refused, shown_path
from knightfall.compiler.source import Program
from knightfall.compiler.source_file import SourceFile
from knightfall.compiler.source_texts import Snapshot
from knightfall.native.containment import Ended, TooLong, contained

TRIAL_SECONDS = 30
"""The time limit for all evaluations of a trial, without compilation."""

DEFAULT_FUNCTION = "custom_score"
"""The default function of a file, named as in AIND."""

_FILE = re.compile(r"(.*\.py)(?::([^\W\d][\w.]*|\*))?")


def load(text: str, *, trial: bool = True) -> Heuristic:
    """Return the heuristic that a string describes: from the catalogue or a file, with or without parameters.

    By default, a heuristic from a file must be allowed to run, and is tried first; ``trial=False`` skips both checks.
    Raises HeuristicError if the heuristic cannot be used.

    >>> load("improved")
    <heuristic improved>
    """
    name, changes = parse_parameters(text)
    match = _FILE.fullmatch(name)
    if match is None:
        return heuristics[text]
    path = Path(match[1])
    if match[2] == "*":
        raise HeuristicError(f"{text}: one heuristic is expected here; name one of {', '.join(functions_of(path))}")
    function = match[2] or default_function(path)
    stamp = _stamp(path)
    made = _from_file(path.resolve(), function, stamp)
    if trial:
        check_consent(made.code, made.text)
        try_in_child(made)
    return made(**changes) if changes else made


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise HeuristicError(f"{shown_path(path)}: {error.strerror}") from None
    except ValueError as error:  # an invalid file name
        raise HeuristicError(f"{str(path)!r}: {error}") from None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=256)
def _from_file(path: Path, function: str, stamp: tuple[int, int]) -> Heuristic:
    return _made(Code(function, None, path, Metadata(report="file")))


def load_snapshot(path: Path, text: str, snapshot: Snapshot) -> Heuristic:
    """Recreate a heuristic from the texts of its files; the files themselves are not read."""
    name, changes = parse_parameters(text)
    made = _made(Code(name, None, path, Metadata(report="file"), snapshot))
    return made(**changes) if changes else made


def _made(code: Code) -> Heuristic:
    assert code.program is not None
    document = _docstring(code.program)
    code.metadata = Metadata(report="file", idea=document)
    _ = code.defaults  # raises an error immediately if a parameter has no default
    return Heuristic(code)


def _docstring(program: Program) -> str:
    import ast

    text = " ".join((ast.get_docstring(program.node) or "").split())
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]


def functions_of(path: Path) -> list[str]:
    """Return the names of the functions in a file that can be heuristics."""
    names = SourceFile.read(path).functions()
    if not names:
        raise HeuristicError(f"{shown_path(path)}: no function (game, player) found")
    return names


def default_function(path: Path) -> str:
    """Return the default function of a file: `custom_score`, or the only function."""
    names = functions_of(path)
    if len(names) == 1:
        return names[0]
    if DEFAULT_FUNCTION in names:
        _mention(shown_path(path), tuple(name for name in names if name != DEFAULT_FUNCTION))
        return DEFAULT_FUNCTION
    raise HeuristicError(
        f"{shown_path(path)}: several functions could be meant: {', '.join(names)}; write {path}:{names[0]}"
    )


@lru_cache(maxsize=256)
def _mention(file: str, others: tuple[str, ...]) -> None:
    """Warn once that a file contains other heuristics."""
    told = f"{file}: {DEFAULT_FUNCTION} is used; also in this file: {', '.join(others)}"
    warnings.warn(told, HeuristicWarning, stacklevel=4)


def expand(texts: Iterable[str]) -> list[str]:
    """Replace ``FILE.py:*`` by all heuristics of the file, each with its name.

    A heuristic that cannot be used is skipped with a warning. If no heuristic of the file can be used, this is an
    error.
    """
    found = []
    for text in texts:
        match = _FILE.fullmatch(text.strip())
        if match is None or match[2] != "*":
            found.append(text)
        else:
            found += _usable([f"{match[1]}:{name}" for name in functions_of(Path(match[1]))])
    return found


def _usable(texts: list[str]) -> list[str]:
    usable, problems = [], []
    for text in texts:
        try:
            load(text)
            usable.append(text)
        except HeuristicError as error:
            problems.append(error)
    if not usable:
        raise problems[0]
    for problem in problems:
        warnings.warn(f"left out: {problem}", HeuristicWarning, stacklevel=4)
    return usable


_tried: set[Code] = set()


def try_in_child(made: Heuristic) -> None:
    """Try a heuristic on random positions in a contained process; raise Refused if it hangs or crashes.

    Later comparisons of its two forms also run in contained processes.
    """
    code = made.code
    if code in _tried:
        return
    judge = _Judge(code)
    verdict, code.warning = judge.ask(hold_trial)
    code.failure = code.failure or verdict.failure
    judge.verdicts[64] = verdict
    code.judge = judge
    _tried.add(code)


class _Judge:
    """Compares the two forms of a heuristic in contained processes, once per board width."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self.verdicts: dict[int, Verdict] = {}

    @property
    def _portable(self) -> Portable:
        return Portable.of(Heuristic(self._code))

    def __call__(self, width: int) -> Verdict:
        """Return the verdict on the compiled form for boards of this width."""
        if width not in self.verdicts:
            self.verdicts[width], warning = self.ask(hold_comparison, width)
            self._code.warning = self._code.warning or warning
        return self.verdicts[width]

    def ask(self, work: Callable[..., Any], *arguments: object) -> tuple[Verdict, str | None]:
        """Run a function on the heuristic in a contained process; return its verdict and warning."""
        code = self._code
        try:
            try:
                found = contained(partial(work, self._portable, *arguments), seconds=TRIAL_SECONDS)
            except TooLong:
                code.failure = TOO_LONG
                found = contained(partial(work, self._portable, *arguments), seconds=TRIAL_SECONDS)
        except Ended as error:
            where = f"; {error.where}" if error.where else ""
            raise Refused(f"{code.shown}: refused: in its trial it {error.why}{where}") from None
        verdict, warning = found
        return verdict, warning
