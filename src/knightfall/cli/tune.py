"""`knightfall tune`: parameters of a heuristic, tuned and then confirmed on unseen data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knightfall.cli.options import (
    DEFAULT_BOARD,
    ClusterOption,
    JsonOption,
    RunFilesOption,
    WorkersOption,
)


def tune(
    heuristic: Annotated[
        str,
        typer.Argument(
            metavar="HEURISTIC",
            help="Heuristic with a ? for each value to tune: 'central_mobility(peak=?, opponent=1.5)', "
            "'my.py:mine(weight=?0..4)'. A bare name tunes all parameters that have a range.",
        ),
    ],
    goal: Annotated[
        str,
        typer.Option(
            "--goal",
            metavar="GOAL",
            help="What to maximize. accuracy: the share of critical positions in which the choice keeps the win; "
            "tournament: the share of games won.",
        ),
    ] = "accuracy",
    start: Annotated[
        str,
        typer.Option("--start", metavar="A=X,B=Y", help="Setting to beat (default: the heuristic's defaults)."),
    ] = "",
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="WHOM",
            help="accuracy: only positions from these kinds of play (random, weak, strong, perfect, directed; default "
            "all). tournament: the opponents, as tournament --panel has them (default gen2).",
        ),
    ] = None,
    stage: Annotated[
        str | None,
        typer.Option(
            "--stage",
            metavar="STAGE",
            help="early (less than a quarter of the squares used), middle, late (half or more), or plies A-B. "
            "accuracy: only positions of it; tournament: games begin at positions of it, each from a random game, and "
            "are played to their end.",
        ),
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", min=2, max=100_000, metavar="N", help="Settings to try, including the start.")
    ] = 64,
    screening: Annotated[
        int,
        typer.Option(
            "--screening",
            min=1,
            max=100_000,
            metavar="N",
            help="Most settings that cover the ranges evenly; Optuna proposes the rest.",
        ),
    ] = 32,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**64 - 1, metavar="N", help="Seed for everything random.")
    ] = 1,
    board: Annotated[
        str | None, typer.Option("--board", metavar="WxH", help=f"Size of the board (default {DEFAULT_BOARD}).")
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option("--truth", metavar="FILE", help="accuracy: truth set (default: the one of the package)."),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth",
            min=0,
            max=128,
            metavar="N",
            help="accuracy: plies searched beyond each move (default 0); tournament: depth of search as the budget.",
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(
            "--pairs", min=1, max=100_000, metavar="N", help="tournament: pairs per opponent in a trial (default 50)."
        ),
    ] = None,
    confirm: Annotated[
        int | None,
        typer.Option(
            "--confirm",
            min=1,
            max=100_000,
            metavar="N",
            help="tournament: pairs per opponent in the confirmation (default four times as many).",
        ),
    ] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", min=1, max=2**62, metavar="N", help="tournament: nodes per move.")
    ] = None,
    ms: Annotated[
        float | None,
        typer.Option(
            "--ms",
            metavar="N",
            help="tournament: milliseconds per move instead of nodes; the study is then not repeatable.",
        ),
    ] = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="File for the study (default tune_HEURISTIC_GOAL.jsonl)."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start again, even if the file has results (default: resume).")
    ] = False,
    run_files: RunFilesOption = False,
    json: JsonOption = False,
) -> None:
    """Look for better parameters of a heuristic, and say whether they are better where tuning never looked.

    Each finished trial is saved: after Ctrl-C or a crash the same command continues. `knightfall report --study FILE`
    draws the result.
    """
    from knightfall.cli.run import tune as work

    work.tune(
        heuristic=heuristic,
        goal=goal,
        start=start,
        against=against,
        stage=stage,
        trials=trials,
        screening=screening,
        seed=seed,
        board=board,
        truth=truth,
        depth=depth,
        pairs=pairs,
        confirm=confirm,
        nodes=nodes,
        ms=ms,
        workers=workers,
        cluster=cluster,
        output=output,
        fresh=fresh,
        run_files=run_files,
        json=json,
    )
