"""The sections of one tournament, in order."""

from __future__ import annotations

from collections.abc import Callable

from knightfall.arena.results import Results
from knightfall.reporting.document import Section
from knightfall.reporting.recommend import Recommendation, recommend
from knightfall.reporting.sections.accuracy import tournament_accuracy
from knightfall.reporting.sections.attackers import attacker_rows, attackers
from knightfall.reporting.sections.effort import effort_section
from knightfall.reporting.sections.endings import ending_section
from knightfall.reporting.sections.faults import fault_section
from knightfall.reporting.sections.games import game_section
from knightfall.reporting.sections.matches import matches
from knightfall.reporting.sections.ratings import ratings_section
from knightfall.reporting.sections.standings import ratio_section, standings
from knightfall.reporting.sections.summary import summary
from knightfall.reporting.sections.verdicts import verdicts


def tournament_sections(results: Results, db: str, say: Callable[[str], None]) -> tuple[list[Section], Recommendation]:
    """Return all sections except method, origin and recommendation, and the recommendation itself.

    The missing sections are added at the end of the whole report.
    """
    found = recommend(results)
    sections = [
        summary(results, found),
        standings(results),
        ratio_section(results),
        matches(results),
        verdicts(results),
        ratings_section(results),
        tournament_accuracy(results, say),
        attackers(attacker_rows(results), ("",), results.plan.sprt is not None),
        ending_section(results),
        effort_section(results),
        fault_section([results]),
        game_section([results], [found.favourite], db),
    ]
    return [section for section in sections if section is not None], found
