"""The tournament goal: the share of games won against given opponents.

All trials play the same openings against the same opponents with the same seeds, so that two settings differ only in
their play. The workers and their players are reused: a trial is a plan for the arena's runner, not a new tournament.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from knightfall.agents.make import PUBLISHED_OPTIONS
from knightfall.arena.fingerprint import code_of
from knightfall.arena.ledger import Ledger
from knightfall.arena.panels import published_search
from knightfall.arena.plan import Matchup, Plan, PlannedPair
from knightfall.arena.play import PairResult, play_pair
from knightfall.arena.players import Player, make_player
from knightfall.arena.prepare import Prepared, prepare
from knightfall.arena.request import Request
from knightfall.arena.results import Results, panel_estimate
from knightfall.arena.roster import Roster
from knightfall.arena.run import begin, open_executor
from knightfall.arena.runner import Conductor, Progress
from knightfall.arena.verdicts import answer
from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.registry import parse_parameters
from knightfall.lab.tuning.errors import SettingFailed, TuningError, TuningStopped
from knightfall.lab.tuning.goals import Compared, Goal, Measured, Say
from knightfall.lab.tuning.space import Space
from knightfall.lab.tuning.stages import Stage, openings_for
from knightfall.native.seeds import key_of
from knightfall.rules import Geometry
from knightfall.rules.formatting import plural
from knightfall.work.executor import Executor

_MOST_PLAYERS = 8  # variants of the heuristic that a process keeps


class TournamentGoal(Goal):
    """Games won, tuned on one set of openings and confirmed on another one without images of the first."""

    kind = "tournament"
    unit = "games won"

    def __init__(
        self,
        space: Space,
        request: Request,
        confirm: int,
        stage: Stage | None = None,
        workers: int | None = None,
        cluster: str | None = None,
    ) -> None:
        """Prepare the openings and opponents. ``request`` defines everything except the candidates."""
        geometry = request.board if isinstance(request.board, Geometry) else Geometry.parse(request.board or "7x7")
        assert request.pairs is not None
        clash = next((p.name for p in space.parameters if p.name in PUBLISHED_OPTIONS["AB"]), None)
        if clash is not None:
            raise TuningError(f"{space.heuristic.name}: {clash} is an option of the search, too: rename the parameter")
        openings, others = openings_for(geometry, request.pairs, confirm, request.seed, stage)
        start = space.make(space.start)
        self._panel = request.panel_name
        self.first = prepare(replace(request, candidates=[start.text], pairs=None, baseline=None, openings=openings))
        self.others = tuple(position.fen() for position in others)
        self._stage, self._workers, self._cluster = stage, workers, cluster
        self._executor: Executor | None = None
        self._conductor: Conductor | None = None
        self._is_stopped = False
        opponents = self.first.plan.opponents
        whom = opponents[0] if len(opponents) == 1 else f"{len(opponents)} opponents"
        self.seen = f"{plural(request.pairs, 'opening')} against {whom}"
        self.unseen = f"{plural(confirm, 'opening')} that tuning never saw, against {whom}"

    def facts(self) -> dict[str, Any]:
        plan = self.first.plan
        return {
            "goal": self.kind,
            "board": plan.board,
            "against": list(plan.opponents),
            "opponents": {name: plan.identities[name] for name in plan.opponents},
            "budget": asdict(plan.budget),
            "stage": None if self._stage is None else str(self._stage),
            "pairs": len(plan.openings),
            "confirmed_on": len(self.others),
            "openings_key": f"{key_of('openings', *plan.openings):016x}",
            "confirming_key": f"{key_of('openings', *self.others):016x}",
        }

    def code(self) -> dict[str, Any]:
        return code_of(self.first.players.values())

    def measure(self, heuristic: Heuristic, say: Say) -> Measured:
        plan = self.plan([heuristic], self.first.plan.openings)
        with Ledger(None) as ledger:
            progress = self._play(ledger, plan, say)
        [name] = plan.candidates
        estimate, counts = panel_estimate(plan, progress.scores, name)
        if not counts.pairs:
            raise SettingFailed(f"{name}: no pair could be played: {progress.left_out[0]}")
        return Measured(estimate.interval(), _faults(progress, plan))

    def compare(self, challenger: Heuristic, start: Heuristic, say: Say) -> Compared:
        plan = self.plan([challenger, start], self.others)
        with Ledger(None) as ledger:
            progress = self._play(ledger, plan, say)
            results = Results.read(ledger, progress.experiment)
        first, second = (standing.rate for standing in results.standings)
        [verdict] = answer([results.over_the_panel(*plan.candidates)])
        assert verdict.interval is not None
        return Compared(first, second, verdict.interval, _faults(progress, plan))

    def plan(self, heuristics: list[Heuristic], openings: tuple[str, ...]) -> Plan:
        """Return the first plan with other candidates and openings."""
        names = [published_search(heuristic.text, self._panel) for heuristic in heuristics]
        known = self.first.plan
        made = {name: make_player(name, known.budget, h) for name, h in zip(names, heuristics, strict=True)}
        identities = {**known.identities, **{name: player.identity for name, player in made.items()}}
        changes = {"candidates": tuple(names), "openings": openings, "identities": identities}
        return _StudyPlan(**{**vars(known), **changes})

    def _play(self, ledger: Ledger, plan: Plan, say: Say) -> Progress:
        if self._is_stopped:
            raise TuningStopped
        if self._executor is None:
            roster = StudyCrew(Roster.of(self.first.players, plan.budget), self.first.plan.candidates[0])
            self._executor = open_executor(
                self.first, workers=self._workers, cluster=self._cluster, roster=roster, say=say
            )
        number = begin(ledger, Prepared(plan, self.first.players))
        self._conductor = Conductor(ledger, number, plan, self._executor, lambda told: say(_progress_words(told)))
        if self._is_stopped or not self._conductor.run():
            raise TuningStopped
        return self._conductor.progress

    def stop(self) -> None:
        self._is_stopped = True
        if self._conductor is not None:
            self._conductor.stop()

    def close(self) -> None:
        if self._executor is not None:
            self._executor.close()
            self._executor = None


def _progress_words(progress: Progress) -> str:
    words = f"{progress.done:,} of {plural(progress.total, 'pair')}, {progress.games_per_second:,.0f} games/s"
    return f"{words}, finishing the pairs that were begun" if progress.is_stopping else words


def _faults(progress: Progress, plan: Plan) -> int:
    """Count games that the candidates lost by faults, and games that could not be played."""
    lost = sum(count for (name, _), count in progress.faults.items() if name in plan.candidates)
    return lost + 2 * len(progress.left_out)


class _StudyPlan(Plan):
    """A plan whose seeds do not depend on the candidate: a random opponent plays alike against all of them."""

    def pair_id(self, matchup: Matchup, opening: str) -> str:
        return f"{key_of('tune', self.seed, matchup.opponent, opening):016x}"


@dataclass(frozen=True)
class StudyCrew:
    """A roster in which any variant of one member's heuristic can play; variants are made when first needed."""

    roster: Roster
    tuned: str

    def ready(self) -> Callable[[PlannedPair], PairResult]:
        """Return the function that plays one pair."""
        return partial(play_pair, players=_Variants(self.roster.players(), self.tuned, self.roster))

    def check(self) -> None:
        """Raise an error if the sources differ from those of the process that began the study."""
        self.roster.check()

    def is_foreign(self, pair: PlannedPair) -> bool:
        """Return whether a user's function plays in this pair: the tuned one, in any variant, or another."""
        tuned = next(member for member in self.roster.members if member.name == self.tuned)
        return tuned.path is not None or self.roster.is_foreign(pair)


class _Variants(dict[str, Player]):
    """Players by name; missing names are variants of one heuristic."""

    def __init__(self, players: dict[str, Player], tuned: str, roster: Roster) -> None:
        super().__init__(players)
        self._heuristic: Heuristic = players[tuned].agent.heuristic  # type: ignore[attr-defined]
        self._crew = roster
        self._made: list[str] = []

    def __missing__(self, name: str) -> Player:
        _, parameters = parse_parameters(name)
        player = make_player(name, self._crew.budget, self._heuristic(**parameters))
        self[name] = player
        self._made.append(name)
        if len(self._made) > _MOST_PLAYERS:  # each holds memory for its search
            del self[self._made.pop(0)]
        return player
