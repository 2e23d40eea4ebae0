"""Verdicts: the conclusion about a candidate and the baseline, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from knightfall.arena.formatting import points_interval, range_of
from knightfall.arena.statistics.estimate import Estimate
from knightfall.arena.statistics.holm import holm_confidences
from knightfall.arena.statistics.pairs import CONFIDENCE, Interval, PairCounts, pairs_needed
from knightfall.arena.statistics.sprt import Sprt
from knightfall.rules.formatting import plural

OVER_THE_PANEL = "over the panel"
HEAD_TO_HEAD = "head to head"
UNDECIDED = "not distinguishable"


@dataclass(frozen=True)
class Question:
    """A comparison of a candidate with the baseline.

    ``estimate`` is the mean difference of scores over the panel, or the candidate's mean score head to head. ``rates``
    are both win rates.
    """

    candidate: str
    baseline: str
    kind: str
    estimate: Estimate
    rates: tuple[float, float]
    pairs: int

    @property
    def null(self) -> float:
        """The value of the estimate if there is no difference."""
        return 0.0 if self.kind == OVER_THE_PANEL else 0.5


@dataclass(frozen=True)
class Verdict:
    """The verdict on a question; ``interval`` is in shares of games won, with the confidence from Holm's correction."""

    candidate: str
    baseline: str
    kind: str
    word: str
    interval: Interval | None
    rates: tuple[float, float]
    pairs: int
    p_value: float | None = None
    superiority: float | None = None
    more_pairs: int | None = None
    comparisons: int = 1
    notes: tuple[str, ...] = field(default=())

    @property
    def sentence(self) -> str:
        """The verdict as a sentence."""
        where = f" {self.kind}" if self.kind else ""
        parts = [f"{self.candidate} is {self._relation} {self.baseline}{where}: {self._figures()}"]
        if self.more_pairs is not None:
            each = " per opponent" if self.kind == OVER_THE_PANEL else ""
            parts.append(
                f"if it is as large as it looks, about {plural(self.more_pairs, 'more pair')}{each} would show it"
            )
        return "; ".join([*parts, *self.notes])

    @property
    def _relation(self) -> str:
        if self.word.startswith("not ") and " by " in self.word:
            what, _, size = self.word.partition(" by ")
            return f"{what} by {size} than"
        if self.word.startswith("within "):
            return f"{self.word} of"
        return {"better": "better than", "worse": "worse than"}.get(self.word, "not distinguishable from")

    def _figures(self) -> str:
        mine, theirs = self.rates
        if not self.pairs:
            return "no game was played"
        if self.interval is None:
            return f"{mine:.1%} of games won"
        sure = f"95% confidence{f', {self.comparisons} comparisons' if self.comparisons > 1 else ''}"
        if self.kind == OVER_THE_PANEL:
            return f"{mine:.1%} of games won against {theirs:.1%}, {points_interval(self.interval)} ({sure})"
        return f"{mine:.1%} of games won {range_of(self.interval)} ({sure})"


def answer(questions: Sequence[Question], confidence: float = CONFIDENCE) -> list[Verdict]:
    """Return verdicts on several questions of one kind.

    Holm's correction limits the probability of any error among them to that of a single question.
    """
    p_values = [question.estimate.p_value(question.null) for question in questions]
    found = []
    for question, p, level in zip(questions, p_values, holm_confidences(p_values, confidence), strict=True):
        interval = question.estimate.interval(level)
        word = "better" if interval.low > question.null else "worse" if interval.high < question.null else UNDECIDED
        more = pairs_needed(interval, question.estimate.clusters, question.null) if word == UNDECIDED else None
        found.append(
            Verdict(
                candidate=question.candidate,
                baseline=question.baseline,
                kind=question.kind,
                word=word,
                interval=interval,
                rates=question.rates,
                pairs=question.pairs,
                p_value=p,
                superiority=question.estimate.superiority(question.null),
                more_pairs=more,
                comparisons=len(questions),
            )
        )
    return found


def sequential(candidate: str, opponent: str, counts: PairCounts, sprt: Sprt) -> Verdict:
    """Return the verdict of a sequential test.

    It has no interval: one for a fixed sample size would be wrong, because the test chose the size.
    """
    bins = (counts.ll, counts.wl, counts.ww)
    decision = sprt.decision(bins)
    low, high = sprt.bounds
    word = UNDECIDED
    if sprt.two_sided:
        return _two_sided(candidate, opponent, counts, sprt)
    # The verdict states only the accepted hypothesis: with -5 and 5, the difference may still be positive or negative.
    if decision == "elo1":
        word = "better" if sprt.elo0 >= 0 else f"not worse by {-sprt.elo0:g} Elo"
    elif decision == "elo0":
        word = "worse" if sprt.elo1 <= 0 else f"not better by {sprt.elo1:g} Elo"
    said = {
        "elo1": f"an Elo difference of {sprt.elo1:g} is accepted against {sprt.elo0:g}",
        "elo0": f"an Elo difference of {sprt.elo0:g} is accepted against {sprt.elo1:g}",
        None: f"the test between Elo differences of {sprt.elo0:g} and {sprt.elo1:g} is not decided",
    }[decision]
    ratio = f"LLR {sprt.llr(bins):+z.2f} of {low:+z.2f} to {high:+z.2f}"
    note = f"{said} after {plural(counts.pairs, 'pair')} ({sprt.model}, {ratio})"
    rates = (counts.score, 1 - counts.score)
    return Verdict(candidate, opponent, HEAD_TO_HEAD, word, None, rates, counts.pairs, notes=(note,))


def _two_sided(candidate: str, opponent: str, counts: PairCounts, sprt: Sprt) -> Verdict:
    bins = (counts.ll, counts.wl, counts.ww)
    size = f"{sprt.elo1:g}"
    word, said = {
        "elo1": ("better", f"an Elo difference of {size} is accepted against 0"),
        "-elo1": ("worse", f"an Elo difference of -{size} is accepted against 0"),
        "elo0": (f"within {size} Elo", f"an Elo difference of 0 is accepted against {size} and -{size}"),
        None: (UNDECIDED, f"the test between Elo differences of -{size}, 0 and {size} is not decided"),
    }[sprt.decision(bins)]
    low, high = sprt.bounds
    ratios = f"LLR {sprt.llr(bins):+z.2f} and {sprt.llr(bins[::-1]):+z.2f} of {low:+z.2f} to {high:+z.2f}"
    note = f"{said} after {plural(counts.pairs, 'pair')} ({sprt.model}, {ratios})"
    rates = (counts.score, 1 - counts.score)
    return Verdict(candidate, opponent, HEAD_TO_HEAD, word, None, rates, counts.pairs, notes=(note,))
