"""`knightfall tournament`: which heuristic or agent is better, and how certain that is."""

from __future__ import annotations

from typing import Annotated

import typer

from knightfall.arena import defaults
from knightfall.cli.options import (
    DEFAULT_BOARD,
    DEFAULT_DB,
    ClusterOption,
    DbOption,
    DepthOption,
    JsonOption,
    MsOption,
    NodesOption,
    RunFilesOption,
    WorkersOption,
)


def tournament(
    candidates: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CANDIDATE",
            help="Heuristic (improved, my.py:cautious, my.py:* for all in the file) or agent ('mcts(nodes=9000)'). "
            "A heuristic plays in the panel's published search.",
            show_default=False,
        ),
    ] = None,
    panel: Annotated[
        str | None,
        typer.Option(
            "--panel",
            metavar="PANEL",
            help="Opponents: gen1, gen2, E, all, a file with one agent per line, or a list separated by "
            f"semicolons (default {defaults.PANEL}; with --sprt the baseline).",
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(
            "--pairs",
            min=1,
            metavar="N",
            help=f"Pairs per opponent; a pair is an opening played from both sides (default {defaults.PAIRS}; with "
            f"--sprt at most {defaults.SPRT_PAIRS}).",
        ),
    ] = None,
    nodes: NodesOption = None,
    ms: MsOption = None,
    depth: DepthOption = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", min=0, max=2**64 - 1, metavar="N", help=f"Seed for openings and agents (default {defaults.SEED})."
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="AGENT",
            help=f"Agent or heuristic that the candidates are compared with, or none (default {defaults.BASELINE}).",
        ),
    ] = None,
    board: Annotated[
        str | None, typer.Option("--board", metavar="WxH", help=f"Size of the board (default {DEFAULT_BOARD}).")
    ] = None,
    openings: Annotated[
        str | None,
        typer.Option(
            "--openings",
            metavar="FILE",
            help="Positions to start from, one FEN per line, or all for every opening of two plies (default: random "
            "openings).",
        ),
    ] = None,
    plies: Annotated[
        int | None, typer.Option("--plies", min=0, metavar="N", help="Length of random openings in plies (default 2).")
    ] = None,
    balanced: Annotated[
        bool,
        typer.Option(
            "--balanced",
            help="Draw openings so that won and lost ones, on one colour and on two, are equally frequent.",
        ),
    ] = False,
    sprt: Annotated[
        str | None,
        typer.Option(
            "--sprt",
            metavar="ELO0,ELO1",
            help="Stop each match as soon as a sequential test decides between these two Elo differences.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="MODEL", help="Model of the sequential test: logistic (default) or normalized."
        ),
    ] = None,
    round_robin: Annotated[
        bool, typer.Option("--round-robin", help="Everybody against everybody; the panel, if given, takes part.")
    ] = False,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    db: DbOption = DEFAULT_DB,
    resume: Annotated[bool, typer.Option("--resume", help="Resume the last unfinished experiment.")] = False,
    experiment: Annotated[
        int | None,
        typer.Option(
            "--experiment", min=1, metavar="ID", help="Resume this experiment, or print its table if it is finished."
        ),
    ] = None,
    run_files: RunFilesOption = False,
    retry: Annotated[
        bool,
        typer.Option("--retry", help="With --resume or --experiment: play pairs again that were left out."),
    ] = False,
    json: JsonOption = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print the matches as CSV.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print table and verdicts as Markdown.")] = False,
) -> None:
    """Play candidates against a panel and say which is better, and how sure that is.

    Everything is kept in a ledger: after Ctrl-C or a crash, --resume continues.
    """
    from knightfall.cli.run import tournament as work

    work.tournament(
        candidates=candidates,
        panel=panel,
        pairs=pairs,
        nodes=nodes,
        ms=ms,
        depth=depth,
        seed=seed,
        baseline=baseline,
        board=board,
        openings=openings,
        plies=plies,
        balanced=balanced,
        sprt=sprt,
        model=model,
        round_robin=round_robin,
        workers=workers,
        cluster=cluster,
        db=db,
        resume=resume,
        experiment=experiment,
        run_files=run_files,
        retry=retry,
        json=json,
        csv=csv,
        markdown=markdown,
    )
