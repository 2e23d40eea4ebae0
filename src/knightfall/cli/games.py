"""`knightfall games`: the games of a ledger, listed, shown one by one, and written to files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knightfall.cli.options import DEFAULT_DB, EXPORT_SUFFIXES, AsciiOption, DbOption, JsonOption

LONGEST = 1_000  # moves; no board has so many squares


def games(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="A game of the list, as in 3/17/1.")] = None,
    db: DbOption = DEFAULT_DB,
    experiment: Annotated[
        str | None,
        typer.Option("--experiment", metavar="ID", help="Number of an experiment, or all (default: the last one)."),
    ] = None,
    player: Annotated[str | None, typer.Option("--player", metavar="NAME", help="Games that NAME played.")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="NAME", help="With --player, --won-by or --lost-by: only games against NAME."
        ),
    ] = None,
    won_by: Annotated[str | None, typer.Option("--won-by", metavar="NAME", help="Games that NAME won.")] = None,
    lost_by: Annotated[str | None, typer.Option("--lost-by", metavar="NAME", help="Games that NAME lost.")] = None,
    reason: Annotated[
        str | None,
        typer.Option("--reason", metavar="REASON", help="Games that ended by REASON: stuck, timeout, crash, ..."),
    ] = None,
    opening: Annotated[str | None, typer.Option("--opening", metavar="FEN", help="Games from this opening.")] = None,
    longer: Annotated[
        int | None,
        typer.Option("--longer", min=0, max=LONGEST, metavar="N", help="Games of more than N moves after the opening."),
    ] = None,
    shorter: Annotated[
        int | None,
        typer.Option(
            "--shorter", min=0, max=LONGEST, metavar="N", help="Games of fewer than N moves after the opening."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, max=2**62, metavar="N", help="Show at most N games.")
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help=f"Write the games to a file: {', '.join(EXPORT_SUFFIXES)}."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="With GAME: write its last board to an SVG file.")
    ] = None,
    ascii: AsciiOption = False,
    json: JsonOption = False,
) -> None:
    """List the games of a ledger, show one in full, or write them to a file."""
    from knightfall.cli.run import games as work

    work.games(
        game=game,
        db=db,
        experiment=experiment,
        player=player,
        against=against,
        won_by=won_by,
        lost_by=lost_by,
        reason=reason,
        opening=opening,
        longer=longer,
        shorter=shorter,
        limit=limit,
        export=export,
        svg=svg,
        ascii=ascii,
        json=json,
    )
