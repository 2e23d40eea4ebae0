"""The app with all commands. Heavy modules are not imported here, so that `--help` is fast."""

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
    compare,
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
from knightfall.cli.help import WIDEST, Command, Group

app = typer.Typer(
    name="knightfall",
    help="A laboratory for knight-move Isolation: two knights, each square used once, whoever cannot move loses.",
    cls=Group,
    add_completion=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST},
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


app.command("play", cls=Command)(play.play)
app.command("show", cls=Command)(show.show)
app.command("analyze", cls=Command)(analyze.analyze)
app.command("solve", cls=Command)(solve.solve)
app.add_typer(book.app, name="book")
app.command("heuristics", cls=Command)(heuristics.heuristics)
app.command("agents", cls=Command)(agents.agents)
app.command("tournament", cls=Command)(tournament.tournament)
app.command("compare", cls=Command)(compare.compare)
app.add_typer(experiments.app, name="experiments")
app.command("games", cls=Command)(games.games)
app.command("replicate", cls=Command)(replicate.replicate)
app.command("report", cls=Command)(report.report)
app.add_typer(truth.app, name="truth")
app.command("accuracy", cls=Command)(accuracy.accuracy)
app.command("tune", cls=Command)(tune.tune)
app.command("review", cls=Command)(review.review)
app.command("perft", cls=Command)(perft.perft)
app.command("bench", cls=Command)(bench.bench)


def command() -> Any:
    """Return the whole command line as one object that can be run."""
    return get_command(app)
