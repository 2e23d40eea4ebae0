"""Game review: each move of a game graded with the solver.

Every statement is proved, for any time limit. What could not be proved is None, or listed as undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from knightfall.lab.exact import MEASURED_EMPTY, ExactValues, Line
from knightfall.rules import Game, Position
from knightfall.rules.display import Displayed, Table

KEPT, GAVE_AWAY, REGAINED, LOST, UNKNOWN = "kept", "gave away", "regained", "lost anyway", "unknown"
"""The grades of moves.

A won game stayed won; it was given away; the opponent gave it away and this move won it back; it was lost with every
move; or the solver did not finish.
"""

_SHOWN = 8  # maximum number of squares that the display of a review lists
DEFAULT_MS = 2_000.0


@dataclass(frozen=True)
class ReviewedMove:
    """One move with its grade, and the alternatives.

    Lengths count the remaining moves of both players after this one, with the quickest win against the longest
    defence. They are None if they are not proved: before both knights are placed, early in the game (see
    :data:`knightfall.lab.exact.MEASURED_EMPTY`) or if the time limit was reached first.
    """

    ply: int
    player: int
    square: int
    grade: str
    was_won: bool | None
    """Whether the player could win before this move, or None if that is not proved."""
    wins: bool | None
    """Whether the player still wins after this move, or None if that is not proved."""
    winning: tuple[int, ...]
    """The moves that are proved to win. The list is complete if ``is_complete``."""
    undecided: tuple[int, ...]
    """The moves that are not proved to win or to lose."""
    choices: int
    """The number of legal moves."""
    distance: int | None = None
    """The number of remaining moves after this one."""
    best_distance: int | None = None
    """The number of remaining moves after the best move.

    This is the quickest win, or the longest defence in a lost position.
    """
    best: tuple[int, ...] = ()
    """The moves that reach ``best_distance``."""
    refutation: Line | None = None
    """How the opponent wins after a move that gave a won game away."""

    @property
    def is_complete(self) -> bool:
        """Whether each legal move is proved to win or to lose, so that counts are exact."""
        return not self.undecided

    @property
    def cost(self) -> int | None:
        """The cost of the move, in moves.

        A move in a won game costs as many moves as the win takes longer than the quickest win. A move in a lost game
        costs as many moves as the loss comes sooner than with the longest defence. The cost is None if the move
        changed the winner, or if it is not proved.
        """
        if self.wins is None or self.wins != self.was_won or self.distance is None or self.best_distance is None:
            return None
        return abs(self.best_distance - self.distance)


@dataclass(frozen=True, repr=False)
class Review(Displayed):
    """The review of a whole game.

    ``game`` is the game as it was given, and ``moves`` contains its moves in order, each with its grade.
    """

    game: Game
    moves: tuple[ReviewedMove, ...]
    final_winner: int | None = None
    """The winner of the last position with best play, or None if that is not proved.

    This is the winner of the game, unless a player resigned or failed.
    """

    @property
    def is_complete(self) -> bool:
        """Whether all counts, all lists of winning moves and all grades are proved. Lengths may be missing."""
        return all(move.is_complete for move in self.moves)

    @property
    def blunders(self) -> list[ReviewedMove]:
        """The moves that are proved to have given a won game away."""
        return [move for move in self.moves if move.grade == GAVE_AWAY]

    @property
    def critical(self) -> ReviewedMove | None:
        """The move that decided the game: the last one by which the loser gave a win away."""
        outcome = self.game.outcome
        if outcome is None or outcome.winner is None:
            return self.blunders[-1] if self.blunders else None
        theirs = [move for move in self.blunders if move.player != outcome.winner]
        return theirs[-1] if theirs else None

    @property
    def is_critical_certain(self) -> bool:
        """Whether every grade after the critical move is known, so that no later move could be the critical one."""
        critical = self.critical
        return critical is not None and all(m.grade != UNKNOWN for m in self.moves if m.ply > critical.ply)

    @property
    def lost_from_start(self) -> int | None:
        """The player who lost without ever having a won position, or None if that is not proved."""
        outcome = self.game.outcome
        if outcome is None or outcome.winner is None or not self.moves:
            return None
        loser = 3 - outcome.winner
        positions = [move.was_won if move.player == loser else _not(move.was_won) for move in self.moves]
        was_lost = all(won is False for won in positions) and self.final_winner == outcome.winner
        return loser if was_lost else None

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
    """Join the first labels of a list, and add the number of the others."""
    shown = list(labels)
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return " ".join(shown[:_SHOWN]) + more


def review(
    game: Game, ms: float = DEFAULT_MS, *, distance: bool = False, watch: Callable[[int, int], None] | None = None
) -> Review:
    """Grade every move of a game, and return its review.

    ``game`` may be finished or not. Winning moves are proved completely on boards of up to 49 squares with both
    knights placed. Elsewhere each position gets at most ``ms`` milliseconds. Remaining lengths are searched for, with
    the same limit again, in positions with at most 40 empty squares, or in all positions if ``distance`` is set.
    ``watch`` is called before each move, with the number of graded moves and the number of all moves.

    >>> import knightfall as kf
    >>> game = kf.play("perfect", "random", opening=kf.Position.from_fen("5/5/2n2/5/N4 w"), seed=3)
    >>> found = review(game)
    >>> found.is_complete, {move.grade for move in found.moves if move.player == 1} <= {"kept", "lost anyway"}
    (True, True)
    """
    geometry = game.opening.geometry
    exact = ExactValues(geometry, ms, geometry.size if distance else MEASURED_EMPTY)
    *positions, final = game.positions()
    # Start at the end: results that are proved for one position help with the position before it.
    values = exact.wins(final)
    final_winner = _winner(final, values)
    found: list[ReviewedMove] = []
    for done, (position, square) in enumerate(zip(reversed(positions), reversed(game.moves), strict=True)):
        if watch is not None:
            watch(done, len(game.moves))
        replies, values = values, exact.wins(position)
        found.append(_reviewed(exact, position, square, values, replies))
    return Review(game, _with_regained(found[::-1]), final_winner)


def _reviewed(
    exact: ExactValues, position: Position, square: int, values: dict[int, bool | None], replies: dict[int, bool | None]
) -> ReviewedMove:
    """Return the review of one move, given the values of the legal moves and of the replies."""
    after = position.play(square)
    if values[square] is None:
        winner = _winner(after, replies)
        values[square] = None if winner is None else winner == position.to_move
    wins = values[square]
    was_won = None if (winner := _winner(position, values)) is None else winner == position.to_move
    winning = tuple(other for other, won in sorted(values.items()) if won)
    undecided = tuple(other for other, won in sorted(values.items()) if won is None)
    exact.start_clock()
    distance = exact.length(after)
    lengths = None
    if was_won is not None and not undecided and distance is not None:
        lengths = exact.lengths(position, winning if was_won else tuple(sorted(values)))
    best_distance = None
    if lengths:
        best_distance = min(lengths.values()) if was_won else max(lengths.values())
    refutation = None
    if was_won and wins is False:
        refutation = exact.winning_line(after, tuple(reply for reply, won in sorted(replies.items()) if won))
    return ReviewedMove(
        ply=position.ply,
        player=position.to_move,
        square=square,
        grade=_grade(was_won, wins),
        was_won=was_won,
        wins=wins,
        winning=winning,
        undecided=undecided,
        choices=len(values),
        distance=distance,
        best_distance=best_distance,
        best=tuple(other for other, length in (lengths or {}).items() if length == best_distance),
        refutation=refutation,
    )


def _grade(was_won: bool | None, wins: bool | None) -> str:
    if wins:
        return KEPT
    if was_won is None or wins is None:
        return UNKNOWN
    return GAVE_AWAY if was_won else LOST


def _with_regained(moves: list[ReviewedMove]) -> tuple[ReviewedMove, ...]:
    """Return the moves in order. A win that is kept right after the opponent gave it away is graded as regained."""
    return tuple(
        replace(move, grade=REGAINED) if at and move.grade == KEPT and moves[at - 1].grade == GAVE_AWAY else move
        for at, move in enumerate(moves)
    )


def _winner(position: Position, values: dict[int, bool | None]) -> int | None:
    """Return the winner of a position from the values of its moves, or None if that is not proved."""
    if any(values.values()):
        return position.to_move
    return None if None in values.values() else 3 - position.to_move


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value
