"""Options that several commands share, and values that both the options and the work need.

This module is imported for `--help`, so it imports nothing heavy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_BOARD = "7x7"
DEFAULT_DB = Path("knightfall.db")
DEFAULT_REPORT = Path("report.html")
OPPONENT = "alphabeta(knightfall, nodes=500)"
"""The default opponent: fast, repeatable, and beatable by a human."""

EXACT_MS = 200.0  # of the solver for an analysis
BOOK_SAMPLE = 100  # positions of a book to solve again
FULL_PAIRS, QUICK_PAIRS = 500, 30  # of a replication, for each opponent
FULL_NODES = 5_000
NO_PANEL = "none"
MOST_WORKERS = 1_024
AGENTS_FAILED = 3  # the exit code when agents failed or pairs were left out
BENCHMARKS = ("signature", "perft", "heuristics", "search", "solver", "arena", "start")
EXPORT_SUFFIXES = (".txt", ".json", ".csv", ".parquet")

GivenPosition = Annotated[str | None, typer.Argument(metavar="FEN", help="Position, as in '7/7/3n3/7/7/2N4/7 w'.")]
FenOption = Annotated[str | None, typer.Option("--fen", metavar="FEN", help="Position to start from.")]
BoardOption = Annotated[
    str | None, typer.Option("--board", metavar="WxH", help=f"Size of an empty board (default {DEFAULT_BOARD}).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
AsciiOption = Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")]
RunFilesOption = Annotated[
    bool,
    typer.Option(
        "--run-files",
        help="Run Python files that a data file names without asking. They run with your rights (default: ask at a "
        "terminal, otherwise leave them out; files that you named yourself are not asked about).",
    ),
]

WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=0, max=MOST_WORKERS, metavar="N", help="Processes (default: one per core; 0: only this one)."
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Address of the scheduler of a Dask cluster to work on."),
]
DbOption = Annotated[Path, typer.Option("--db", metavar="FILE", help="Ledger file.")]
NodesOption = Annotated[
    int | None,
    typer.Option(
        "--nodes", min=1, max=2**62, metavar="N", help="Nodes per move, for agents without a budget of their own."
    ),
]
MsOption = Annotated[
    float | None,
    typer.Option("--ms", metavar="N", help="Milliseconds per move instead of nodes; games are then not repeatable."),
]
DepthOption = Annotated[
    int | None, typer.Option("--depth", min=1, max=128, metavar="N", help="Search depth instead of nodes.")
]
