"""The referee: plays one game, controls the position and the clock, and determines how it ends.

A game between native agents is one compiled call. If an agent is not native, or if an error occurs, the game is played
move by move, and every move is checked against the rules.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from knightfall.agents.agent import Agent
from knightfall.agents.choice import Choice
from knightfall.agents.native_game import is_native, play_native
from knightfall.agents.simple import RandomAgent
from knightfall.native.search.value import HEURISTIC
from knightfall.native.seeds import key_of
from knightfall.rules import KnightfallError, Position

SCORES = np.dtype([("nodes", "<u8"), ("depth", "u1"), ("score", "<f4"), ("microseconds", "<u4")])
"""The data that the ledger stores for each move, besides the square."""

Scores = npt.NDArray[np.void]


@dataclass(frozen=True)
class Played:
    """A game. The player to move in the opening, 1 or 2, makes the first move."""

    opening: Position
    moves: tuple[int, ...]
    winner: int | None
    reason: str
    scores: Scores
    seconds: float
    message: str = ""

    @property
    def final(self) -> Position:
        """The final position."""
        position = self.opening
        for square in self.moves:
            position = position.play(square)
        return position


def game_seed(pair: str, game: int, player: int) -> int:
    """Return the seed of a player in one game of a pair."""
    return key_of("game", pair, game, player)


def play_one(first: Agent, second: Agent, opening: Position, seeds: tuple[int, int]) -> Played:
    """Play a game from an opening; ``first`` is player 1, ``second`` is player 2."""
    if is_native(first) and is_native(second):
        found = _play_native(first, second, opening, seeds)
        if found is not None:
            return found
    return _play_by_move((first.with_seed(seeds[0]), second.with_seed(seeds[1])), opening)


def load_game(opening: Position) -> None:
    """Compile or load the code that plays whole games, for boards of this width."""
    play_one(RandomAgent(), RandomAgent(), opening, (0, 0))


def _play_native(first: Agent, second: Agent, opening: Position, seeds: tuple[int, int]) -> Played | None:
    """Play the whole game in one call; return None if it failed and must be played move by move."""
    found = play_native((first, second), opening, (key_of("agent", seeds[0]), key_of("agent", seeds[1])))
    if found is None:
        return None
    # The players alternate, so the number of moves determines who is stuck at the end.
    stuck = opening.to_move if len(found.moves) % 2 == 0 else 3 - opening.to_move
    return Played(opening, found.moves, 3 - stuck, "stuck", _scores(found.records), found.seconds)


def _scores(records: npt.NDArray[np.void]) -> Scores:
    found = np.zeros(len(records), SCORES)
    found["nodes"] = records["nodes"]
    found["depth"] = np.minimum(records["depth"], 255)
    values = records["value"]
    with np.errstate(over="ignore"):  # values too large for float32 become infinite
        found["score"] = np.where(np.abs(values) >= HEURISTIC, np.copysign(np.inf, values), values)
    # A move without a search has no score.
    found["score"][(records["nodes"] == 0) & (records["depth"] == 0)] = np.nan
    found["microseconds"] = np.minimum(records["nanoseconds"] // 1_000, 2**32 - 1)
    return found


def _play_by_move(agents: tuple[Agent, Agent], opening: Position) -> Played:
    position = opening
    moves: list[int] = []
    choices: list[Choice] = []
    began = time.perf_counter()
    winner: int | None = None
    reason, message = "stuck", ""
    while not position.is_over:
        player = position.to_move
        try:
            choice = agents[player - 1].choose(position)
        except MemoryError:
            winner, reason, message = 3 - player, "memory", f"{agents[player - 1]}: out of memory"
            break
        except KeyboardInterrupt:
            raise
        except Exception as error:
            winner = 3 - player
            reason = "memory" if "MemoryError" in str(error) else "crash"
            message = str(error) if isinstance(error, KnightfallError) else f"{type(error).__name__}: {error}"
            break
        if choice.square not in position.legal_moves():
            winner, reason, message = 3 - player, "illegal", f"{agents[player - 1]}: square {choice.square!r}"
            break
        moves.append(choice.square)
        choices.append(choice)
        position = position.play(choice.square)
    else:
        winner = position.winner
    found = np.zeros(len(moves), SCORES)
    for at, choice in enumerate(choices):
        score = np.nan if choice.score is None else choice.score
        found[at] = (choice.nodes, min(choice.depth, 255), score, int(choice.seconds * 1e6))
    return Played(opening, tuple(moves), winner, reason, found, time.perf_counter() - began, message)
