"""Errors caused by invalid input.

Every error message is one line that says what is wrong and where. The command line prints it unchanged.
"""


class KnightfallError(ValueError):
    """An error that is described to the user in one line, usually invalid input. Base class of the other errors."""


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
