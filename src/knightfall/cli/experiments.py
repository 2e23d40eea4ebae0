"""`knightfall experiments`: the experiments of a ledger, and one of them in full."""

from __future__ import annotations

from typing import Annotated

import typer

from knightfall.cli.help import Command, ShowGroup
from knightfall.cli.options import DEFAULT_DB, DbOption, JsonOption

app = typer.Typer(cls=ShowGroup, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def experiments(
    context: typer.Context,
    number: Annotated[
        int | None, typer.Argument(metavar="ID", help="Number of an experiment, to show it in full.")
    ] = None,
    db: DbOption = DEFAULT_DB,
    json: JsonOption = False,
) -> None:
    """List the experiments of a ledger, or show one in full."""
    if context.invoked_subcommand is not None:
        return
    from knightfall.cli.run import experiments as work

    work.experiments(number=number, db=db, json=json)


@app.command("verify", cls=Command)
def verify(
    numbers: Annotated[
        list[int] | None,
        typer.Argument(metavar="ID", help="Numbers of experiments (default: all).", show_default=False),
    ] = None,
    db: DbOption = DEFAULT_DB,
    json: JsonOption = False,
) -> None:
    """Check a ledger in full: play every game again and compare it with what is recorded.

    Every problem is one line. The exit code is 1 if there are any, otherwise 0.
    """
    from knightfall.cli.run import experiments as work

    work.verify(numbers=numbers, db=db, json=json)
