"""One game between two agents."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from knightfall.agents.agent import Agent
from knightfall.agents.choice import Choice
from knightfall.agents.errors import AgentError
from knightfall.agents.native_agent import NativeAgent
from knightfall.agents.native_game import is_native, play_native
from knightfall.agents.perfect import PerfectAgent
from knightfall.agents.prototypes import prototype, release
from knightfall.native.seeds import key_of
from knightfall.rules import Game, GameError, Geometry, IllegalMove, MoveData, Position

_NO_THOUGHT = MoveData(seconds=0.0)  # the data of a random move


def play(first: Agent | str, second: Agent | str, opening: Position | None = None, seed: int = 0) -> Game:
    """Play a game to its end, from ``opening`` or the empty 7×7 board, and return it.

    ``first`` and ``second`` are agents or their texts. Agents given as strings get their own seeds, derived from
    ``seed``; agents given as objects keep theirs. The same arguments give the same game, whatever was played before,
    unless an agent's budget is a time. At the beginning of a game, agents remember nothing from other games. Several
    threads may play at once, also with the same strings or agents of this package. Raise :class:`AgentError` if an
    argument is invalid, and :class:`GameError` if an agent makes an illegal move.

    >>> import knightfall as kf
    >>> game = kf.play("random", "AB_Improved", seed=1)
    >>> game.outcome.reason
    'stuck'
    """
    position = Position.start(Geometry(7, 7)) if opening is None else opening
    if not isinstance(position, Position):
        raise AgentError(f"the opening must be a Position, not {position!r:.60}")
    empty = Game(position, seed=seed)  # checks the seed
    players = _Player(first, seed, 1), _Player(second, seed, 2)
    names = (str(players[0].agent), str(players[1].agent))
    if empty.outcome is not None:
        return Game(position, players=names, seed=seed)
    agents = (players[0].agent, players[1].agent)
    # A game of two random players is too short to load machine code for it.
    searches = isinstance(agents[0], NativeAgent) or isinstance(agents[1], NativeAgent)
    if not (searches and is_native(agents[0]) and is_native(agents[1])):
        return _play_by_move(players, names, position, seed)
    found = play_native(agents, position, (players[0].key, players[1].key), obey_ctrl_c=True)
    for player in players:
        if player.is_kept:
            release(player.agent)
    if found is None:  # playing the same game move by move raises the right error
        return _play_by_move(players, names, position, seed)
    data = tuple(_data(agents, found.records, position.to_move))
    return Game(position, found.moves, None, data, names, seed=seed)


class _Player:
    """One player of a game: an agent, and the key for its random choices."""

    def __init__(self, given: Agent | str, seed: int, side: int) -> None:
        self.is_kept = isinstance(given, str)
        if isinstance(given, str):
            self.seed = key_of("play", seed, side)
            self.agent = prototype(given)
            self.key = key_of("agent", self.seed)
        elif isinstance(given, Agent):
            self.seed, self.agent, self.key = given.seed, given, given.key
        else:
            raise AgentError(f"an agent is described by a text, not by {given!r:.60}")

    def for_one_game(self) -> Agent:
        """Return an agent that remembers nothing of other games and that no other game uses."""
        is_ours = self.is_kept or is_native(self.agent) or type(self.agent) is PerfectAgent
        return self.agent.with_seed(self.seed) if is_ours else self.agent


def _play_by_move(players: tuple[_Player, _Player], names: tuple[str, str], opening: Position, seed: int) -> Game:
    """Play a game in which the agents choose moves in turn. Check every move."""
    agents = [player.for_one_game() for player in players]
    position = opening
    moves: list[int] = []
    data: list[MoveData] = []
    while not position.is_over:
        agent = agents[position.to_move - 1]
        chosen = agent.choose(position)
        try:
            after = position.play(chosen.square)
        except IllegalMove as error:
            raise GameError(f"{agent}: move {len(moves) + 1}: {error}") from None
        moves.append(position.geometry.square(chosen.square))
        data.append(move_data(chosen))
        position = after
    return Game(opening, tuple(moves), None, tuple(data), names, seed=seed)


def _data(agents: tuple[Agent, Agent], records: npt.NDArray[np.void], mover: int) -> Iterator[MoveData]:
    """Convert the records of the native call to the data of a game record."""
    for _, nodes, depth, value, nanoseconds in records.tolist():
        agent = agents[mover - 1]
        mover = 3 - mover
        if not isinstance(agent, NativeAgent):
            yield _NO_THOUGHT
            continue
        score = agent.score(value, depth)
        seconds = round(nanoseconds / 1e9, 6)
        yield MoveData(seconds) if score is None else MoveData(seconds, nodes, depth, score)


def move_data(choice: Choice) -> MoveData:
    """Return the data of a choice for a game record."""
    if choice.score is None:
        return MoveData(seconds=round(choice.seconds, 6))
    return MoveData(round(choice.seconds, 6), choice.nodes, choice.depth, choice.score)
