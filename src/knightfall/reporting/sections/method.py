"""The method in plain words, and all data needed to repeat the experiments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knightfall.agents.budget import DEFAULT_NODES
from knightfall.arena.results import Results
from knightfall.reporting.document import Block, Commands, Fold, Points, Section, Table, Text


def method(many: Sequence[Results], *, is_replication: bool = False) -> Section:
    """Return the section on the method, for readers without knowledge of statistics."""
    plans = [results.plan for results in many]
    sequential = any(plan.sprt is not None for plan in plans)
    fixed = any(plan.sprt is None for plan in plans)
    points = [
        "Two knights, each square used once; whoever cannot move loses. There is no draw.",
        "Games are played in pairs: the same opening twice, with sides swapped, so that nobody profits from an "
        "opening that suits one side. A pair is lost twice (LL), split (WL) or won twice (WW). Pairs are counted, "
        "not games, as the two games of a pair are not independent of each other.",
        f"Openings: {_openings(many)}. All matches of an experiment have the same ones.",
    ]
    if fixed:
        points += [
            "An interval of 95% is made by a rule that, used again and again, gives an interval with the true value "
            "in it 95 times of 100. Over a panel all pairs from one opening count as one observation, since an "
            "opening that is easy against one opponent is easy against most.",
            "A candidate and the baseline are compared opponent by opponent and opening by opening: the luck of the "
            "draw is the same for both and falls out. Where several candidates are compared, intervals are widened "
            "(Holm) so that all verdicts together are wrong no more often than one alone may be, 5 times of 100.",
            "Not distinguishable means that these games do not show a difference. It does not mean that there is none.",
        ]
    if sequential:
        points.append(
            "A sequential test looks at the pairs in the order of the schedule and stops as soon as they have said "
            "enough. It tells which of two Elo differences is the better account, with fixed error rates; intervals "
            "that suppose a sample of fixed size would be wrong for it, so none is shown."
        )
    if any(not plan.budget.is_repeatable for plan in plans):
        points.append("The budget is a time: games would not come out the same again, least of all elsewhere.")
    else:
        points.append("The budget does not depend on the machine: the same command plays the same games again.")
    if is_replication:
        points.append(
            "Everything is played at two budgets. Equal nodes: every function searches as many positions. Equal "
            "cost: a function that takes longer to compute in plain Python searches fewer, as it did under the clock "
            "of the published analyses. Sweeps over a parameter have a fifth of the pairs: they look for a curve, "
            "not for a verdict."
        )
        points.append(
            "A claim that one function beats others holds when the corrected interval of the paired difference to "
            "every one of them lies above zero; it does not hold when one lies below; otherwise it is undecided. "
            "About as good: within five points. A claim of several parts holds when all of them do."
        )
    return Section("method", "How it was measured", (Points(tuple(points)),))


def _openings(many: Sequence[Results]) -> str:
    told = [f"{len(results.plan.openings):,}, {results.plan.drawn}" for results in many]
    kinds = list(dict.fromkeys(told))
    return kinds[0] if len(kinds) == 1 else "; ".join(kinds[:4])


def origin(many: Sequence[Results], report_command: str) -> Section:
    """Return the section with commands, versions, seeds and machine."""
    commands = [results.experiment.command for results in many if results.experiment.command]
    told = tuple(dict.fromkeys([*commands, report_command]))
    blocks: list[Block] = []
    if not commands:
        blocks.append(Text("It was played from a Python program, which the ledger does not know."))
    blocks += [Text("", "The commands that made it."), Commands(told), _versions(many)]
    table = _experiments(many)
    if len(many) == 1:
        rows = tuple(zip(table.columns, table.rows[0], strict=True))
        blocks.append(Table("Experiment and seed", ("what", "value"), rows, wide=True))
    else:
        blocks.append(Fold(f"All {len(many)} experiments", (table,)))
    players = _players(many)
    if players is not None:
        blocks.append(Fold("What the players' names stand for", (players,)))
    return Section("origin", "To do it again", tuple(blocks))


def _versions(many: Sequence[Results]) -> Table:
    rows: dict[tuple[str, str], list[str]] = {}
    for results in many:
        for what, value in _facts(results.experiment.code, results.experiment.machine):
            rows.setdefault((what, value), []).append(str(results.experiment.id))
    whole = len(many)
    shown = [
        (what, value if len(ids) == whole else f"{value} (experiments {', '.join(ids)})")
        for (what, value), ids in rows.items()
    ]
    return Table("Versions, sources and machine", ("what", "value"), tuple(shown), wide=True)


def _facts(code: dict[str, Any], machine: dict[str, Any]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = [
        (name, str(code[name])) for name in ("knightfall", "python", "numba", "numpy") if name in code
    ]
    found.append(("hash of the sources that decide moves", str(code.get("sources", "?"))))
    found += [(f"heuristic {name}", str(digest)) for name, digest in code.get("heuristics", {}).items()]
    cores = machine.get("cores", "?")
    told = f"{machine.get('processor', '?')}, {cores} cores, {machine.get('system', '?')} {machine.get('release', '')}"
    return [*found, ("machine", told.strip())]


def _experiments(many: Sequence[Results]) -> Table:
    rows = []
    for results in many:
        experiment = results.experiment
        rows.append(
            (
                f"{experiment.id}{f' ({experiment.name})' if experiment.name else ''}",
                str(experiment.seed),
                results.plan.board,
                ", ".join(results.plan.budget.settings()) or f"nodes={DEFAULT_NODES} (none was named)",
                f"{results.pairs_done:,}",
                f"{results.games_played:,}",
                str(experiment.configuration.get("openings_key", "")),
                results.moves_hash[:16],
                _moment(experiment.begun),
                "not finished" if experiment.ended is None else _moment(experiment.ended),
            )
        )
    columns = (
        "experiment",
        "seed",
        "board",
        "budget",
        "pairs",
        "games",
        "hash of the openings",
        "hash of all moves",
        "begun (UTC)",
        "ended (UTC)",
    )
    return Table("Experiments and seeds", columns, tuple(rows), frozenset({1, 4, 5}))


def _moment(told: str) -> str:
    """Return a time without the parts that are the same in all of them.

    >>> _moment("2026-11-16T07:24:59+00:00")
    '2026-11-16 07:24:59'
    """
    return told.removesuffix("+00:00").replace("T", " ")


def _players(many: Sequence[Results]) -> Table | None:
    found: dict[str, str] = {}
    for results in many:
        found |= {name: results.plan.identity(name) for name in results.plan.names}
    rows = tuple((name, identity) for name, identity in found.items() if name != identity)
    return Table("Players", ("name", "agent"), rows, wide=True) if rows else None
