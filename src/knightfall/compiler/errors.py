"""What can be wrong with a heuristic."""

from __future__ import annotations

from pathlib import Path

from knightfall.rules import KnightfallError


class HeuristicError(KnightfallError):
    """A heuristic that cannot be found, read or evaluated, described in one line."""


class Refused(HeuristicError):
    """A heuristic that hangs or kills its process, and is not used for that."""


class HeuristicWarning(UserWarning):
    """A heuristic that works, but not as fast as it could."""


def shown_path(path: Path) -> str:
    """A file's path as a user would write it: relative where that is shorter."""
    try:
        relative = str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
    return min(relative, str(path), key=len)


def one_line(error: BaseException) -> str:
    """An exception as one line."""
    text = " ".join(str(error).split())
    kind = type(error).__name__
    return f"{kind}: {text}" if text else kind
