"""Compare two versions: head to head by a sequential test, over a panel by paired differences, with one verdict.

Each part is a named experiment of the ledger. Repeating a comparison reuses these experiments: finished ones are read,
an unfinished one is resumed. Parts that were played by other code, such as an earlier version of a user's file, are not
used.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from knightfall.agents.budget import Budget
from knightfall.arena.compare_words import sentence, verdict_word
from knightfall.arena.defaults import COMPARE_ELO, COMPARE_PAIRS, PAIRS, PANEL, SEED
from knightfall.arena.export import interval_facts, match_facts, verdict_facts
from knightfall.arena.fingerprint import code_of
from knightfall.arena.ledger import Experiment, Ledger
from knightfall.arena.panels import candidate_text
from knightfall.arena.plan import Matchup, PlanError
from knightfall.arena.players import make_player
from knightfall.arena.prepare import Prepared, prepare
from knightfall.arena.request import Request
from knightfall.arena.results import Match, Results
from knightfall.arena.run import Execution, Watch, play_experiment
from knightfall.arena.statistics.anytime import anytime_elo
from knightfall.arena.statistics.pairs import Interval
from knightfall.arena.statistics.sprt import Sprt
from knightfall.arena.verdicts import Verdict, answer

_ALPHA, _BETA = 0.025, 0.05  # per side; together, a wrong "better" or "worse" in 5 % of cases


@dataclass(frozen=True)
class Question:
    """The two versions and the extent of the comparison.

    ``old`` and ``new`` are heuristics or agents as the user wrote them. ``elo`` is the difference that the sequential
    test looks for, and ``most`` its largest number of pairs; ``pairs`` are those against each opponent of the panel.
    """

    old: str
    new: str
    panel: str | None = PANEL
    pairs: int = PAIRS
    most: int = COMPARE_PAIRS
    elo: float = COMPARE_ELO
    budget: Budget = field(default_factory=Budget)
    seed: int = SEED
    board: str | None = None

    def names(self) -> tuple[str, str]:
        """Return the names of the two agents; raise an error if one is invalid or both are the same."""
        panel = self.panel or ""
        texts = (self.old.strip(), self.new.strip())
        players = [make_player(candidate_text(text, panel), self.budget, typed=text) for text in texts]
        if players[0].identity == players[1].identity:
            raise PlanError(f"{texts[0]} and {texts[1]} are the same agent: {players[0].identity}")
        return players[0].name, players[1].name

    def parts(self) -> list[tuple[str, Prepared]]:
        """Return the experiments with their names, ready to be played."""
        old, new = self.names()
        test = Sprt(0.0, self.elo, _ALPHA, _BETA, two_sided=True)
        shared: dict[str, Any] = {"budget": self.budget, "seed": self.seed, "board": self.board}
        duel = Request([new], [old], self.most, baseline=None, sprt=test, **shared)
        found = [(f"compare {new} with {old}, head to head", prepare(duel))]
        if self.panel is not None:
            met = prepare(Request([old, new], self.panel, self.pairs, baseline=old, **shared))
            # The match between the two versions is the other part.
            found.append((f"compare {new} with {old}, panel", Prepared(replace(met.plan, rivals=False), met.players)))
        return found


@dataclass(frozen=True)
class Comparison:
    """The results of a comparison."""

    question: Question
    head: Results
    panel: Results | None

    @property
    def match(self) -> Match:
        """The match between the two versions, from the side of the new one."""
        return next(iter(self.head.matches.values()))

    @property
    def head_verdict(self) -> Verdict:
        """The verdict of the sequential test."""
        return self.head.verdicts[0]

    @property
    def elo(self) -> Interval:
        """The Elo difference head to head; the interval is valid although the test decided when to stop."""
        return anytime_elo(self.match.counts)

    @property
    def panel_verdict(self) -> Verdict | None:
        """The verdict on the paired difference over the panel; None without a panel."""
        if self.panel is None:
            return None
        old, new = self.panel.plan.candidates
        return answer([self.panel.over_the_panel(new, old)])[0]

    def rate(self, at: int, opponent: str) -> float:
        """Return the share of games won against one opponent; ``at`` is 0 for the old version, 1 for the new."""
        assert self.panel is not None
        return self.panel.matches[Matchup(self.panel.plan.candidates[at], opponent)].counts.score

    @property
    def verdict(self) -> str:
        """One word for both parts: better, worse, mixed or no difference."""
        return verdict_word(self.head_verdict, self.panel_verdict)

    @property
    def sentence(self) -> str:
        """The verdict in plain words."""
        asked = self.question
        name = "" if self.panel is None else self.panel.plan.panel
        return sentence(asked.old.strip(), asked.new.strip(), self.head_verdict, self.elo, self.panel_verdict, name)

    @property
    def is_faulty(self) -> bool:
        """Whether a player lost a game by a fault, or pairs were left out."""
        played = [self.head, *([] if self.panel is None else [self.panel])]
        return any(results.faults or results.left_out for results in played)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON data."""
        panel, told = self.panel, self.panel_verdict
        return {
            "old": self.question.old.strip(),
            "new": self.question.new.strip(),
            "verdict": self.verdict,
            "sentence": self.sentence,
            "head_to_head": {
                "experiment": self.head.experiment.id,
                "verdict": self.head_verdict.word,
                "elo": interval_facts(self.elo),
                "test": self.head.experiment.configuration["sprt"],
                "moves_hash": self.head.moves_hash,
                **match_facts(self.match, sequential=True),
            },
            "panel": None
            if panel is None or told is None
            else {
                "experiment": panel.experiment.id,
                "name": panel.plan.panel,
                "moves_hash": panel.moves_hash,
                **verdict_facts(told),
                "opponents": [
                    {"opponent": name, "old": round(self.rate(0, name), 6), "new": round(self.rate(1, name), 6)}
                    for name in panel.plan.opponents
                ],
            },
            "faults": [
                {"player": name, "reason": reason, "games": count, "message": results.fault_messages[name, reason]}
                for results in (self.head, panel)
                if results is not None
                for (name, reason), count in sorted(results.faults.items())
            ],
        }


def compare(
    ledger: Ledger,
    question: Question,
    execution: Execution | None = None,
    *,
    fresh: bool = False,
    watch: Watch | None = None,
) -> Comparison:
    """Play the games that the ledger does not contain yet, and return the comparison.

    ``watch`` creates the watcher of a part. ``fresh`` ignores existing experiments. Raises
    :class:`~knightfall.arena.run.Stopped` if a signal stops the games; finished pairs are in the ledger.
    """
    chosen = Execution() if execution is None else execution
    played = []
    for name, prepared in question.parts():
        known = None if fresh else _find(ledger, name, prepared)
        played.append(play_experiment(ledger, prepared, chosen, name=name, known=known, watch=watch))
    return Comparison(question, played[0], played[1] if len(played) > 1 else None)


def _find(ledger: Ledger, name: str, prepared: Prepared) -> Experiment | None:
    """Return the latest experiment with this name and configuration that was played by the same code."""
    wanted = json.loads(json.dumps([prepared.plan.configuration(), code_of(prepared.players.values())]))
    for experiment in reversed(ledger.experiments()):
        if experiment.name == name and [experiment.configuration, experiment.code] == wanted:
            return experiment
    return None
