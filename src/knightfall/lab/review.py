"""What should I have played? A game gone through move by move with the solver beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from knightfall.native.solve.solver import Solver, load_code
from knightfall.rules import Game, Position
from knightfall.rules.display import Displayed, Table

KEPT, GAVE_AWAY, REGAINED, LOST, UNKNOWN = "kept", "gave away", "regained", "lost anyway", "unknown"
"""A won game stayed won; was thrown away; was given back by the opponent, and taken; was lost whatever was played; or
the solver did not reach it."""

_MEMORY = 2**28
_SHOWN = 8  # squares that the display of a review lists
DEFAULT_MS = 2_000.0


@dataclass(frozen=True)
class ReviewedMove:
    """One move with its grade. ``wins`` tells of the move that was played, ``winning`` which moves would have won."""

    ply: int
    player: int
    square: int
    grade: str
    wins: bool | None
    winning: tuple[int, ...]
    choices: int
    distance: int | None = None
    """How many moves the game lasts after this one, if it was found."""


@dataclass(frozen=True, repr=False)
class Review(Displayed):
    """A whole game."""

    game: Game
    moves: tuple[ReviewedMove, ...]

    @property
    def blunders(self) -> list[ReviewedMove]:
        """The moves that gave a won game away."""
        return [move for move in self.moves if move.grade == GAVE_AWAY]

    @property
    def critical(self) -> ReviewedMove | None:
        """The move that decided the game: the last by which its loser gave a win away."""
        outcome = self.game.outcome
        if outcome is None or outcome.winner is None:
            return self.blunders[-1] if self.blunders else None
        theirs = [move for move in self.blunders if move.player != outcome.winner]
        return theirs[-1] if theirs else None

    def _tables(self) -> Sequence[Table]:
        label = self.game.opening.geometry.label
        rows = [
            (str(number), str(move.player), label(move.square), move.grade, _some(map(label, sorted(move.winning))))
            for number, move in enumerate(self.moves, start=1)
        ]
        title = repr(self.game).partition("\n")[0]
        columns = ("move", "player", "square", "grade", "known to win")
        return [Table(title, columns, rows, numbers=("move", "player"), wrapped=("known to win",))]


def _some(labels: Iterable[str]) -> str:
    """Return the first labels of a list, and how many more there are."""
    shown = list(labels)
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return " ".join(shown[:_SHOWN]) + more


def review(
    game: Game, ms: float = DEFAULT_MS, *, distance: bool = False, watch: Callable[[int, int], None] | None = None
) -> Review:
    """Grade every move, spending at most so many milliseconds on each position.

    >>> import knightfall as kf
    >>> game = kf.play("perfect", "random", opening=kf.Position.from_fen("5/5/2n2/5/N4 w"), seed=3)
    >>> {move.grade for move in review(game).moves if move.player == 1} <= {"kept", "regained", "lost anyway"}
    True
    """
    geometry = game.opening.geometry
    load_code(geometry)
    solver = Solver(geometry, memory=_MEMORY)
    position = game.opening
    found: list[ReviewedMove] = []
    for ply, square in enumerate(game.moves):
        if watch is not None:
            watch(ply, len(game.moves))
        grade = _grade(solver, position, square, ms, found[-1] if found else None)
        found.append(grade if not distance else _with_distance(solver, position, grade, ms))
        position = position.play(square)
    return Review(game, tuple(found))


def _grade(solver: Solver, position: Position, square: int, ms: float, last: ReviewedMove | None) -> ReviewedMove:
    solution = solver.solve(position, ms=ms)
    moves = solution.moves
    wins = moves.get(square)
    if wins is None and solution.winner is not None and solution.winner != position.to_move:
        wins = False  # every move loses
    if wins is None:
        after = position.play(square)
        told = solver.solve(after, ms=ms).winner
        wins = None if told is None else told == position.to_move
    winning = tuple(other for other, value in moves.items() if value)
    before = True if winning or wins else False if solution.winner not in (None, position.to_move) else None
    if wins:
        grade = REGAINED if last is not None and last.grade == GAVE_AWAY else KEPT
    elif wins is False and before:
        grade = GAVE_AWAY
    elif before is False:
        grade = LOST
    else:
        grade = UNKNOWN
    if wins and square not in winning:
        winning = (*winning, square)
    return ReviewedMove(position.ply, position.to_move, square, grade, wins, winning, len(position.legal_moves()))


def _with_distance(solver: Solver, position: Position, move: ReviewedMove, ms: float) -> ReviewedMove:
    after = position.play(move.square)
    if None in after.locations or after.is_over:
        return move
    length = solver.distance(after, ms=ms)
    return ReviewedMove(move.ply, move.player, move.square, move.grade, move.wins, move.winning, move.choices, length)
