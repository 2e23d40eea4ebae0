"""The work of `knightfall truth`: sets of positions with the exact value of every move."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from knightfall.cli.common import fitted_table, prose
from knightfall.cli.json_output import print_json
from knightfall.cli.live import LiveLine
from knightfall.cli.options import DEFAULT_BOARD
from knightfall.cli.run.outputs import check_outputs
from knightfall.lab.truth.building import BuildStopped, build_truth
from knightfall.lab.truth.sets import TruePosition, TruthError, TruthJob, default_most_empty, truth_set
from knightfall.rules import Geometry, KnightfallError
from knightfall.rules.formatting import plural

_STEP = 4  # plies per row of the table

HALVES = ("judging", "tuning", "all")


def build(
    positions: int,
    output: Path | None,
    board: str | None,
    empty: int | None,
    seed: int,
    workers: int | None,
    cluster: str | None,
    json: bool,
) -> None:
    """Run `knightfall truth build`."""
    geometry = Geometry.parse(DEFAULT_BOARD if board is None else board)
    path = output or Path(f"truth_{geometry}.txt.gz")
    check_outputs(path)
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
        print("completed tasks are saved; the same command continues", file=sys.stderr)
        raise
    finally:
        line.clear()
    if json:
        print_json("truth", {"file": str(path), **truth_facts(found)})
    else:
        print(f"{plural(len(found), 'position')} written to {path}")
        print(truth_table(found))


def show(file: Path | None, board: str | None, json: bool) -> None:
    """Run `knightfall truth show`."""
    found = read_set(file, board)
    if json:
        print_json("truth", truth_facts(found))
    else:
        print(truth_table(found))


def list_positions(
    file: Path | None, board: str | None, half: str, plies: str | None, critical: bool, winning: int | None, json: bool
) -> None:
    """Run `knightfall truth list`."""
    found = select(read_set(file, board), half, plies)
    if critical:
        found = [entry for entry in found if entry.is_critical]
    if winning is not None:
        found = [entry for entry in found if 0 < len(entry.winning) <= winning]
    if not found:
        raise TruthError("there is no such position in the set")
    if json:
        print_json("truth-positions", {"positions": [position_facts(entry) for entry in found]})
    else:
        print("\n".join(entry.position.fen() for entry in found))


def select(truths: list[TruePosition], half: str, plies: str | None) -> list[TruePosition]:
    """Return the positions of one half and one range of plies."""
    if half not in HALVES:
        raise KnightfallError(f"--half: one of {', '.join(HALVES)} is expected, not {half!r}")
    if half != "all":
        truths = [entry for entry in truths if entry.is_for_tuning == (half == "tuning")]
    if plies is not None:
        low, dash, high = plies.partition("-")
        if not (low.isdigit() and (high.isdigit() or not dash)):
            raise KnightfallError(f"--plies: a range is expected, as in 10-20, not {plies!r}")
        truths = [entry for entry in truths if int(low) <= entry.position.ply <= int(high or low)]
    return truths


def position_facts(entry: TruePosition) -> dict[str, Any]:
    """Return one position as JSON data."""
    label = entry.position.geometry.label
    return {
        "fen": entry.position.fen(),
        "kind": entry.kind,
        "winning": [label(square) for square in sorted(entry.winning)],
        "distances": {label(square): plies for square, plies in sorted(entry.distances.items())},
    }


def read_set(file: Path | None, board: str | None) -> list[TruePosition]:
    """Return a truth set from a file, or the shipped one."""
    return truth_set(file, board)


def truth_facts(found: list[TruePosition]) -> dict[str, Any]:
    """Return a summary as JSON data."""
    return {
        "board": str(found[0].position.geometry),
        "positions": len(found),
        "won": sum(entry.is_won for entry in found),
        "critical": sum(entry.is_critical for entry in found),
        "kinds": dict(Counter(entry.kind for entry in found)),
    }


def truth_table(found: list[TruePosition]) -> str:
    """Return a summary as a table."""
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
    return "\n".join([fitted_table("\n".join(lines)), prose(kinds)])
