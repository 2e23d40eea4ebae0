"""`knightfall review`: the moves of a game, graded."""

from __future__ import annotations

from typing import Annotated

import typer

from knightfall.cli.options import DEFAULT_DB, AsciiOption, DbOption, JsonOption


def review(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="Saved game (text or JSON), or a game of the ledger, as in 3/17/1.")
    ],
    ms: Annotated[
        float,
        typer.Option(
            "--ms",
            metavar="N",
            help="Time limit per position in milliseconds: for who wins on boards of more than 49 squares, for the "
            "number of moves left on every board.",
        ),
    ] = 2_000.0,
    distance: Annotated[
        bool,
        typer.Option("--distance", help="Find the number of moves left also with more than 40 squares empty; slow."),
    ] = False,
    db: DbOption = DEFAULT_DB,
    ascii: AsciiOption = False,
    json: JsonOption = False,
) -> None:
    """Go through a game move by move: which moves kept a won game, which gave it away, and what would have won.

    With both knights placed every count is exact on boards of up to 49 squares; elsewhere "at least" marks what is
    not complete.
    """
    from knightfall.cli.run import review as work

    work.review(game=game, ms=ms, distance=distance, db=db, ascii=ascii, json=json)
