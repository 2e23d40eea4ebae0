"""Compilation for a command: progress at a terminal, and compilation while a human thinks."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from knightfall.agents.agent import Agent
from knightfall.agents.native_agent import NativeAgent, load
from knightfall.agents.ready import Compilation, missing_units
from knightfall.cli.live import Ticker
from knightfall.native.announce import announcer
from knightfall.native.board_tables import bit_width
from knightfall.native.solve.solver import load_code
from knightfall.rules import Position


class Preparation:
    """Compiles what agents need for a position in a background thread, which starts immediately.

    No thread starts if everything is in the cache.
    """

    def __init__(self, agents: Sequence[Agent], position: Position, *, solver: bool = False) -> None:
        self._agents = agents
        self._position = position
        self._is_loaded = False
        self._error: BaseException | None = None
        self._announcer = announcer
        width = bit_width(position.geometry)
        self._compilation = Compilation(missing_units(agents, width, solver=solver), width)
        self._thread = threading.Thread(target=self._compile, daemon=True, name="knightfall-compile")
        if self._compilation.units:
            announcer.is_shown_elsewhere = True
            self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the compilation is still running."""
        return self._thread.is_alive()

    def _compile(self) -> None:
        try:
            self._compilation.run()
        except BaseException as error:  # raised again in `finish`
            self._error = error

    def finish(self) -> None:
        """Wait until the agents can move without delay; a terminal shows the progress of the compilation."""
        if self._is_loaded:
            return
        self._is_loaded = True
        if self.is_running:
            with Ticker(self._compilation.describe):
                while self._thread.is_alive():
                    self._thread.join(0.1)  # with a timeout, so that Ctrl-C is noticed
        self._announcer.is_shown_elsewhere = False
        if self._error is not None:
            raise self._error
        for agent in self._agents:
            if isinstance(agent, NativeAgent):
                load(agent, self._position)
            elif agent.kind == "perfect":
                load_code(self._position.geometry)

    def __enter__(self) -> Preparation:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()

    def cancel(self) -> None:
        """Stop compiling.

        Wait for functions that are being compiled in this process, because LLVM must not run when the process ends.
        """
        if self.is_running:
            self._compilation.cancel()
            self._thread.join()
