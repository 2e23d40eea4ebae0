"""`knightfall agents`: the kinds of agents, and the explanation of one agent."""

from __future__ import annotations

from typing import Annotated

import typer

from knightfall.cli.options import JsonOption


def agents(
    text: Annotated[
        str | None, typer.Argument(metavar="AGENT", help="Agent, as in 'alphabeta(improved, nodes=5000)'.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """List the agents, or explain one."""
    from knightfall.cli.run import agents as work

    work.agents(text=text, json=json)
