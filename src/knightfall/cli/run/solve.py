"""The work of `knightfall solve`: the exact value of a position, or of every opening of a board."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Any

from knightfall.cli.common import prose
from knightfall.cli.json_output import print_json
from knightfall.cli.layout import Page
from knightfall.cli.live import Ticker
from knightfall.cli.options import DEFAULT_BOARD
from knightfall.cli.run.board import draw
from knightfall.cli.run.inputs import read_given_position
from knightfall.cli.run.openings import tell_openings
from knightfall.cli.run.scores import side
from knightfall.native.background import interruptible
from knightfall.native.solve.large_memory import free_memory
from knightfall.native.solve.solution import Interrupted, Progress, Solution
from knightfall.native.solve.solver import Solver, load_code
from knightfall.rules import Geometry, KnightfallError, Position
from knightfall.rules.formatting import plural
from knightfall.rules.theory import mirror_verdict

MEGABYTE = 2**20
MOST_MS = 1e9
WIDTH = 100  # of lists of moves


def solve(
    position_text: str | None,
    fen: str | None,
    board: str | None,
    distance: bool,
    openings: bool,
    svg: Path | None,
    recompute: bool,
    ms: float | None,
    nodes: int | None,
    memory: int | None,
    threads: int,
    no_theory: bool,
    ascii: bool,
    json: bool,
) -> None:
    """Run `knightfall solve`."""
    if ms is not None and not 0 < ms <= MOST_MS:
        raise KnightfallError(f"--ms: a number of milliseconds above 0, up to {MOST_MS:,.0f}, is expected, not {ms:g}")
    if openings:
        given = {"a position": position_text or fen, "--distance": distance, "--ms": ms, "--nodes": nodes}
        given |= {"--threads": threads > 1, "--no-theory": no_theory}
        for name, value in given.items():
            if value:
                raise KnightfallError(f"--openings goes without {name}: it solves every opening of a board in full")
        tell_openings(Geometry.parse(DEFAULT_BOARD if board is None else board), svg, recompute, _bytes(memory), json)
        return
    for name, wanted in (("--svg", svg is not None), ("--recompute", recompute)):
        if wanted:
            raise KnightfallError(f"{name} goes with --openings only")
    position = read_given_position(position_text, fen, board)
    made = make_solver(position.geometry, _bytes(memory), threads)
    interruptible(lambda: _load(position, distance, not no_theory))
    solution, interrupted = _solve(made, position, distance, ms, nodes, not no_theory)
    if json:
        print_json("solution", {**solution_facts(solution), "interrupted": interrupted})
    else:
        print(draw(position, ascii, marks=_marks(solution)))
        page = Page.of(sys.stdout)
        for line in solution_words(solution, distance, interrupted, WIDTH if page is None else page.width):
            print(prose(line))
    sys.stdout.flush()
    if interrupted:
        raise KeyboardInterrupt


def _bytes(memory: int | None) -> int | None:
    """Return the number of bytes that `--memory` allows.

    Raise an error if this is more than the free memory.
    """
    if memory is None:
        return None
    free = free_memory() // MEGABYTE
    if memory > free:
        raise KnightfallError(f"--memory: {memory:,} megabytes are more than the {free:,} that are free")
    return memory * MEGABYTE


def make_solver(geometry: Geometry, memory: int | None, threads: int = 1) -> Solver:
    """Return a solver. Raise an error if there is not enough memory."""
    return Solver(geometry, memory, threads)


def _load(position: Position, distance: bool, theory: bool) -> None:
    """Load or compile the solver before its time is measured, if it will be needed."""
    is_decided = theory and mirror_verdict(position) is False and not distance
    if not position.is_over and not is_decided:
        load_code(position.geometry)


def _solve(
    solver: Solver, position: Position, distance: bool, ms: float | None, nodes: int | None, theory: bool
) -> tuple[Solution, bool]:
    """Return the solution so far, and whether Ctrl-C ended the search."""
    try:
        with Ticker(lambda: progress_words(solver.state())):
            return solver.solve(position, distance=distance, ms=ms, nodes=nodes, theory=theory), False
    except Interrupted as stopped:
        return stopped.solution, True


def progress_words(state: Progress) -> str:
    """Return the progress of a solver in one short line."""
    rate = state.nodes / state.seconds if state.seconds > 0 else 0.0
    return (
        f"{state.done} of {plural(state.moves, 'move')}, {plural(state.nodes, 'node')}, {rate:,.0f} nodes/s, "
        f"table {state.fill:.0%} full, {state.seconds:.1f} s"
    )


def solution_facts(solution: Solution) -> dict[str, Any]:
    """Return a solution as JSON data."""
    position = solution.position
    label = position.geometry.label
    return {
        "fen": position.fen(),
        "board": str(position.geometry),
        "to_move": position.to_move,
        "winner": solution.winner,
        "reason": _reason(solution),
        "complete": solution.is_complete,
        "distance": solution.distance,
        "winning_moves": [label(square) for square in solution.winning_moves],
        "moves": [
            {"move": label(square), "wins": wins, "distance": solution.distances.get(square)}
            for square, wins in solution.moves.items()
        ],
        "nodes": solution.nodes,
        "seconds": round(solution.seconds, 6),
        "nodes_per_second": round(_rate(solution)),
    }


def _reason(solution: Solution) -> str | None:
    """Return how the winner is known, or None if there is no known winner."""
    if solution.winner is None:
        return None
    return "over" if solution.position.is_over else solution.reason


def _rate(solution: Solution) -> float:
    return solution.nodes / solution.seconds if solution.seconds > 0 else 0.0


def _marks(solution: Solution) -> dict[int, str]:
    """Return the signs on the board: + or -, with the distance if it is known, or ?."""
    if len(solution.moves) > 8 and len(set(solution.moves.values())) == 1:
        return {}  # the same sign on every square would not help
    marks = {}
    for square, wins in solution.moves.items():
        sign = "?" if wins is None else "+" if wins else "-"
        marks[square] = f"{sign}{solution.distances.get(square, '')}"
    return marks


def solution_words(solution: Solution, distance: bool, interrupted: bool, width: int = WIDTH) -> list[str]:
    """Return the lines about the winner, the moves by result, and the cost."""
    position = solution.position
    if position.winner is not None:
        return [f"the game is over: {side(position.winner)} has won, {side(3 - position.winner)} cannot move"]
    lines = [_headline(solution, "when it was stopped" if interrupted else "within the budget")]
    if distance and None in position.locations:
        lines.append("moves to the end are counted where both knights are placed")
    elif distance and solution.winner is not None and solution.distance is None:
        lines.append("how many moves it takes was not found " + ("in time" if interrupted else "within the budget"))
    for sign, verb, value in (("+", "win", True), ("-", "lose", False), ("?", "not decided", None)):
        squares = [square for square, wins in solution.moves.items() if wins is value]
        if squares:
            lines += _row(solution, sign, verb, squares, width)
    rate = f", {_rate(solution):,.0f} nodes/s" if solution.nodes else ""
    return [*lines, f"{plural(solution.nodes, 'node')}, {solution.seconds:.3f} s{rate}"]


def _headline(solution: Solution, when: str) -> str:
    mover = solution.position.to_move
    if solution.winner is None:
        known = sum(wins is not None for wins in solution.moves.values())
        return f"who wins was not decided {when}; {known} of {plural(len(solution.moves), 'move')} known"
    winner = side(solution.winner)
    soon = ""
    if solution.distance is not None:
        soon = f" in {plural(solution.distance, 'move')}"
    elif solution.distances:
        lengths = solution.distances.values()
        soon = (
            f" in at most {plural(min(lengths), 'move')}"
            if solution.winner == mover
            else f" in at least {plural(max(lengths), 'move')}"
        )
    if solution.reason == "mirror":
        return f"{winner} wins{soon} by the mirror argument: it answers every move with its image under a half turn"
    whatever = "" if solution.winner == mover else f", whatever {side(mover)} plays"
    return f"{winner} wins{soon}{whatever}: found by search"


def _row(solution: Solution, sign: str, verb: str, squares: list[int], width: int) -> list[str]:
    """Return the moves of one kind, the quickest wins or the longest resistance first."""
    geometry = solution.position.geometry
    lengths = solution.distances
    if len(squares) == len(solution.moves) > 8 and not lengths:
        return [f"{sign} all {len(squares)} {verb}"]
    turn = -1 if sign == "-" else 1
    order = sorted(squares, key=lambda square: (square not in lengths, turn * lengths.get(square, 0), square))
    told = [geometry.label(s) + (f" in {lengths[s]}" if s in lengths else "") for s in order]
    head = f"{sign} {len(squares)} of {len(solution.moves)} {verb}: "
    return textwrap.wrap(head + ", ".join(told), width, subsequent_indent=" " * len(head))
