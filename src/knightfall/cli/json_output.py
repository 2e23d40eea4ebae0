"""Results and errors as JSON: every object names its format and the version of that format.

``docs/json.md`` describes the formats. A change that can break a reader increases the version; a new field does not.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from knightfall.cli.output import Output

FORMATS = {
    "position": 1,
    "perft": 1,
    "analysis": 1,
    "solution": 1,
    "openings": 1,
    "book": 1,
    "book-check": 1,
    "book-position": 1,
    "heuristics": 1,
    "heuristic": 1,
    "heuristic-check": 1,
    "agents": 1,
    "agent": 1,
    "tournament": 1,
    "comparison": 1,
    "experiments": 1,
    "experiment": 1,
    "ledger-check": 1,
    "games": 1,
    "replication": 1,
    "truth": 1,
    "truth-positions": 1,
    "accuracy": 1,
    "study": 1,
    "review": 1,
    "bench": 1,
    "error": 1,
}
"""The version of every format. A single game is printed in the format of saved games, which has its own name."""

_results: TextIO | None = None  # the stream for results while standard output is redirected


def is_json_wanted(arguments: Sequence[str]) -> bool:
    """Return whether a command line asks for JSON, even if it is invalid in other ways.

    >>> is_json_wanted(["perft", "x", "--json"]), is_json_wanted(["show", "--", "--json"])
    (True, False)
    """
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in before


@contextmanager
def only_json_on_stdout() -> Iterator[None]:
    """Redirect everything except JSON results to standard error. Output of users' functions is still dropped."""
    global _results
    before = sys.stdout
    _results, sys.stdout = sys.stdout, Output(getattr(sys.stderr, "beneath", sys.stderr))
    try:
        yield
    finally:
        _results, sys.stdout = None, before


def print_json(format: str, value: Mapping[str, Any]) -> None:
    """Print a result for programs; ``format`` is one of :data:`FORMATS`."""
    print_object(labelled(format, value))


def labelled(format: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with its format and version in front.

    >>> labelled("perft", {"depth": 1})
    {'format': 'knightfall.perft', 'version': 1, 'depth': 1}
    """
    return {"format": f"knightfall.{format}", "version": FORMATS[format], **value}


def print_object(value: Mapping[str, Any]) -> None:
    """Print an object that already contains its format."""
    text = json.dumps(plain(value), indent=2, ensure_ascii=True, allow_nan=False)
    print(_without_delete(text), file=_results or sys.stdout, flush=True)


def plain(value: Any) -> Any:
    """Return a value without the numbers that JSON lacks: infinities become strings, and NaN becomes null.

    >>> plain({"score": math.inf, "line": [1, -math.inf, math.nan]})
    {'score': 'inf', 'line': [1, '-inf', None]}
    """
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(float(value))
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def print_json_error(message: str, kind: str, code: int) -> None:
    """Print an error on one line of standard error. It is the last line that a command writes there."""
    told = labelled("error", {"error": message, "kind": kind, "exit_code": code})
    print(_without_delete(json.dumps(told, ensure_ascii=True)), file=sys.stderr, flush=True)


def _without_delete(text: str) -> str:
    """Escape DEL, the only control character that JSON may contain unescaped, because streams would change it."""
    return text.replace("\x7f", "\\u007f")
