"""A finished game of a ledger, shown as `knightfall play` shows it."""

from __future__ import annotations

from dataclasses import replace

from knightfall.agents.analysis import ANALYST
from knightfall.cli.run.scores import score_words
from knightfall.cli.run.session import GameSession
from knightfall.rules import Game, MoveData


class Replay(GameSession):
    """A session in which nobody plays. ``kinds`` are the kinds of the agents, which decide how scores are shown."""

    def __init__(self, game: Game, kinds: tuple[str, str], ascii: bool) -> None:
        data = tuple(known if known.nodes or known.depth else MoveData() for known in game.data)
        super().__init__(replace(game, data=data), (None, None), ANALYST, None, ascii, quiet=False)
        self.kinds = kinds

    def show_row(self, index: int, score: str) -> None:
        """Print the data of one move."""
        mover = self.game.opening.to_move if index % 2 == 0 else 3 - self.game.opening.to_move
        super().show_row(index, score_words(self.game.data[index].score, None, self.kinds[mover - 1]))
