"""Replication: play or resume the trials, and judge every claim by their results."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import Any

from knightfall.arena.export import interval_facts
from knightfall.arena.ledger import Experiment, Ledger, LedgerError
from knightfall.arena.plan import Plan, differences
from knightfall.arena.prepare import Prepared, prepare
from knightfall.arena.results import Results
from knightfall.arena.run import Execution, play_experiment, resume
from knightfall.arena.runner import Watcher
from knightfall.lab.replication.claims import CLAIMS, Claim, needs
from knightfall.lab.replication.experiments import SWEEP_SHARE, Terms, Trial, trials
from knightfall.lab.replication.judging import Answer, Evidence
from knightfall.lab.replication.papers import REPORTS
from knightfall.rules.errors import ParameterError


class OtherCode(LedgerError, ParameterError):
    """An experiment that cannot be resumed, because it was played by other code."""


@dataclass(frozen=True)
class Replication:
    """The results of all trials, and the answers based on them."""

    terms: Terms
    played: tuple[tuple[Trial, Results], ...]

    def evidence(self, budget: str) -> Evidence:
        """Return all results at one kind of budget."""
        found = {}
        for trial, results in self.played:
            if trial.budget == budget:
                key = trial.report.id + (" sweeps" if trial.is_sweep else "" if trial.board == "7x7" else " large")
                found[key] = (trial, results)
        return Evidence(found)

    @cached_property
    def answers(self) -> dict[str, dict[str, Answer]]:
        """The answers by claim, then by budget."""
        found: dict[str, dict[str, Answer]] = {}
        for budget in self.terms.budgets:
            evidence = self.evidence(budget)
            for claim in CLAIMS.values():
                if needs(claim) in evidence.trials:
                    found.setdefault(claim.id, {})[budget] = claim.judge(evidence)
        return {name: found[name] for name in CLAIMS if name in found}

    def verdict(self, claim: str) -> str:
        """Return the verdict at the last budget.

        This is equal cost, if played, because it is nearest to the original time limit.
        """
        answers = self.answers[claim]
        return answers[list(answers)[-1]].verdict

    def disagree(self, claim: str) -> bool:
        """Return whether the verdicts depend on the budget."""
        return len({answer.verdict for answer in self.answers[claim].values()}) > 1

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-serialisable dictionary with one entry per claim."""
        return {name: self._facts(CLAIMS[name], answers) for name, answers in self.answers.items()}

    def _facts(self, claim: Claim, answers: Mapping[str, Answer]) -> dict[str, Any]:
        last = answers[list(answers)[-1]]
        return {
            "claim": claim.words,
            "verdict": self.verdict(claim.id),
            "original": claim.original,
            "sample": claim.sample,
            "ours": last.text,
            "interval": interval_facts(last.interval),
            "budgets_disagree": self.disagree(claim.id),
            "budgets": {
                budget: {
                    "verdict": found.verdict,
                    "ours": found.text,
                    "interval": interval_facts(found.interval),
                    "findings": [
                        {
                            "words": finding.text,
                            "verdict": finding.verdict,
                            "interval": interval_facts(finding.interval),
                            "unit": finding.unit,
                            "ratio": None if finding.ratio is None else round(finding.ratio, 4),
                        }
                        for finding in found.findings
                    ],
                }
                for budget, found in answers.items()
            },
        }


WatchTrial = Callable[[Plan, int, int], Watcher]
"""Creates the watcher of a trial from its plan, its number and the number of trials."""


def replicate(
    ledger: Ledger,
    reports: Sequence[str] = tuple(REPORTS),
    terms: Terms | None = None,
    execution: Execution | None = None,
    *,
    fresh: bool = False,
    watch: WatchTrial | None = None,
) -> Replication:
    """Play the trials that these reports need and that the ledger does not contain yet, then judge their claims."""
    chosen = terms or Terms()
    wanted = trials(reports, chosen)
    known = {} if fresh else _known(ledger)
    played = []
    for number, trial in enumerate(wanted, start=1):
        prepared = prepare(trial.request())
        experiment = known.get((trial.name, _key(prepared.plan)))
        if experiment is not None and experiment.ended is not None:
            _refuse_other_code(ledger, experiment, prepared)
        elif experiment is not None:
            prepared = resume(ledger, experiment)
        results = play_experiment(
            ledger,
            prepared,
            execution or Execution(),
            name=trial.name,
            known=experiment,
            watch=None if watch is None else partial(_watch_trial, watch, number, len(wanted)),
        )
        played.append((trial, results))
    return Replication(chosen, tuple(played))


def _watch_trial(watch: WatchTrial, number: int, total: int, _: int, plan: Plan) -> Watcher:
    return watch(plan, number, total)


def _key(plan: Plan) -> str:
    told = plan.configuration()
    return f"{told['openings_key']} {told['budget']} {told['candidates']} {told['opponents']} {told['seed']}"


def _known(ledger: Ledger) -> dict[tuple[str, str], Experiment]:
    """Return the experiments of a ledger by name and configuration; the latest of each."""
    return {(found.name, _key(ledger.plan(found))): found for found in ledger.experiments() if found.name}


def _refuse_other_code(ledger: Ledger, experiment: Experiment, prepared: Prepared) -> None:
    """Raise an error if other code played the experiment: old and new results must not be mixed in one table."""
    from knightfall.arena.fingerprint import code_of

    changed = differences(experiment.code, code_of(prepared.players.values()))
    if changed:
        raise OtherCode(
            "{what} was played by other code: {changed}; {fresh=True} begins anew",
            what=f"{ledger.path}: experiment {experiment.id} ({experiment.name})",
            changed="; ".join(changed),
        )


# --- reading a replication from a ledger, without playing


_TRIAL = re.compile("replicate [A-E](?P<sweeps> sweeps)?(?: on [0-9]+x[0-9]+)?, equal [a-z]+")


def trial_of(experiment: Experiment) -> Trial | None:
    """Return the trial that an experiment represents.

    The result is None if the experiment is not a trial, or not one that this version would play.
    """
    terms = _terms(experiment)
    known = () if terms is None else trials(tuple(REPORTS), terms)
    return next((trial for trial in known if _is_of(experiment, trial)), None)


def read_replication(ledger: Ledger, member: Experiment) -> tuple[Replication, list[Trial]] | None:
    """Return the replication that an experiment belongs to, and the trials of its reports that are not finished.

    Trials belong together if they have the same terms and were played by the same code.
    """
    if trial_of(member) is None:
        return None
    alike = [found for found in ledger.experiments() if found.code == member.code and trial_of(found) is not None]
    terms = _terms(member, [found for found in alike if found.id <= member.id])
    assert terms is not None
    every = trials(tuple(REPORTS), terms)
    known = {trial.name: found for found in alike for trial in every if _is_of(found, trial)}  # the latest of each
    reports = {trial.report.id for trial in every if trial.name in known}
    wanted = [trial for trial in every if trial.report.id in reports]
    ended = {name: found for name, found in known.items() if found.ended is not None}
    played = tuple((trial, Results.read(ledger, ended[trial.name].id)) for trial in wanted if trial.name in ended)
    return Replication(terms, played), [trial for trial in wanted if trial.name not in ended]


def _terms(experiment: Experiment, others: Sequence[Experiment] = ()) -> Terms | None:
    """Return the terms of a trial.

    Sweeps have a fifth of the pairs, rounded down, so several numbers of pairs are possible. The ``others`` decide
    which one it is.
    """
    named = _TRIAL.fullmatch(experiment.name)
    if named is None:
        return None
    told = experiment.configuration
    budget, pairs = told["budget"], int(told["openings"])
    if named["sweeps"]:
        whole = [found for found in others if " sweeps" not in found.name]
        near = [found for found in map(_terms, whole) if found is not None and found.seed == experiment.seed]
        fits = [found.pairs for found in near if max(found.pairs // SWEEP_SHARE, 4) == pairs]
        pairs = fits[-1] if fits else pairs * SWEEP_SHARE
    usual = Terms()
    return Terms(pairs, budget["nodes"] or usual.nodes, budget["ms"], experiment.seed)


def _is_of(experiment: Experiment, trial: Trial) -> bool:
    """Return whether an experiment is this trial."""
    if experiment.name != trial.name:
        return False
    told, request = experiment.configuration, trial.request()
    return [told["candidates"], told["opponents"], told["openings"], told["budget"], told["seed"]] == [
        list(request.candidates),
        list(request.panel),
        request.pairs,
        asdict(request.budget),
        str(request.seed),
    ]
