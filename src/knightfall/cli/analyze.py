"""`knightfall analyze`: the scores of all moves of a position by an agent."""

from __future__ import annotations

from typing import Annotated

import typer

from knightfall.cli.options import EXACT_MS, AsciiOption, BoardOption, FenOption, GivenPosition, JsonOption

ANALYST = "alphabeta(knightfall, ms=1000)"
"""A copy of the value in knightfall.agents.analysis, which is slow to import for `--help`. A test compares them."""


def analyze(
    position_text: GivenPosition = None,
    fen: FenOption = None,
    board: BoardOption = None,
    agent: Annotated[
        str,
        typer.Option("--agent", metavar="AGENT", help="Agent that scores the moves; `knightfall agents` lists them."),
    ] = ANALYST,
    lines: Annotated[
        int | None, typer.Option("--lines", min=1, metavar="N", help="Show the best N moves only.")
    ] = None,
    exact: Annotated[
        float,
        typer.Option(
            "--exact",
            min=0,
            max=1e9,
            metavar="MS",
            help="Milliseconds for the solver to find exact values; 0 switches it off.",
        ),
    ] = EXACT_MS,
    seed: Annotated[
        int, typer.Option("--seed", min=0, metavar="N", help="Seed of the agent: decides between equal moves.")
    ] = 0,
    ascii: AsciiOption = False,
    json: JsonOption = False,
) -> None:
    """Score every legal move of a position. Ctrl-C ends a long analysis with what was found."""
    from knightfall.cli.run import analyze as work

    work.analyze(
        position_text=position_text,
        fen=fen,
        board=board,
        agent=agent,
        lines=lines,
        exact=exact,
        seed=seed,
        ascii=ascii,
        json=json,
    )
