"""Warm-up: compile or load the code that the players need, before any worker starts."""

from __future__ import annotations

import threading
from collections.abc import Callable

from knightfall.agents.agent import Agent
from knightfall.agents.native_agent import NativeAgent
from knightfall.arena.players import Player
from knightfall.arena.referee import load_game
from knightfall.native.announce import announcer
from knightfall.native.background import interruptible
from knightfall.native.board_tables import bit_width
from knightfall.rules import Position

_PROGRESS_SECONDS = 0.2  # between two messages about compilation


def warm_up(players: dict[str, Player], opening: str, progress: Callable[[str], None] | None = None) -> None:
    """Compile or load the code that the players need, before any worker starts.

    A player that cannot make a single move is rejected here, with its name.
    """
    position = Position.from_fen(opening)
    _compile([player.agent for player in players.values()], position, progress)
    for player in players.values():
        if progress is not None:
            progress(f"loading {player.name}")
        interruptible(lambda player=player: _try(player.agent, position))  # type: ignore[misc]


def _compile(agents: list[Agent], position: Position, progress: Callable[[str], None] | None) -> None:
    """Compile code that is not in the cache, in several processes; ``progress`` is called repeatedly."""
    from knightfall.agents.ready import Compilation, missing_units

    width = bit_width(position.geometry)
    compilation = Compilation(missing_units(agents, width, game=True), width)
    if not compilation.units:
        return
    done = threading.Event()

    def tell() -> None:
        while progress is not None and not done.wait(_PROGRESS_SECONDS):
            progress(compilation.describe())

    teller = threading.Thread(target=tell, daemon=True, name="knightfall-progress")
    teller.start()
    announcer.is_shown_elsewhere = progress is not None
    try:
        interruptible(compilation.run, compilation.cancel)
    finally:
        announcer.is_shown_elsewhere = False
        done.set()
        teller.join()


def _try(made: Agent, position: Position) -> None:
    from knightfall.agents.native_agent import load
    from knightfall.agents.perfect import PerfectAgent
    from knightfall.native.solve.solver import load_code

    if isinstance(made, NativeAgent):
        load(made, position)
        made.give_back(made.take(position.geometry))
    elif isinstance(made, PerfectAgent):
        load_code(position.geometry)
    load_game(position)
