"""`knightfall replicate`: the five published analyses played again, and a verdict on each claim."""

from __future__ import annotations

from typing import Annotated

import typer

from knightfall.cli.options import (
    DEFAULT_DB,
    FULL_NODES,
    FULL_PAIRS,
    QUICK_PAIRS,
    ClusterOption,
    DbOption,
    JsonOption,
    WorkersOption,
)


def replicate(
    reports: Annotated[
        list[str] | None, typer.Argument(metavar="A|B|C|D|E", help="Reports to replicate (default: all).")
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(
            "--pairs", min=5, metavar="N", help=f"Pairs per opponent (default {FULL_PAIRS}; sweeps: a fifth)."
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help=f"Play {QUICK_PAIRS} pairs: minutes instead of an hour, and fewer decisions."),
    ] = False,
    nodes: Annotated[
        int | None,
        typer.Option(
            "--nodes",
            min=10,
            max=10**9,
            metavar="N",
            help=f"Nodes per move; at equal cost, those of `improved` (default {FULL_NODES}).",
        ),
    ] = None,
    ms: Annotated[
        float | None,
        typer.Option("--ms", metavar="N", help="Milliseconds per move instead of nodes."),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**64 - 1, metavar="N", help="Seed for openings and agents.")
    ] = 1,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start again, even if the ledger has results (default: resume).")
    ] = False,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    db: DbOption = DEFAULT_DB,
    json: JsonOption = False,
) -> None:
    """Run the experiments of the published reports and say of each claim whether it holds.

    Twice: with equal nodes for all, and with equal cost, where an expensive function searches fewer nodes. What is in
    the ledger already is not played again.
    """
    from knightfall.cli.run import replicate as work

    work.replicate(
        reports=reports,
        pairs=pairs,
        quick=quick,
        nodes=nodes,
        ms=ms,
        seed=seed,
        fresh=fresh,
        workers=workers,
        cluster=cluster,
        db=db,
        json=json,
    )
