"""One game between two agents."""

from __future__ import annotations

from knightfall.agents.agent import Agent
from knightfall.agents.choice import Choice
from knightfall.agents.make import agent as make_agent
from knightfall.native.seeds import key_of
from knightfall.rules import Game, Geometry, MoveData, Position


def play(first: Agent | str, second: Agent | str, opening: Position | None = None, seed: int = 0) -> Game:
    """Play a game to its end. Agents given as text get seeds of their own from ``seed``.

    >>> import knightfall as kf
    >>> game = kf.play("random", "AB_Improved", seed=1)
    >>> game.outcome.reason
    'stuck'
    """
    agents = [
        make_agent(given, key_of("play", seed, side)) if isinstance(given, str) else given
        for side, given in ((1, first), (2, second))
    ]
    position = Position.start(Geometry(7, 7)) if opening is None else opening
    game = Game(position, players=(str(agents[0]), str(agents[1])), seed=seed)
    while game.outcome is None:
        chosen = agents[position.to_move - 1].choose(position)
        game = game.play(chosen.square, move_data(chosen))
        position = position.play(chosen.square)
    return game


def move_data(choice: Choice) -> MoveData:
    """A choice as a game record keeps it."""
    if choice.score is None:
        return MoveData(seconds=round(choice.seconds, 6))
    return MoveData(round(choice.seconds, 6), choice.nodes, choice.depth, choice.score)
