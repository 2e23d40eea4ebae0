"""The recommendation: which candidate to use and why, by report D's three criteria.

These are the overall win rate, the number of opponents with a losing record, and the result against the baseline
itself. The recommendation never goes beyond the verdicts: a candidate that cannot be distinguished from the baseline
is not recommended over it, even if its win rate is much higher.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knightfall.arena.formatting import percent_interval, range_of
from knightfall.arena.results import Results, Standing
from knightfall.arena.statistics.pairs import PairCounts
from knightfall.arena.verdicts import HEAD_TO_HEAD, OVER_THE_PANEL, UNDECIDED, Verdict, answer
from knightfall.reporting.formatting import listed, percent, plural, verdict_words

FEW_OPENINGS = 50


@dataclass(frozen=True)
class Criteria:
    """The three criteria of one candidate."""

    standing: Standing
    over: Verdict | None
    duel: PairCounts | None
    head: Verdict | None

    @property
    def name(self) -> str:
        """The candidate."""
        return self.standing.candidate


@dataclass(frozen=True)
class Recommendation:
    """The choice (None if the games do not decide), a headline, the reasons, and cautions."""

    choice: str | None
    headline: str
    reasons: tuple[str, ...]
    cautions: tuple[str, ...]
    criteria: tuple[Criteria, ...]
    favourite: str
    """The candidate with the best figures, significant or not."""


def recommend(results: Results) -> Recommendation:
    """Return the recommendation that the results of these games allow."""
    if results.plan.sprt is not None:
        return _after_a_test(results)
    criteria = tuple(
        Criteria(
            standing,
            results.verdict_on(standing.candidate, OVER_THE_PANEL),
            results.duel(standing.candidate),
            results.verdict_on(standing.candidate, HEAD_TO_HEAD),
        )
        for standing in results.standings
    )
    by_name = {found.name: found for found in criteria}
    order = sorted(criteria, key=_order)
    favourite = order[0]
    if len(criteria) == 1:
        headline = f"{favourite.name} was measured alone: there is nothing to choose from."
        choice, reasons = None, [_overall(results, favourite, criteria)]
    elif results.plan.baseline in by_name:
        choice, headline, reasons = _against_the_baseline(results, order, by_name[results.plan.baseline])
    else:
        choice, headline, reasons = _without_a_baseline(results, order)
    return Recommendation(
        choice, headline, tuple(reasons), tuple(_cautions(results, favourite)), criteria, favourite.name
    )


def _order(found: Criteria) -> tuple[float, int, float]:
    """Return the sort key, best first: by win rate, then by losing records, then by the result against the baseline."""
    met = 0.5 if found.duel is None else found.duel.score
    return -found.standing.estimate.mean, found.standing.losing_records, -met


def _main_verdict(results: Results, found: Criteria) -> Verdict | None:
    """Return the verdict that the choice is based on: over the panel if there is one, otherwise head to head."""
    return found.head if results.plan.is_round_robin else found.over


def _against_the_baseline(
    results: Results, order: Sequence[Criteria], baseline: Criteria
) -> tuple[str | None, str, list[str]]:
    better = [c for c in order if (v := _main_verdict(results, c)) is not None and v.word == "better"]
    worse = [c for c in order if (v := _main_verdict(results, c)) is not None and v.word == "worse"]
    open_ones = [c for c in order if c is not baseline and c not in better and c not in worse]
    name = baseline.name
    if better:
        best = better[0]
        equals, beaten = _rivals(results, best, [c for c in order if c not in (best, baseline)])
        if equals:
            headline = (
                f"Use {best.name}: it is better than {name}. But the games do not tell it from "
                f"{listed([verdict.baseline for verdict in equals], 'or')}."
            )
        else:
            headline = f"Use {best.name}: it is better than {name} and than every other candidate."
            if len(order) == 2:
                headline = f"Use {best.name}: it is better than {name}."
        reasons = [_overall(results, best, order), _records(results, best, baseline), _met(best, name)]
        reasons += _among(best, equals, beaten)
        return best.name, headline, [reason for reason in reasons if reason]
    first = order[0]
    if open_ones:
        looks = next((c for c in order if c is not baseline and c not in worse), None)
        headline = f"Stay with {name}: no candidate is shown to be better."
        reasons = [_overall(results, first, order)]
        if looks is not None:
            reasons += [_not_shown(results, looks, name), _records(results, looks, baseline), _met(looks, name)]
        if worse:
            reasons.append(f"Worse than {name}: {listed([c.name for c in worse])}.")
        return name, headline, [reason for reason in reasons if reason]
    headline = f"Stay with {name}: every candidate is worse."
    if len(worse) == 1:
        headline = f"Stay with {name}: {worse[0].name} is worse."
    reasons = [_overall(results, first, order)]
    for found in worse:
        verdict = _main_verdict(results, found)
        reasons.append(f"{found.name} is worse than {name}: {verdict_words(verdict)}." if verdict else "")
    return name, headline, [reason for reason in reasons if reason]


def _without_a_baseline(results: Results, order: Sequence[Criteria]) -> tuple[str | None, str, list[str]]:
    best = order[0]
    equals, beaten = _rivals(results, best, order[1:])
    reasons = [_overall(results, best, order), _records(results, best, None), *_among(best, equals, beaten)]
    if equals:
        others = listed([verdict.baseline for verdict in equals], "or")
        headline = f"{best.name} has won the largest share of its games, but the games do not tell it from {others}."
        return None, headline, reasons
    return best.name, f"Use {best.name}: it is better than every other candidate.", reasons


def _rivals(results: Results, best: Criteria, others: Sequence[Criteria]) -> tuple[list[Verdict], list[Verdict]]:
    """Return the verdicts on rivals that cannot be distinguished from the best, and on those that are worse than it.

    They are corrected for their number.
    """
    questions = []
    for other in others:
        if not results.plan.is_round_robin:
            questions.append(results.over_the_panel(best.name, other.name))
            continue
        for matchup in results.plan.matchups:
            if {matchup.candidate, matchup.opponent} == {best.name, other.name}:
                questions.append(results.head_to_head(matchup, best.name, other.name))
    verdicts = answer([question for question in questions if question.pairs])
    return [v for v in verdicts if v.word != "better"], [v for v in verdicts if v.word == "better"]


# --- the reasons


def _overall(results: Results, found: Criteria, order: Sequence[Criteria]) -> str:
    others = "others" if results.plan.is_round_robin else "panel"
    standing = found.standing
    place = "" if len(order) == 1 else ", the largest share" if found is order[0] else ""
    rate = percent_interval(standing.rate)
    words = f"Overall rate: {found.name} wins {rate} of its games against the {others}{place}"
    if found.over is not None:
        theirs = f"{found.over.baseline} wins {percent(found.over.rates[1])}"
        corrected = _corrected(found.over)
        words += f"; {theirs}, a difference of {verdict_words(found.over)}{corrected}"
    return f"{words}."


def _corrected(verdict: Verdict) -> str:
    return f" (corrected for {verdict.comparisons} comparisons)" if verdict.comparisons > 1 else ""


def _records(results: Results, found: Criteria, baseline: Criteria | None) -> str:
    def told(one: Criteria) -> str:
        names = results.standing(one.name).losing_to
        return "no opponent" if not names else f"{plural(len(names), 'opponent')} ({listed(names)})"

    words = f"Losing records: {found.name} lost more games than it won to {told(found)}"
    if baseline is not None and baseline is not found:
        words += f", {baseline.name} to {told(baseline)}"
    return f"{words}."


def _met(found: Criteria, baseline: str) -> str:
    if found.duel is None or found.head is None or not found.duel.pairs:
        return ""
    counts = found.duel
    said = {
        "better": "that is more than half, beyond chance",
        "worse": "that is less than half, beyond chance",
        UNDECIDED: "that is not distinguishable from half",
    }[found.head.word]
    return (
        f"Head to head: {found.name} won {counts.games_won} and lost {counts.games_lost} of its games against "
        f"{baseline}, {verdict_words(found.head)}{_corrected(found.head)}; {said}."
    )


def _not_shown(results: Results, found: Criteria, baseline: str) -> str:
    verdict = _main_verdict(results, found)
    if verdict is None or verdict.interval is None:
        return ""
    points = verdict.kind == OVER_THE_PANEL
    middle = "zero" if points else "one half"
    words = (
        f"{found.name} comes nearest, but the interval {range_of(verdict.interval, signed=points)} holds "
        f"{middle}: a difference either way is possible"
    )
    if verdict.more_pairs is not None:
        each = " per opponent" if points else ""
        words += (
            f". If the difference is as large as it looks, about {verdict.more_pairs:,} more pairs{each} would show it"
        )
    return f"{words}."


def _among(best: Criteria, equals: Sequence[Verdict], beaten: Sequence[Verdict]) -> list[str]:
    found = []
    if beaten:
        told = [f"{v.baseline} ({verdict_words(v)})" for v in beaten]
        found.append(f"Among the candidates: {best.name} is better than {listed(told)}.")
    if equals:
        told = [f"{v.baseline} ({verdict_words(v)})" for v in equals]
        found.append(
            f"Not distinguishable from {best.name}: {listed(told)}. Between these, time and depth, "
            "or another experiment, may decide."
        )
    return found


def _cautions(results: Results, favourite: Criteria) -> list[str]:
    found = []
    if not results.is_complete:
        found.append(
            "The experiment is not finished. Figures that are looked at on the way are no verdict: each look is "
            "another chance to be wrong."
        )
    if results.faults:
        count = sum(results.faults.values())
        found.append(f"{plural(count, 'game')} ended by a fault and counted as lost: see the section on faults.")
    if results.left_out:
        found.append(f"{plural(len(results.left_out), 'pair')} could not be played: these figures are without.")
    openings = len({pair.opening_number for pair in results.pairs if pair.state == "done"})
    if openings < FEW_OPENINGS and results.plan.sprt is None:
        found.append(f"Only {plural(openings, 'opening')}: expect figures to move by some points in another sample.")
    if results.plan.sprt is None and not results.plan.is_round_robin and favourite.standing.losing_records:
        found.append(
            "A number of losing records has no interval: against an opponent of the same strength there is one nearly "
            "every second time."
        )
    board = results.plan.board.replace("x", "×")
    found.append(f"What is said holds for these opponents, this budget, openings of this kind and the {board} board.")
    return found


# --- after a sequential test


def _after_a_test(results: Results) -> Recommendation:
    verdicts = results.verdicts
    reasons = tuple(f"{verdict.sentence}." for verdict in verdicts)
    criteria = tuple(
        Criteria(standing, None, None, results.verdict_on(standing.candidate, HEAD_TO_HEAD))
        for standing in results.standings
    )
    choice = None
    favourite = max(results.standings, key=lambda standing: standing.estimate.mean).candidate
    if len(verdicts) == 1:
        choice, headline = _of_one_test(verdicts[0])
    else:
        accepted = [v for v in verdicts if v.word == "better" or v.word.startswith("not worse")]
        undecided = [v for v in verdicts if v.word == UNDECIDED]
        headline = (
            f"Of {len(verdicts)} matches, {len(accepted)} ended for the candidate and "
            f"{len(verdicts) - len(accepted) - len(undecided)} against it; not decided: {len(undecided)}."
        )
    cautions = [
        "No interval is given: the sample ended because it looked good or bad just then, and its win rate overstates "
        "the difference. To know how much better something is, play a tournament of fixed size from other openings.",
        *_cautions(results, criteria[0]),
    ]
    return Recommendation(choice, headline, reasons, tuple(cautions), criteria, favourite)


def _of_one_test(verdict: Verdict) -> tuple[str | None, str]:
    """Return the choice after one test, and a sentence that explains it."""
    new, old, word = verdict.candidate, verdict.baseline, verdict.word
    if word == UNDECIDED:
        return None, f"The test of {new} against {old} is not decided; play on."
    if word == "better":
        return new, f"Use {new} rather than {old}: the test has accepted it."
    if word.startswith("not worse"):
        return new, f"{new} may take the place of {old}: it is {word}."
    return old, f"Stay with {old}: {new} is {word}."
