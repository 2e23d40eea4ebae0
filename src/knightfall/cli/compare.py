"""`knightfall compare`: two versions of a heuristic or an agent, one verdict."""

from __future__ import annotations

from typing import Annotated

import typer

from knightfall.arena import defaults
from knightfall.cli.options import (
    DEFAULT_BOARD,
    DEFAULT_DB,
    NO_PANEL,
    ClusterOption,
    DbOption,
    DepthOption,
    JsonOption,
    MsOption,
    NodesOption,
    RunFilesOption,
    WorkersOption,
)


def compare(
    old: Annotated[
        str, typer.Argument(metavar="OLD", help="Heuristic (improved, old.py, my.py:cautious) or agent ('AB5_open').")
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Heuristic or agent to compare with OLD.")],
    panel: Annotated[
        str,
        typer.Option(
            "--panel",
            metavar="PANEL",
            help=f"Opponents that both play, as `tournament --panel` takes them, or {NO_PANEL}.",
        ),
    ] = defaults.PANEL,
    pairs: Annotated[
        int, typer.Option("--pairs", min=2, max=100_000, metavar="N", help="Pairs per opponent of the panel.")
    ] = defaults.PAIRS,
    most: Annotated[
        int, typer.Option("--most", min=2, max=100_000, metavar="N", help="Most pairs head to head.")
    ] = defaults.COMPARE_PAIRS,
    elo: Annotated[
        float,
        typer.Option(
            "--elo", min=1, max=400, metavar="ELO", help="Smallest difference that matters head to head, in Elo."
        ),
    ] = defaults.COMPARE_ELO,
    nodes: NodesOption = None,
    ms: MsOption = None,
    depth: DepthOption = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**64 - 1, metavar="N", help="Seed for openings and agents.")
    ] = defaults.SEED,
    board: Annotated[
        str | None, typer.Option("--board", metavar="WxH", help=f"Size of the board (default {DEFAULT_BOARD}).")
    ] = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    db: DbOption = DEFAULT_DB,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start again, even if the ledger has results (default: resume).")
    ] = False,
    run_files: RunFilesOption = False,
    json: JsonOption = False,
) -> None:
    """Compare two versions of a heuristic or an agent, and say which is better.

    They play each other until a sequential test decides, and both play the panel from the same openings. Everything
    is kept in a ledger: after Ctrl-C or a crash the same command continues.
    """
    from knightfall.cli.run import compare as work

    work.compare(
        old=old,
        new=new,
        panel=panel,
        pairs=pairs,
        most=most,
        elo=elo,
        nodes=nodes,
        ms=ms,
        depth=depth,
        seed=seed,
        board=board,
        workers=workers,
        cluster=cluster,
        db=db,
        fresh=fresh,
        run_files=run_files,
        json=json,
    )
