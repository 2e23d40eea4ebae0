"""The rule that decides whether a claim holds, does not hold or is undecided.

"x beats y" holds if the Holm-corrected 95 % interval of the paired difference lies above zero for every rival that
the claim names. It does not hold if one of these intervals lies below zero. Otherwise it is undecided. "About as
good" holds if the interval lies within five points on either side, and does not hold if it lies entirely outside this
range. A claim of several parts holds if all parts hold, and does not hold if one of them does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from knightfall.arena.formatting import number_interval, percent_interval, points_interval
from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import Interval
from knightfall.arena.verdicts import HEAD_TO_HEAD, Question, answer
from knightfall.lab.replication.experiments import Trial

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"
MARGIN = 0.05
"""Maximum distance between two functions that are "about as good", as a share of games."""


@dataclass(frozen=True)
class Finding:
    """One part of an answer: what was compared, and the result.

    ``interval`` is in shares of games won, unless ``unit`` is something else.
    """

    words: str
    verdict: str
    interval: Interval | None = None
    unit: str = "points"
    ratio: float | None = None

    @property
    def text(self) -> str:
        """The finding as a short phrase."""
        if self.interval is None:
            return self.words
        if self.unit == "points":
            ratio = "" if self.ratio is None else f", ratio {self.ratio:.3f}"
            return f"{self.words} {points_interval(self.interval)}{ratio}"
        if self.unit == "%":
            return f"{self.words} {percent_interval(self.interval)}"
        return f"{self.words} {number_interval(self.interval)} {self.unit}"


@dataclass(frozen=True)
class Answer:
    """The verdict on one claim at one budget."""

    verdict: str
    findings: tuple[Finding, ...]

    @property
    def interval(self) -> Interval | None:
        """The interval of the first finding that has one. It belongs to the figure of the claim itself."""
        return next((finding.interval for finding in self.findings if finding.interval is not None), None)

    @property
    def text(self) -> str:
        """All findings in one line."""
        return "; ".join(finding.text for finding in self.findings)


@dataclass(frozen=True)
class Evidence:
    """The results of all trials at one budget: the reports' own, their sweeps, and those on the large board."""

    trials: Mapping[str, tuple[Trial, Results]]

    def of(self, key: str) -> tuple[Trial, Results]:
        """Return the trial with this key, and its results.

        Keys are a report ("A"), its sweeps ("A sweeps"), or "C large".
        """
        return self.trials[key]

    def question(self, key: str, candidate: str, rival: str) -> Question:
        """Return the comparison of two candidates by their results against the panel."""
        trial, results = self.of(key)
        asked = results.over_the_panel(trial.agent(candidate), trial.agent(rival))
        return Question(candidate, rival, asked.kind, asked.estimate, asked.rates, asked.pairs)

    def duel(self, key: str, candidate: str) -> Question:
        """Return the comparison of a candidate with `improved` in direct games."""
        trial, results = self.of(key)
        matchup = results.plan.duel(trial.agent(candidate))
        assert matchup is not None
        asked = results.head_to_head(matchup, trial.agent(candidate), "improved")
        return Question(candidate, "improved", HEAD_TO_HEAD, asked.estimate, asked.rates, asked.pairs)


def combine(findings: Sequence[Finding]) -> Answer:
    """Combine the findings on all parts of a claim into one answer."""
    verdicts = {finding.verdict for finding in findings}
    whole = FAILS if FAILS in verdicts else UNDECIDED if UNDECIDED in verdicts else HOLDS
    return Answer(whole, tuple(findings))


def judged(questions: Sequence[Question], wanted: str = "better") -> list[Finding]:
    """Judge whether the first player of each question is better (or worse) than the second, Holm-corrected."""
    found = []
    opposite = {"better": "worse", "worse": "better"}[wanted]
    for question, verdict in zip(questions, answer(questions), strict=True):
        said = HOLDS if verdict.word == wanted else FAILS if verdict.word == opposite else UNDECIDED
        if question.kind == HEAD_TO_HEAD:
            words = f"{question.candidate} against {question.baseline}"
            found.append(Finding(words, said, verdict.interval, "%"))
        else:
            ratio = question.rates[0] / question.rates[1] if question.rates[1] else None
            words = f"{question.candidate} to {question.baseline}"
            found.append(Finding(words, said, verdict.interval, "points", ratio))
    return found


def about_equal(questions: Sequence[Question]) -> list[Finding]:
    found = []
    level = 1 - 0.05 / len(questions)
    for question in questions:
        interval = question.estimate.interval(level)
        inside = interval.low >= -MARGIN and interval.high <= MARGIN
        outside = interval.low > MARGIN or interval.high < -MARGIN
        said = HOLDS if inside else FAILS if outside else UNDECIDED
        found.append(Finding(f"{question.candidate} to {question.baseline}", said, interval))
    return found


def beats(key: str, candidate: str, *rivals: str) -> Callable[[Evidence], Answer]:
    def judge(evidence: Evidence) -> Answer:
        return combine(judged([evidence.question(key, candidate, rival) for rival in rivals]))

    return judge


def worse(key: str, *pairs: tuple[str, str]) -> Callable[[Evidence], Answer]:
    def judge(evidence: Evidence) -> Answer:
        return combine(judged([evidence.question(key, a, b) for a, b in pairs], "worse"))

    return judge
