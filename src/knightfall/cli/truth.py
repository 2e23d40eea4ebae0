"""`knightfall truth`: sets of positions with the exact value of every move."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knightfall.cli.common import DEFAULT_BOARD, JsonOption, print_json
from knightfall.cli.live import LiveLine
from knightfall.cli.tournament import ClusterOption, WorkersOption

if TYPE_CHECKING:
    from knightfall.lab.truth import TruePosition

app = typer.Typer(help="Positions with the exact value of every move: build sets of them, and look at them.")

_STEP = 4  # plies in a row of the table

BoardName = Annotated[str | None, typer.Option("--board", metavar="WxH", help=f"The board (default {DEFAULT_BOARD}).")]


@app.command("build")
def build(
    positions: Annotated[int, typer.Option("--positions", min=1, max=10**7, metavar="N", help="About how many.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The file (default truth_WxH.txt.gz).")
    ] = None,
    board: BoardName = None,
    empty: Annotated[
        int | None,
        typer.Option("--empty", min=4, metavar="N", help="Most empty squares: more take longer to solve."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, max=2**63 - 1, metavar="N", help="Of everything random.")] = 1,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    json: JsonOption = False,
) -> None:
    """Find positions of several kinds of play, half of them critical, and solve them.

    The same command gives the same file. After Ctrl-C or a crash it goes on where it stopped.
    """
    from knightfall.lab.build_truth import BuildStopped, build_truth
    from knightfall.lab.truth import TruthJob, default_most_empty
    from knightfall.rules import Geometry

    geometry = Geometry.parse(board or DEFAULT_BOARD)
    path = output or Path(f"truth_{geometry}.txt.gz")
    job = TruthJob(str(geometry), empty or default_most_empty(geometry))
    line = LiveLine()
    try:
        found = build_truth(
            path,
            job,
            positions,
            seed,
            workers=workers,
            cluster=cluster,
            watch=lambda done, total: line.write(f"{done:,} of {total:,} tasks"),
        )
    except BuildStopped:
        print("what was finished is kept; the same command goes on with it", file=sys.stderr)
        raise
    finally:
        line.clear()
    if json:
        print_json({"file": str(path), **truth_facts(found)})
    else:
        print(f"{path}: {len(found):,} positions")
        print(truth_table(found))


@app.command("show")
def show(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="A truth set (default: the package's).")] = None,
    board: BoardName = None,
    json: JsonOption = False,
) -> None:
    """Tell what is in a truth set: positions by ply, how many are won, how many critical."""
    found = read_set(file, board)
    if json:
        print_json(truth_facts(found))
    else:
        print(truth_table(found))


def read_set(file: Path | None, board: str | None) -> list[TruePosition]:
    """A truth set from a file, or the one of the package."""
    from knightfall.lab.truth import truth_set

    return truth_set(file, board)


def truth_facts(found: list[TruePosition]) -> dict[str, Any]:
    """A summary for programs."""
    return {
        "board": str(found[0].position.geometry),
        "positions": len(found),
        "won": sum(entry.is_won for entry in found),
        "critical": sum(entry.is_critical for entry in found),
        "kinds": dict(Counter(entry.kind for entry in found)),
    }


def truth_table(found: list[TruePosition]) -> str:
    """A summary for people."""
    lines = [f"{'plies':>7} {'positions':>10} {'won':>7} {'critical':>9}"]
    stages: dict[int, list[TruePosition]] = {}
    for entry in found:
        stages.setdefault(entry.position.ply // _STEP * _STEP, []).append(entry)
    for ply, entries in [*sorted(stages.items()), (-1, found)]:
        name = "all" if ply < 0 else f"{ply}-{ply + _STEP - 1}"
        won = sum(entry.is_won for entry in entries) / len(entries)
        critical = sum(entry.is_critical for entry in entries)
        lines.append(f"{name:>7} {len(entries):>10,} {won:>7.1%} {critical:>9,}")
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in Counter(entry.kind for entry in found).most_common())
    return "\n".join([*lines, kinds])
