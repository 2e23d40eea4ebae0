"""The work of `knightfall accuracy`: how often heuristics are right, by exact truth."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Any

import typer

from knightfall.arena.export import interval_facts
from knightfall.arena.formatting import percent_interval
from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.loader import expand, load
from knightfall.catalogue.registry import heuristics as catalogue
from knightfall.cli.common import fitted_table, prose, warnings_as_lines
from knightfall.cli.json_output import print_json
from knightfall.cli.live import LiveLine
from knightfall.cli.run.board import draw
from knightfall.cli.run.consent import consent
from knightfall.cli.run.rank import ranking_facts, ranking_text, read_comparable
from knightfall.cli.run.scores import labels
from knightfall.cli.run.truth import read_set, select
from knightfall.cli.width import text_width
from knightfall.lab.truth.accuracy import Accuracy, Blunder, Grader, chance
from knightfall.lab.truth.rank import Comparable, Ranking, rank, rank_together
from knightfall.rules import Geometry, KnightfallError
from knightfall.rules.formatting import plural

_MOST_DEPTH = 12


def accuracy(
    heuristics: list[str] | None,
    board: str | None,
    truth: Path | None,
    half: str,
    plies: str | None,
    depths: str,
    by_ply: bool,
    worst: int | None,
    rank_of: list[int] | None,
    db: Path,
    run_files: bool,
    ascii: bool,
    json: bool,
) -> None:
    """Run `knightfall accuracy`."""
    failures: dict[str, KnightfallError] = {}
    levels = _read_depths(depths)
    with warnings_as_lines(), consent(run_files):
        line = LiveLine()
        ranked: list[Comparable] = []
        if rank_of:
            line.write("reading the ledger")
            ranked = _read_ranked(rank_of, db, heuristics, board)
            board = ranked[0].results.plan.board
            chosen = list(dict.fromkeys(member.heuristic for each in ranked for member in each.members))
        else:
            chosen = _loaded(expand(heuristics or catalogue), failures)
        line.write("reading the truth set")
        truths = select(read_set(truth, board), half, plies)
        grader = Grader(truths)
        shown = worst if worst is not None else 3 if len(chosen) == 1 else 0
        graded: list[tuple[Heuristic, Accuracy]] = []
        for number, heuristic in enumerate(chosen, start=1):
            line.write(f"{number} of {len(chosen)}: {heuristic.text}")
            try:
                graded.append((heuristic, grader.measure(heuristic, levels, shown)))
            except KnightfallError as error:
                failures[heuristic.text] = error
        line.clear()
    if not graded:
        raise next(iter(failures.values()))
    found = [entry for _, entry in graded]
    rankings = _rankings(ranked, dict(graded))
    if json:
        facts = {"positions": len(truths), "critical": len(grader.critical), "chance": round(chance(truths), 6)}
        told = {"rankings": [ranking_facts(each) for each in rankings]} if rankings else {}
        failed = [{"heuristic": text, "message": str(error)} for text, error in failures.items()]
        told = {**told, "failed": failed} if failed else told
        print_json("accuracy", {**facts, "heuristics": [accuracy_facts(entry) for entry in found], **told})
        _complain(failures)
        return
    found.sort(key=lambda entry: -entry.kept[levels[0]].estimate)
    shown_table = fitted_table(accuracy_table(found, levels))
    print(shown_table)
    head = shown_table.split("\n")[0]
    print(accuracy_legend(chance(truths), len(grader.critical), len(truths), head))
    if "positions" not in head:
        print(prose(graded_positions(found, levels), indent=" " * 11))
    if by_ply:
        print()
        print(fitted_table(stages_table(found, levels[0])))
    for ranking in rankings:
        print()
        print(ranking_text(ranking))
    for entry in found:
        for blunder in entry.blunders:
            print()
            print(blunder_text(entry, blunder, ascii))
    _complain(failures)


def _loaded(texts: list[str], failures: dict[str, KnightfallError]) -> list[Heuristic]:
    """Return the heuristics that load. For the others, add the error to ``failures``."""
    found = []
    for text in texts:
        try:
            found.append(load(text))
        except KnightfallError as error:
            failures[text] = error
    return found


def _complain(failures: dict[str, KnightfallError]) -> None:
    """Print one line for each heuristic that was not graded, and exit with the code for bad input if there are any."""
    for error in failures.values():
        line = f"knightfall: {' '.join(str(error).split())}"
        print(prose(line, stream=sys.stderr), file=sys.stderr)
    if failures:
        raise typer.Exit(2)


def _read_ranked(numbers: list[int], db: Path, heuristics: list[str] | None, board: str | None) -> list[Comparable]:
    if heuristics:
        raise KnightfallError("--rank-of takes the heuristics from the experiment: name none beside it")
    found = read_comparable(db, numbers)
    played = found[0].results.plan.board
    if board is not None and str(Geometry.parse(board)) != played:
        raise KnightfallError(f"--board: experiment {numbers[0]} was played on {played}, not on {board}")
    return found


def _rankings(ranked: list[Comparable], graded: dict[Heuristic, Accuracy]) -> list[Ranking]:
    """Return one ranking per experiment, and for several experiments also one for all together."""
    found = [rank(each, graded) for each in ranked]
    return [*found, rank_together(ranked, graded)] if len(ranked) > 1 else found


def _read_depths(text: str) -> list[int]:
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        found = []
    if not found or not 0 <= found[0] <= found[-1] <= _MOST_DEPTH:
        raise KnightfallError(f"--depths: numbers from 0 to {_MOST_DEPTH} are expected, as in 0,2,4, not {text!r}")
    return found


def accuracy_table(found: list[Accuracy], levels: list[int]) -> str:
    """Return a table with one line per heuristic, best first, each with its number of graded positions."""
    side = max(9, *(len(entry.heuristic) for entry in found))
    counts = ["/".join(f"{entry.counts[depth]:,}" for depth in levels) for entry in found]
    room = max(9, *(len(count) for count in counts))
    head = "".join(f"  {f'depth {depth}':20}" for depth in levels)
    lines = [f"{'heuristic':{side}}{head}  {'positions':>{room}}  {'AUC':6} {'wrong':>6} {'valued':>7} {'ns':>9}"]
    for entry, count in zip(found, counts, strict=True):
        cells = "".join(f"  {percent_interval(entry.kept[depth]):20}" for depth in levels)
        cost = f"{entry.nanoseconds:>9,.1f}" + ("" if entry.compiled else " interpreted")
        told = f"{entry.auc.estimate:.3f}  {entry.confidently_wrong.estimate:>6.1%} {entry.valued:>7,}"
        lines.append(f"{entry.heuristic:{side}}{cells}  {count:>{room}}  {told} {cost}")
    return "\n".join(lines)


def graded_positions(found: list[Accuracy], levels: list[int]) -> str:
    """Return how many positions each heuristic was graded on, for terminals too narrow for that column."""
    names: dict[str, list[str]] = {}
    for entry in found:
        names.setdefault("/".join(f"{entry.counts[depth]:,}" for depth in levels), []).append(entry.heuristic)
    return "\n".join(f"positions  {counts} for {', '.join(which)}" for counts, which in names.items())


def accuracy_legend(by_chance: float, critical: int, positions: int, head: str) -> str:
    """Return the explanation of the columns, except those that a narrow terminal leaves out of the table."""
    meanings = {
        "positions": "critical positions in which a choice was graded, at each depth",
        "AUC": "chance that a won position is valued above a lost one; 0.5 is random",
        "wrong": "share of lost positions valued above the median won position",
        "valued": "won and lost positions that AUC and wrong are measured on",
        "ns": "nanoseconds per call",
    }
    first = f"chance {by_chance:.1%}: random moves in all {critical:,} critical positions of {positions:,}"
    lines = [first, *(f"{column:10} {meaning}" for column, meaning in meanings.items() if column in head)]
    return "\n".join(textwrap.fill(line, text_width(), subsequent_indent=" " * 11) for line in lines)


def stages_table(found: list[Accuracy], depth: int) -> str:
    """Return the table of accuracy by stage of the game."""
    side = max(9, *(len(entry.heuristic) for entry in found))
    stages = sorted({ply for entry in found for ply in entry.by_ply[depth]})
    lines = [f"{'by plies':{side}}" + "".join(f"{f'{ply}-':>7}" for ply in stages)]
    for entry in found:
        told = entry.by_ply[depth]
        cells = "".join(f"{told[ply].estimate:>7.0%}" if ply in told else f"{'':7}" for ply in stages)
        lines.append(f"{entry.heuristic:{side}}{cells}")
    return "\n".join(lines)


def blunder_text(entry: Accuracy, blunder: Blunder, ascii: bool) -> str:
    """Return the text about a position in which a heuristic gives the win away."""
    position = blunder.truth.position
    label = position.geometry.label
    winning = labels(position.geometry, sorted(blunder.truth.winning))
    marks = {**dict.fromkeys(blunder.truth.winning, "+"), blunder.chosen: "??"}
    return "\n".join(
        [
            prose(f"here {entry.heuristic} throws the win away: {position.fen()}"),
            draw(position, ascii, stream=sys.stdout, marks=marks),
            prose(
                f"it plays {label(blunder.chosen)}, which loses{_soon(blunder)}; {winning} would have won "
                f"(by its values {blunder.margin:g} less)"
            ),
        ]
    )


def _soon(blunder: Blunder) -> str:
    plies = blunder.truth.distances.get(blunder.chosen)
    return "" if plies is None else f" in {plural(plies, 'ply')}"


def accuracy_facts(entry: Accuracy) -> dict[str, Any]:
    """Return the accuracy of one heuristic as JSON data."""
    label = None
    worst = []
    for blunder in entry.blunders:
        label = blunder.truth.position.geometry.label
        worst.append(
            {
                "fen": blunder.truth.position.fen(),
                "plays": label(blunder.chosen),
                "winning": [label(square) for square in sorted(blunder.truth.winning)],
            }
        )
    return {
        "heuristic": entry.heuristic,
        "kept": {str(depth): interval_facts(interval) for depth, interval in entry.kept.items()},
        "positions": {str(depth): count for depth, count in entry.counts.items()},
        "valued_positions": entry.valued,
        "by_ply": {
            str(depth): {str(ply): interval_facts(interval) for ply, interval in stages.items()}
            for depth, stages in entry.by_ply.items()
        },
        "auc": interval_facts(entry.auc),
        "confidently_wrong": interval_facts(entry.confidently_wrong),
        "nanoseconds": round(entry.nanoseconds, 2),
        "compiled": entry.compiled,
        "worst": worst,
    }
