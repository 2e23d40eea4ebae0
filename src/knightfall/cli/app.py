"""The commands, put together. Nothing heavy is imported here: `--help` must answer at once."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.main import get_command

from knightfall import __version__
from knightfall.cli import (
    accuracy,
    agents,
    analyze,
    bench,
    book,
    experiments,
    games,
    heuristics,
    perft,
    play,
    replicate,
    report,
    review,
    show,
    solve,
    tournament,
    truth,
    tune,
)

app = typer.Typer(
    name="knightfall",
    help="A laboratory for knight-move Isolation: two knights, each square used once, whoever cannot move loses.",
    add_completion=False,
    # Plain help: the decorated one takes longer to import than everything else here together.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"knightfall {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """What stands before the command."""


app.command("play")(play.play)
app.command("show")(show.show)
app.command("analyze")(analyze.analyze)
app.command("solve")(solve.solve)
app.add_typer(book.app, name="book")
app.command("heuristics")(heuristics.heuristics)
app.command("agents")(agents.agents)
app.command("tournament")(tournament.tournament)
app.command("experiments")(experiments.experiments)
app.command("games")(games.games)
app.command("replicate")(replicate.replicate)
app.command("report")(report.report)
app.add_typer(truth.app, name="truth")
app.command("accuracy")(accuracy.accuracy)
app.command("tune")(tune.tune)
app.command("review")(review.review)
app.command("perft")(perft.perft)
app.command("bench")(bench.bench)


def command() -> Any:
    """The whole command line as one object that can be run."""
    return get_command(app)
