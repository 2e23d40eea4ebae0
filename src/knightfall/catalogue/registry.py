"""The catalogue: all heuristics by name, and the decorator that turns a function into a heuristic."""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, overload

from knightfall.catalogue.heuristic import Code, Heuristic, Metadata
from knightfall.compiler.errors import HeuristicError
from knightfall.rules.display import Displayed, Table

_IDEAS = "knightfall.catalogue.ideas"
_PARAMETER = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([^,()\s]+)\s*")


@overload
def heuristic(function: Callable[..., Any]) -> Heuristic: ...


@overload
def heuristic(
    *,
    report: str = "",
    aliases: tuple[str, ...] = (),
    presets: Mapping[str, Mapping[str, Any]] | None = None,
    idea: str = "",
    formula: str = "",
    ranges: Mapping[str, tuple[float, float]] | None = None,
    choices: Mapping[str, tuple[str, ...]] | None = None,
    invariant: str = "",
    raw: bool = False,
) -> Callable[[Callable[..., Any]], Heuristic]: ...


def heuristic(function: Callable[..., Any] | None = None, **metadata: Any) -> Any:
    """Create a heuristic from a function ``(game, player)``; use it as a decorator.

    Any further arguments of the function must have defaults; they are the heuristic's parameters.

    The decorator's arguments are optional metadata:

    - ``report``: the report that the heuristic comes from
    - ``aliases``, ``presets``: further names, the latter with parameter values
    - ``idea``, ``formula``: descriptions; the default idea is the first sentence of the docstring
    - ``ranges``, ``choices``: limits of numeric parameters, possible values of other parameters
    - ``invariant``: on which boards symmetric positions have equal values: "always", "odd" (both sides odd) or "never"
    - ``raw``: marks functions whose values of finished games may be finite

    Returns a :class:`Heuristic`; raises HeuristicError if the function is unsuitable.

    >>> import knightfall as kf
    >>> @kf.heuristic
    ... def cautious(game, player):
    ...     return len(game.get_legal_moves(player))
    >>> cautious.name
    'cautious'
    """
    if function is not None:
        return _make(function, Metadata(idea=_first_sentence(function)))

    def decorate(function: Callable[..., Any]) -> Heuristic:
        given = {name: value for name, value in metadata.items() if value is not None}
        given.setdefault("idea", _first_sentence(function))
        return _make(function, Metadata(**given))

    return decorate


def _make(function: Callable[..., Any], metadata: Metadata) -> Heuristic:
    if not inspect.isfunction(function):
        raise HeuristicError(f"a heuristic is made of a function (game, player), not of {function!r:.60}")
    path = _source_file(function)
    made = Heuristic(Code(function.__name__, function, path, metadata))
    if (function.__module__ or "").startswith(f"{_IDEAS}."):
        heuristics.add(made)
    return made


def _source_file(function: Callable[..., Any]) -> Path | None:
    """Return the file of a function, if the function is defined at the top level under its own name."""
    code = function.__code__
    path = Path(code.co_filename)
    at_top = code.co_qualname == code.co_name == function.__name__
    return path if at_top and path.suffix == ".py" and path.is_file() else None


def _first_sentence(function: Callable[..., Any]) -> str:
    text = inspect.getdoc(function) or ""
    return re.split(r"(?<=[.!?])\s", " ".join(text.split()), maxsplit=1)[0]


class Heuristics(Displayed, Mapping[str, Heuristic]):
    """All heuristics of the catalogue, by name, by a report's name, or by a string with parameters.

    Shells and notebooks display a table of names, ideas and formulas. An unknown name raises :class:`UnknownHeuristic`.

    >>> import knightfall as kf
    >>> kf.heuristics["A:custom_score_lookahead_both"]
    <heuristic lookahead_both>
    >>> kf.heuristics["central_mobility(peak=5, opponent=2)"].parameters
    {'peak': 5.0, 'opponent': 2.0}
    """

    def __init__(self) -> None:
        self._named: dict[str, Heuristic] = {}
        self._loaded = self._loading = False
        self._lock = threading.RLock()

    def add(self, made: Heuristic) -> None:
        """Add a heuristic to the catalogue."""
        self._named[made.name] = made

    def _load(self) -> dict[str, Heuristic]:
        if self._loaded:
            return self._named
        with self._lock:
            if self._loaded or self._loading:  # loaded by another thread, or called by a module that is being loaded
                return self._named
            self._loading = True
            for module in iter_modules(import_module(_IDEAS).__path__):
                import_module(f"{_IDEAS}.{module.name}")
            order = {"AIND": 0, "A": 1, "B": 2, "C": 3, "D": 4, "E": 5}
            found = sorted(self._named.items(), key=lambda item: order.get(item[1].metadata.report, 9))
            self._named = dict(found)
            self._loaded, self._loading = True, False
        return self._named

    @property
    def aliases(self) -> dict[str, Heuristic]:
        """The names that the reports use."""
        found = {}
        for made in self._load().values():
            found.update(dict.fromkeys(made.metadata.aliases, made))
            found.update({alias: made(**preset) for alias, preset in made.metadata.presets.items()})
        return found

    def __getitem__(self, text: str) -> Heuristic:
        name, changes = parse_parameters(text)
        found = self._load().get(name) or self.aliases.get(name)
        if found is None:
            raise UnknownHeuristic(_unknown(name, [*self._named]))
        return found(**changes) if changes else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and (text in self._load() or text in self.aliases)

    def _tables(self) -> Sequence[Table]:
        rows = [(name, made.metadata.idea, made.metadata.formula) for name, made in self.items()]
        title = f"{len(rows)} heuristics"
        return [Table(title, ("name", "idea", "formula"), rows, wrapped=("idea", "formula"))]


class UnknownHeuristic(HeuristicError, KeyError):
    """A name is not in the catalogue."""

    def __str__(self) -> str:  # KeyError would show it in quotation marks
        return str(self.args[0])


def _unknown(name: str, names: list[str]) -> str:
    from knightfall.rules.suggestions import did_you_mean

    return f"heuristic {name!r} not found{did_you_mean(name, names, '`knightfall heuristics` lists them')}"


def parse_parameters(text: str) -> tuple[str, dict[str, Any]]:
    """Split ``name(a=1, b=x)`` into the name and the values; errors give the position of the character."""
    name, bracket, rest = text.partition("(")
    if not bracket:
        return text.strip(), {}
    if not rest.rstrip().endswith(")"):
        raise HeuristicError(f"{text!r}: character {len(text.rstrip()) + 1}: ) is expected")
    changes: dict[str, Any] = {}
    at = len(name) + 1
    inside = rest.rstrip()[:-1]
    for part in inside.split(",") if inside.strip() else []:
        match = _PARAMETER.fullmatch(part)
        if match is None:
            raise HeuristicError(f"{text!r}: character {at + 1}: name=value is expected, not {part.strip()!r}")
        if match[1] in changes:
            raise HeuristicError(f"{text!r}: character {at + 1}: a second {match[1]}")
        changes[match[1]] = _parse_value(match[2])
        at += len(part) + 1
    return name.strip(), changes


def _parse_value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"True": True, "False": False}.get(text, text.strip("'\""))


heuristics = Heuristics()
"""The catalogue of heuristics."""
