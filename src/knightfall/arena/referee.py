"""The referee: plays one game, owns the position and the clock, and says how it ended.

A game between native agents is one compiled call. Where an agent is not native, or something goes wrong, it is played
move by move, and every move is checked against the rules.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from knightfall.agents.agent import Agent
from knightfall.agents.choice import Choice
from knightfall.agents.native_agent import NativeAgent, Workspace, load
from knightfall.agents.simple import RandomAgent
from knightfall.native.control import STOP
from knightfall.native.search.block import Field
from knightfall.native.search.game import RECORD, play_game
from knightfall.native.search.root import RANDOM
from knightfall.native.search.value import HEURISTIC
from knightfall.native.seeds import key_of
from knightfall.native.state import State
from knightfall.native.user_output import user_code
from knightfall.rules import KnightfallError, Position

SCORES = np.dtype([("nodes", "<u8"), ("depth", "u1"), ("score", "<f4"), ("microseconds", "<u4")])
"""What the ledger keeps of each move, beside its square."""

Scores = npt.NDArray[np.void]


@dataclass(frozen=True)
class Played:
    """One game: who moved first after the opening is the player to move there, 1 or 2 as the opening says."""

    opening: Position
    moves: tuple[int, ...]
    winner: int | None
    reason: str
    scores: Scores
    seconds: float
    message: str = ""

    @property
    def final(self) -> Position:
        """The position at the end."""
        position = self.opening
        for square in self.moves:
            position = position.play(square)
        return position


def game_seed(pair: str, game: int, player: int) -> int:
    """The seed of one player in one game of a pair."""
    return key_of("game", pair, game, player)


def play_one(first: Agent, second: Agent, opening: Position, seeds: tuple[int, int]) -> Played:
    """A game from an opening; ``first`` plays for player 1, ``second`` for player 2."""
    if isinstance(first, NativeAgent | RandomAgent) and isinstance(second, NativeAgent | RandomAgent):
        found = _play_native(first, second, opening, seeds)
        if found is not None:
            return found
    return _play_by_move((first.with_seed(seeds[0]), second.with_seed(seeds[1])), opening)


_idle: list[Workspace] = []  # of random players, which need no other memory


def load_game(opening: Position) -> None:
    """Compile or load the code that plays whole games, for boards as wide as this one."""
    play_one(RandomAgent(), RandomAgent(), opening, (0, 0))


def _play_native(
    first: NativeAgent | RandomAgent, second: NativeAgent | RandomAgent, opening: Position, seeds: tuple[int, int]
) -> Played | None:
    """The whole game in one call; None when it went wrong, and is to be looked at move by move."""
    agents = (first, second)
    workspaces = [_workspace(agent, opening) for agent in agents]
    for workspace, seed in zip(workspaces, seeds, strict=True):
        key = key_of("agent", seed)
        workspace.block[Field.KEY] = key - (key >> 63 << 64)
        workspace.block[STOP] = 0
        # A game begins with nothing remembered, whatever was played in this memory before.
        workspace.block[Field.LAST_COUNT] = 1 << 30
    records = np.zeros(opening.geometry.size + 1, RECORD)
    began = time.perf_counter()
    try:
        with user_code:
            count = play_game(
                workspaces[0].block.address, workspaces[1].block.address, State.of(opening), records.ctypes.data
            )
    except Exception:
        return None
    seconds = time.perf_counter() - began
    for agent, workspace in zip(agents, workspaces, strict=True):
        if isinstance(agent, NativeAgent):
            agent.give_back(workspace)
        else:
            _idle.append(workspace)
    if count < 0:
        return None
    records = records[:count]
    moves = tuple(records["square"].tolist())
    # The players take turns, so who is stuck at the end follows from the number of moves.
    stuck = opening.to_move if count % 2 == 0 else 3 - opening.to_move
    return Played(opening, moves, 3 - stuck, "stuck", _scores(records), seconds)


def _workspace(agent: NativeAgent | RandomAgent, opening: Position) -> Workspace:
    if isinstance(agent, NativeAgent):
        load(agent, opening)
        workspace = agent.take(opening.geometry)
        if agent.budget.ms is not None:
            workspace.block.floats[Field.MS_LIMIT] = agent.budget.ms
        return workspace
    while _idle:
        with contextlib.suppress(IndexError):  # another thread was faster
            workspace = _idle.pop()
            if workspace.geometry == opening.geometry:
                return workspace
    workspace = Workspace(opening.geometry)
    workspace.block[Field.KIND] = RANDOM
    return workspace


def _scores(records: npt.NDArray[np.void]) -> Scores:
    found = np.zeros(len(records), SCORES)
    found["nodes"] = records["nodes"]
    found["depth"] = np.minimum(records["depth"], 255)
    values = records["value"]
    with np.errstate(over="ignore"):  # what a float32 cannot hold is as good as infinite
        found["score"] = np.where(np.abs(values) >= HEURISTIC, np.copysign(np.inf, values), values)
    # Who has looked at nothing has no opinion.
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
