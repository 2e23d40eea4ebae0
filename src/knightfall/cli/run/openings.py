"""`knightfall solve --openings`: the winner after every pair of placements."""

from __future__ import annotations

import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knightfall.cli.common import prose
from knightfall.cli.json_output import print_json
from knightfall.cli.live import Ticker
from knightfall.cli.run.outputs import check_outputs, write_file
from knightfall.cli.run.scores import side
from knightfall.native.solve.openings import Openings, Pair, openings_of, solve_openings
from knightfall.native.solve.solver import Solver
from knightfall.rules import Geometry, KnightfallError
from knightfall.rules.formatting import plural
from knightfall.rules.heat import draw_heat

_WIDTH = 80  # without a terminal
_GAP = 4


def tell_openings(geometry: Geometry, svg: Path | None, recompute: bool, memory: int | None, json: bool) -> None:
    """Print the openings of a board, and write their picture if ``svg`` is set."""
    if geometry.size < 2:
        raise KnightfallError(f"there is no opening on a {geometry} board: it has no room for two knights")
    check_outputs(svg)
    began = time.perf_counter()
    shipped = None if recompute else openings_of(geometry)
    known = shipped or _solved(geometry, memory)
    seconds = time.perf_counter() - began
    if svg is not None:
        counts = {first: len(known.winning_replies(first)) for first in range(geometry.size)}
        write_file(svg, draw_heat(geometry, counts, f"{geometry}: second placements that win"))
    if json:
        source = "search" if shipped is None else "package"
        print_json("openings", {**openings_facts(known), "source": source, "seconds": round(seconds, 6)})
        return
    for line in openings_lines(known):
        print(prose(line))
    print(
        "these values come with the package; --recompute proves them anew" if shipped else f"solved in {seconds:.3f} s"
    )
    if svg is not None:
        print(f"picture written to {svg}")


@dataclass
class _Count:
    """The progress of solving all pairs."""

    done: int = 0
    total: int = 0
    nodes: int = 0


def _solved(geometry: Geometry, memory: int | None) -> Openings:
    solver = Solver(geometry, memory)
    count = _Count()

    def progress(done: int, total: int) -> None:
        count.done, count.total = done, total
        count.nodes += solver.spent

    began = time.perf_counter()
    try:
        with Ticker(lambda: _words(solver, count, time.perf_counter() - began)):
            return solve_openings(geometry, solver, progress)
    except KeyboardInterrupt:
        print(f"stopped: {count.done} of {plural(count.total, 'pair')} were solved", file=sys.stderr)
        raise


def _words(solver: Solver, count: _Count, seconds: float) -> str:
    state = solver.state()
    nodes = count.nodes + state.nodes
    pairs = f"{count.done} of {plural(count.total, 'pair')}, " if count.total else ""
    return (
        f"{pairs}{plural(nodes, 'node')}, {nodes / seconds:,.0f} nodes/s, table {state.fill:.0%} full, {seconds:.1f} s"
    )


def follows_colour_rule(known: Openings, pair: Pair) -> bool:
    """Return whether the attacker wins.

    The attacker is the first player, who is to move, if both knights stand on the same colour.
    """
    colour = known.geometry.colour
    return known.first_wins[pair] == (colour(pair[0]) == colour(pair[1]))


def first_squares(known: Openings) -> list[int]:
    """Return the first squares, one per symmetry class."""
    return sorted({first for first, _ in known.inequivalent()})


def openings_facts(known: Openings) -> dict[str, Any]:
    """Return all openings as JSON data."""
    geometry = known.geometry
    label = geometry.label
    classes = known.inequivalent()
    exceptions = [pair for pair in classes if not follows_colour_rule(known, pair)]
    rows = []
    for first in first_squares(known):
        winning = known.winning_replies(first)
        losing = [s for s in range(geometry.size) if s != first and s not in winning]
        rows.append(
            {
                "first": label(first),
                "winning_replies": [label(square) for square in winning],
                "losing_replies": [label(square) for square in losing],
            }
        )
    return {
        "board": str(geometry),
        "winner": known.winner,
        "pairs": len(known.first_wins),
        "inequivalent_pairs": len(classes),
        "follow_colour_rule": len(classes) - len(exceptions),
        "exceptions": [
            {"first": label(a), "second": label(b), "winner": 1 if known.first_wins[a, b] else 2} for a, b in exceptions
        ],
        "first_squares": rows,
    }


def openings_lines(known: Openings) -> list[str]:
    """Return all openings as text: a small board per first square, then the totals."""
    geometry = known.geometry
    classes = known.inequivalent()
    exceptions = [pair for pair in classes if not follows_colour_rule(known, pair)]
    lines = [
        f"{geometry}: for each square of the first knight, where to place the second; then first moves",
        "N first knight   + second wins   . first wins   ! second and x first wins against the colour rule",
        "",
        *_side_by_side([_little_board(known, first) for first in first_squares(known)]),
        f"{side(known.winner)} wins with free placement: "
        + (
            "every first square has a reply that wins"
            if known.winner == 2
            else "some first square has no reply that wins"
        ),
        f"{plural(len(known.first_wins), 'pair')} of placements, {len(classes):,} up to symmetry; the colour rule (the "
        f"attacker wins) holds for {len(classes) - len(exceptions):,} of these",
    ]
    for winner in (1, 2):
        found = [pair for pair in exceptions if known.first_wins[pair] == (winner == 1)]
        if found:
            told = " ".join(f"{geometry.label(a)}-{geometry.label(b)}" for a, b in found)
            lines.append(f"exceptions that {side(winner)} wins: {told}")
    return lines


def _little_board(known: Openings, first: int) -> list[str]:
    """Return a header and the rows of a board."""
    geometry = known.geometry
    replies = known.winning_replies(first)

    def character(square: int) -> str:
        if square == first:
            return "N"
        usual = follows_colour_rule(known, (first, square))
        if known.first_wins[first, square]:
            return "." if usual else "x"
        return "+" if usual else "!"

    head = f"{geometry.label(first)}: {len(replies)} of {geometry.size - 1} win"
    margin = len(str(geometry.height))
    rows = [
        f"{geometry.height - row:{margin}} "
        + " ".join(character(geometry.square(row, column)) for column in range(geometry.width))
        for row in range(geometry.height)
    ]
    names = " " * (margin + 1) + " ".join(geometry.column_label(column) for column in range(geometry.width))
    return [head, *rows, names]


def _side_by_side(boards: list[list[str]]) -> list[str]:
    """Return the lines of the small boards, with as many side by side as fit."""
    wide = max(len(line) for board in boards for line in board)
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH
    count = max(1, (columns + _GAP) // (wide + _GAP))
    lines = []
    for at in range(0, len(boards), count):
        for parts in zip(*boards[at : at + count], strict=True):
            lines.append((" " * _GAP).join(f"{part:{wide}}" for part in parts).rstrip())
        lines.append("")
    return lines
