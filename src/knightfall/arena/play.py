"""Play one pair: two games from one opening, as rows for the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from knightfall.agents.agent import Agent
from knightfall.arena.plan import PlannedPair
from knightfall.arena.players import Player
from knightfall.arena.referee import Played, game_seed, play_one
from knightfall.rules import Position

_TRIES = 3  # attempts at a game with unreliable timing
_GRACE_MS = 100.0  # milliseconds allowed beyond twice the time budget


class GameRow(NamedTuple):
    """A game as stored in the ledger; ``first`` is the name of player 1, ``moves`` are the moves after the opening."""

    game: int
    first: str
    second: str
    moves: str
    winner: int
    reason: str
    message: str
    seconds: float
    scores: bytes


class PairResult(NamedTuple):
    """Both games of a pair; ``score`` is the candidate's score: 0, ½ or 1."""

    number: int
    score: float
    games: tuple[GameRow, GameRow]


def play_pair(pair: PlannedPair, players: Mapping[str, Player]) -> PairResult:
    """Play both games: the candidate moves first in the first game, its opponent in the second."""
    opening = _opening(pair.opening)
    candidate, opponent = players[pair.matchup.candidate], players[pair.matchup.opponent]
    rows = []
    won = 0
    for game in (1, 2):
        candidate_plays = opening.to_move if game == 1 else 3 - opening.to_move
        first, second = (candidate, opponent) if candidate_plays == 1 else (opponent, candidate)
        seeds = (game_seed(pair.id, game, 1), game_seed(pair.id, game, 2))
        played = _in_time(first.agent, second.agent, opening, seeds)
        assert played.winner is not None
        won += played.winner == candidate_plays
        label = opening.geometry.label
        rows.append(
            GameRow(
                game,
                first.name,
                second.name,
                " ".join([label(square) for square in played.moves]),
                played.winner,
                played.reason,
                played.message,
                round(played.seconds, 6),
                played.scores.tobytes(),
            )
        )
    return PairResult(pair.number, won / 2, (rows[0], rows[1]))


@lru_cache(maxsize=4_096)
def _opening(text: str) -> Position:
    """Return an opening; it is cached, because all matches share the openings."""
    return Position.from_fen(text)


def _in_time(first: Agent, second: Agent, opening: Position, seeds: tuple[int, int]) -> Played:
    """Return a game in which no move was late, or a game that the late player lost.

    Our agents check the clock frequently. If a move is far too late, the machine has probably delayed the agent. The
    game is then void and is played again. After three such games in a row, the agent loses.
    """
    for left in reversed(range(_TRIES)):
        played = play_one(first, second, opening, seeds)
        late = _first_late(played, first, second)
        if late is None:
            return played
        if left == 0:
            return _lost_on_time(played, late, (first, second)[_mover(opening, late) - 1])
    raise AssertionError


def _mover(opening: Position, ply: int) -> int:
    return opening.to_move if ply % 2 == 0 else 3 - opening.to_move


def _first_late(played: Played, first: Agent, second: Agent) -> int | None:
    """Return the first ply that took far longer than its budget; None if there is none."""
    limits = {player: agent.budget.ms for player, agent in ((1, first), (2, second))}
    if limits[1] is None and limits[2] is None:
        return None
    for ply, microseconds in enumerate(played.scores["microseconds"]):
        limit = limits[_mover(played.opening, ply)]
        if limit is not None and microseconds / 1e3 > 2 * limit + _GRACE_MS:
            return ply
    return None


def _lost_on_time(played: Played, ply: int, agent: Agent) -> Played:
    late = _mover(played.opening, ply)
    took = played.scores["microseconds"][ply] / 1e3
    message = f"{agent}: {took:.0f} ms for a move of {agent.budget.ms:g} ms"
    return Played(played.opening, played.moves[:ply], 3 - late, "timeout", played.scores[:ply], played.seconds, message)
