"""The accuracy goal: the share of critical positions in which the choice keeps the win."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any

from knightfall.agents.budget import Budget
from knightfall.arena.fingerprint import code_of
from knightfall.arena.panels import published_search
from knightfall.arena.players import make_player
from knightfall.arena.statistics.estimate import estimate
from knightfall.arena.statistics.pairs import Interval
from knightfall.catalogue.heuristic import Heuristic
from knightfall.compiler.errors import HeuristicError
from knightfall.lab.truth.accuracy import AccuracyError, Grader
from knightfall.lab.truth.sets import KINDS, TruePosition
from knightfall.lab.tuning.errors import BadParameter, SettingFailed, TuningError
from knightfall.lab.tuning.goals import Compared, Goal, Measured, Say
from knightfall.lab.tuning.stages import Stage
from knightfall.native.background import interruptible


class AccuracyGoal(Goal):
    """Accuracy, tuned on one half of a truth set and confirmed on the other.

    ``kinds`` and ``stage`` select positions from both halves.
    """

    kind = "accuracy"
    unit = "wins kept"

    def __init__(
        self,
        heuristic: Heuristic,
        truths: Sequence[TruePosition],
        kinds: Sequence[str] = (),
        stage: Stage | None = None,
        depth: int = 0,
        where: str = "",
    ) -> None:
        chosen = [
            entry
            for entry in truths
            if entry.is_critical
            and (not kinds or entry.kind in kinds)
            and (stage is None or stage.holds(entry.position))
        ]
        halves: dict[bool, list[TruePosition]] = {True: [], False: []}
        for entry in chosen:
            halves[entry.is_for_tuning].append(entry)
        if not halves[True] or not halves[False]:
            raise TuningError("there are too few critical positions of this kind: some to tune on, others to judge by")
        self.tuning, self.judging = Grader(halves[True]), Grader(halves[False])
        self.heuristic = heuristic
        self.kinds, self.stage, self.depth, self.where = tuple(kinds), stage, depth, where
        seen, unseen = (grader.count(heuristic, depth) for grader in (self.tuning, self.judging))
        self.seen = f"{seen:,} critical positions"
        self.unseen = f"{unseen:,} critical positions that tuning never saw"

    def facts(self) -> dict[str, Any]:
        digest = hashlib.blake2b(digest_size=8)
        for entry in (*self.tuning.critical, *self.judging.critical):
            digest.update(entry.line().encode())
        return {
            "goal": self.kind,
            "board": str(self.tuning.geometry),
            "truth": self.where,
            "against": list(self.kinds),
            "stage": None if self.stage is None else str(self.stage),
            "depth": self.depth,
            "positions": len(self.tuning.critical),
            "judged_on": len(self.judging.critical),
            "positions_key": digest.hexdigest(),
        }

    def code(self) -> dict[str, Any]:
        # Grading depends on the same code as a player with this heuristic.
        return code_of([make_player(published_search(self.heuristic.text, ""), Budget(), self.heuristic)])

    def measure(self, heuristic: Heuristic, say: Say) -> Measured:
        try:
            return Measured(_mean(self._shares(self.tuning, heuristic)))
        except (AccuracyError, HeuristicError) as error:
            raise SettingFailed(str(error)) from None

    def compare(self, challenger: Heuristic, start: Heuristic, say: Say) -> Compared:
        ours, theirs = self._shares(self.judging, challenger), self._shares(self.judging, start)
        differences = [(mine - other, 1) for mine, other in zip(ours, theirs, strict=True)]
        return Compared(_mean(ours), _mean(theirs), estimate(differences, 1, is_difference=True).interval())

    def _shares(self, grader: Grader, heuristic: Heuristic) -> list[float]:
        return interruptible(partial(grader.shares, heuristic, self.depth))

    def stop(self) -> None:
        raise KeyboardInterrupt  # trials are short, so there is nothing to wait for


def _mean(shares: Sequence[float]) -> Interval:
    return estimate([(share, 1) for share in shares], 1).interval()


def read_kinds(text: str) -> list[str]:
    """Parse kinds of play, separated by commas or semicolons.

    >>> read_kinds("weak, strong")
    ['weak', 'strong']
    """
    found = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    unknown = next((kind for kind in found if kind not in KINDS), None)
    if unknown is not None or not found:
        expected = f"kinds of play ({', '.join(KINDS)}) are expected"
        raise BadParameter(
            "{against}: for accuracy, {expected}, not {given!r}", expected=expected, given=unknown or text
        )
    return list(dict.fromkeys(found))
