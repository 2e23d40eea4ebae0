"""The faults section: games lost for another reason than having no move, and pairs that could not be played."""

from __future__ import annotations

from collections.abc import Sequence

from knightfall.arena.results import Results
from knightfall.reporting.document import Block, Section, Table, Text
from knightfall.reporting.formatting import plural

_MOST_LEFT_OUT = 10


def fault_section(many: Sequence[Results]) -> Section:
    """Return the section with games lost by faults, and pairs that could not be played."""
    faults = [
        (name, reason, f"{count:,}", results.fault_messages[name, reason], str(results.experiment.id))
        for results in many
        for (name, reason), count in sorted(results.faults.items())
    ]
    left_out = [(results, pair) for results in many for pair in results.left_out]
    blocks: list[Block] = []
    if faults:
        text = (
            "A player that crashes, takes too long or makes an illegal move loses the game; it counts like any other."
        )
        columns = ("player", "reason", "games", "first message", "experiment")
        blocks += [Text(text), Table("Games lost by a fault", columns, tuple(faults), frozenset({2, 4}))]
    if left_out:
        text = f"{plural(len(left_out), 'pair')} could not be played; the figures of this report are without."
        rows = tuple(
            (
                f"{results.experiment.id}/{pair.number}",
                pair.matchup.candidate,
                pair.matchup.opponent,
                pair.opening,
                pair.note,
            )
            for results, pair in left_out[:_MOST_LEFT_OUT]
        )
        if len(left_out) > _MOST_LEFT_OUT:
            text += f" The first {_MOST_LEFT_OUT}:"
        columns = ("pair", "candidate", "opponent", "opening", "why")
        blocks += [Text(text), Table("Pairs left out", columns, rows)]
    if not blocks:
        blocks.append(Text("None: no game ended by a fault, and no pair was left out."))
    return Section("faults", "Faults", tuple(blocks))
