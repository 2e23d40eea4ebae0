"""`knightfall play`: a game in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knightfall.cli.analyze import ANALYST
from knightfall.cli.options import OPPONENT, AsciiOption, BoardOption, FenOption, JsonOption, RunFilesOption


def play(
    first: Annotated[
        str | None, typer.Option("--first", metavar="AGENT", help="First player: human (default) or any agent.")
    ] = None,
    second: Annotated[
        str | None,
        typer.Option(
            "--second",
            metavar="AGENT",
            help=f"Second player: human or any agent (default {OPPONENT}; human if --first is an agent).",
        ),
    ] = None,
    fen: FenOption = None,
    board: BoardOption = None,
    load: Annotated[
        Path | None, typer.Option("--load", metavar="FILE", help="Resume a saved game (text or JSON).")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="File for the game, written when it stops; .json for JSON."),
    ] = None,
    analyst: Annotated[
        str, typer.Option("--analyst", metavar="AGENT", help="Agent that answers `hint` and `score`.")
    ] = ANALYST,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, metavar="N", help="Seed of the agents: the same seed gives the same moves."),
    ] = None,
    run_files: RunFilesOption = False,
    ascii: AsciiOption = False,
    json: JsonOption = False,
) -> None:
    """Play a game in the terminal. Either side is a human or any agent; `knightfall agents` lists them."""
    from knightfall.cli.run import play as work

    work.play(
        first=first,
        second=second,
        fen=fen,
        board=board,
        load=load,
        save=save,
        analyst=analyst,
        seed=seed,
        run_files=run_files,
        ascii=ascii,
        json=json,
    )
