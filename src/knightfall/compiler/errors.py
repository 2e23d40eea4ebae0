"""Errors in heuristics."""

from __future__ import annotations

from pathlib import Path

from knightfall.rules import KnightfallError


class HeuristicError(KnightfallError):
    """A heuristic cannot be found, read or evaluated; the message is one line."""


class Refused(HeuristicError):
    """A heuristic is rejected because it hangs or kills its process."""


class HeuristicWarning(UserWarning):
    """A heuristic works, but slower than it could."""


def shown_path(path: Path) -> str:
    """Return the path as a user would write it: relative to the working folder if that is shorter."""
    try:
        relative = str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
    return min(relative, str(path), key=len)


def one_line(error: BaseException) -> str:
    """Return an exception as one line."""
    text = " ".join(str(error).split())
    kind = type(error).__name__
    return f"{kind}: {text}" if text else kind
