"""`knightfall accuracy --rank-of`: ranks by games won and by accuracy side by side, for people and for programs."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from knightfall.arena.export import interval_facts
from knightfall.arena.results import Results
from knightfall.cli.common import prose
from knightfall.cli.layout import Page, fit_table
from knightfall.cli.run.experiments import open_ledger
from knightfall.lab.truth.rank import Comparable, RankError, Ranking, check, comparable

_WIDTH = 100


def read_comparable(db: Path, numbers: Sequence[int]) -> list[Comparable]:
    """Return the experiments of a ledger whose candidates are to be ranked.

    Raise an error if they cannot be ranked.
    """
    with open_ledger(db) as ledger:
        # Find all experiments first, because reading each of them may take a while.
        chosen = [ledger.experiment(number) for number in dict.fromkeys(numbers)]
        boards = {str(experiment.configuration["board"]): experiment.id for experiment in chosen}
        if len(boards) > 1:
            told = ", ".join(f"{number} on {board}" for board, number in boards.items())
            raise RankError(f"--rank-of: experiments on one board are expected: {told}")
        found = []
        for experiment in chosen:
            # The pairs contain the scores. The games are not needed, and there may be many.
            results = Results(experiment, ledger.plan(experiment), ledger.pairs(experiment.id), [])
            found.append(comparable(results))
            check(found[-1])
    return found


def ranking_text(found: Ranking) -> str:
    """Return the ranks side by side, and below them how well one predicts the other."""
    from knightfall.arena.formatting import number_interval

    page = Page.of(sys.stdout)
    side = max(9, *(len(place.heuristic) for place in found.places))
    whom = f", against {', '.join(found.against)}" if len(found.experiments) > 1 else ""
    head = textwrap.wrap(f"{found.title}, {found.budget}{whom}", _WIDTH if page is None else page.width)
    lines = [f"{'heuristic':{side}}  {'games won':>9}  rank" + "".join(f"  {name:>7}" for name in found.measures)]
    columns = [found.ranks, *(found.ranks_by(name) for name in found.measures)]
    for at, place in enumerate(found.places):
        cells = "".join(f"  {column[at]:>7g}" for column in columns[1:])
        lines.append(f"{place.heuristic:{side}}  {place.score:>9.1%}  {columns[0][at]:>4g}{cells}")
    if page is not None:
        lines = fit_table(page, "\n".join(lines))
    lines = [*head, *lines]
    lines.append(prose("how well the rank by accuracy predicts the rank by games won (Spearman's rho, 95% interval)"))
    for name, rho in found.rho.items():
        told = "-" if rho is None else number_interval(rho)
        lines.append(f"{name:9} {told}")
    return "\n".join(lines + [prose(f"note: {note}") for note in (*found.missing, *found.notes)])


def ranking_facts(found: Ranking) -> dict[str, Any]:
    """Return the ranking as JSON data."""
    return {
        "experiments": list(found.experiments),
        "budget": found.budget,
        "against": list(found.against),
        "rho": {name: interval_facts(rho) for name, rho in found.rho.items()},
        "heuristics": [
            {
                "heuristic": place.heuristic,
                "candidate": place.candidate,
                "games_won": round(place.score, 6),
                "rank": rank,
                "accuracy": {name: round(value, 6) for name, value in place.measures.items()},
                "rank_by_accuracy": {name: found.ranks_by(name)[at] for name in found.measures},
            }
            for at, (place, rank) in enumerate(zip(found.places, found.ranks, strict=True))
        ],
        "notes": [*found.missing, *found.notes],
    }
