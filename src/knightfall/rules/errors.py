"""What can be wrong with what a user gives us.

Every error message is one line that says what is wrong and where; the command line prints it as it is.
"""


class KnightfallError(ValueError):
    """Bad input, described in one line."""


class WorkFailed(KnightfallError):
    """Something that went wrong while we were working, through no fault of the input."""


class IllegalMove(KnightfallError):
    """A square the player to move cannot go to."""


class FenError(KnightfallError):
    """A position text that cannot be read.

    ``row`` and ``column`` are the square of the board where reading stopped, counted from 1 at the top left;
    ``character`` is the place in the text, counted from 1.
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
    """A game text that cannot be read; ``line`` and ``column`` are counted from 1."""

    def __init__(self, cause: str, line: int, column: int) -> None:
        super().__init__(f"bad game text: line {line}, column {column}: {cause}")
        self.cause = cause
        self.line = line
        self.column = column


class GameJsonError(GameError):
    """A JSON game that cannot be read; ``path`` names the field, as in ``moves[3]``."""

    def __init__(self, cause: str, path: str) -> None:
        super().__init__(f"bad game JSON: {path}: {cause}")
        self.cause = cause
        self.path = path
