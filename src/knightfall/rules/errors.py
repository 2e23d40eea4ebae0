"""Errors caused by invalid input.

Every error message is one line that says what is wrong and where. The command line prints it unchanged, except that it
shows parameters as options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping


class KnightfallError(ValueError):
    """An error that is described to the user in one line, usually invalid input. Base class of the other errors."""


class ParameterError(KnightfallError):
    """An error whose message names parameters.

    ``template`` is a format string. Its fields are the ``values``; all other fields are parameters, alone or with a
    value.

    >>> print(ParameterError("{truth} requires {goal=accuracy}, not {given!r}", given="fame"))
    truth requires goal=accuracy, not 'fame'
    """

    def __init__(self, template: str, **values: object) -> None:
        super().__init__(template)
        self.template = template
        self.values = values

    def text(self, show: Callable[[str], str]) -> str:
        """Return the message with each parameter as ``show`` writes it."""
        return self.template.format_map(_Fields(self.values, show))

    def __str__(self) -> str:
        return self.text(str)


class _Fields(dict[str, object]):
    def __init__(self, values: Mapping[str, object], show: Callable[[str], str]) -> None:
        super().__init__(values)
        self._show = show

    def __missing__(self, parameter: str) -> str:
        return self._show(parameter)


class WorkFailed(KnightfallError):
    """A failure during the work that the input did not cause."""


class IllegalMove(KnightfallError):
    """A move to a square that the player to move cannot reach."""


class FenError(KnightfallError):
    """Invalid text of a position.

    ``row`` and ``column`` are the board square where reading stopped, counted from 1 at the top left.
    ``character`` is the position in the text, counted from 1.
    """

    def __init__(self, cause: str, row: int, column: int, character: int) -> None:
        super().__init__(f"bad position: row {row}, column {column} (character {character}): {cause}")
        self.cause = cause
        self.row = row
        self.column = column
        self.character = character


class GameError(KnightfallError):
    """A game whose parts contradict each other or the rules."""


class GameTextError(GameError):
    """Invalid text of a game. ``line`` and ``column`` are counted from 1."""

    def __init__(self, cause: str, line: int, column: int) -> None:
        super().__init__(f"bad game text: line {line}, column {column}: {cause}")
        self.cause = cause
        self.line = line
        self.column = column


class GameJsonError(GameError):
    """Invalid JSON of a game. ``path`` names the field, as in ``moves[3]``."""

    def __init__(self, cause: str, path: str) -> None:
        super().__init__(f"bad game JSON: {path}: {cause}")
        self.cause = cause
        self.path = path
