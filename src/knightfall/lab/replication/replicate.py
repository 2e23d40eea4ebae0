"""Replication: the trials played, or taken up where they were left, and every claim answered from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from knightfall.arena.export import interval_facts
from knightfall.arena.ledger import Experiment, Ledger, LedgerError
from knightfall.arena.plan import Plan, differences
from knightfall.arena.results import Results
from knightfall.arena.runner import Watcher
from knightfall.arena.tournament import Prepared, begin, conduct, prepare, resume
from knightfall.lab.replication.claims import CLAIMS, Claim, needs
from knightfall.lab.replication.experiments import SWEEP_SHARE, Terms, Trial, trials
from knightfall.lab.replication.judging import Answer, Evidence
from knightfall.lab.replication.papers import REPORTS
from knightfall.rules.errors import ParameterError


class OtherCode(LedgerError, ParameterError):
    """An experiment that cannot be resumed, because it was played by other code."""


@dataclass(frozen=True)
class Replication:
    """The results of all trials, and the answers they give."""

    terms: Terms
    played: tuple[tuple[Trial, Results], ...]

    def evidence(self, budget: str) -> Evidence:
        """All that was played at one kind of budget."""
        found = {}
        for trial, results in self.played:
            if trial.budget == budget:
                key = trial.report.id + (" sweeps" if trial.is_sweep else "" if trial.board == "7x7" else " large")
                found[key] = (trial, results)
        return Evidence(found)

    @cached_property
    def answers(self) -> dict[str, dict[str, Answer]]:
        """By claim, and by budget."""
        found: dict[str, dict[str, Answer]] = {}
        for budget in self.terms.budgets:
            evidence = self.evidence(budget)
            for claim in CLAIMS.values():
                if needs(claim) in evidence.trials:
                    found.setdefault(claim.id, {})[budget] = claim.judge(evidence)
        return {name: found[name] for name in CLAIMS if name in found}

    def verdict(self, claim: str) -> str:
        """The verdict at the budget that is nearest to the original one, which was time: equal cost."""
        answers = self.answers[claim]
        return answers[list(answers)[-1]].verdict

    def disagree(self, claim: str) -> bool:
        """Whether it depends on the budget."""
        return len({answer.verdict for answer in self.answers[claim].values()}) > 1

    def to_dict(self) -> dict[str, Any]:
        """One entry per claim."""
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


Say = Callable[[str], None]


def replicate(
    ledger: Ledger,
    reports: Sequence[str] = tuple(REPORTS),
    terms: Terms | None = None,
    *,
    fresh: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    watch: Callable[[Plan, int, int], Watcher] | None = None,
    say: Say | None = None,
    command: str = "",
) -> Replication:
    """Play what these reports need and is not in the ledger yet; then answer their claims.

    ``watch`` makes a watcher for a trial of its plan, its number and how many there are.
    """
    chosen = terms or Terms()
    wanted = trials(reports, chosen)
    known = {} if fresh else _known(ledger)
    played = []
    for at, trial in enumerate(wanted):
        prepared = prepare(trial.request())
        experiment = known.get((trial.name, _key(prepared.plan)))
        if experiment is not None and experiment.ended is not None:
            _refuse_other_code(ledger, experiment, prepared)
            played.append((trial, Results.read(ledger, experiment.id)))
            continue
        if experiment is None:
            number = begin(ledger, prepared, trial.name, command)
        else:
            prepared, number = resume(ledger, experiment), experiment.id
            ledger.claim(experiment)
        watcher = None if watch is None else watch(prepared.plan, at + 1, len(wanted))
        results = conduct(ledger, number, prepared, workers=workers, cluster=cluster, watch=watcher, say=say)
        played.append((trial, results))
    return Replication(chosen, tuple(played))


def _key(plan: Plan) -> str:
    told = plan.configuration()
    return f"{told['openings_key']} {told['budget']} {told['candidates']} {told['opponents']} {told['seed']}"


def _known(ledger: Ledger) -> dict[tuple[str, str], Experiment]:
    """The experiments of a ledger by name and configuration; the last of each."""
    return {(found.name, _key(ledger.plan(found))): found for found in ledger.experiments() if found.name}


def _refuse_other_code(ledger: Ledger, experiment: Experiment, prepared: Prepared) -> None:
    """Old results and new ones must not stand in one table when another program has made them."""
    from knightfall.arena.fingerprint import code_of

    changed = differences(experiment.code, code_of(prepared.players.values()))
    if changed:
        raise OtherCode(
            "{what} was played by other code: {changed}; {fresh=True} begins anew",
            what=f"{ledger.path}: experiment {experiment.id} ({experiment.name})",
            changed="; ".join(changed),
        )


# --- a replication read back from a ledger, without playing


_TRIAL = re.compile("replicate [A-E](?P<sweeps> sweeps)?(?: on [0-9]+x[0-9]+)?, equal [a-z]+")


def trial_of(experiment: Experiment) -> Trial | None:
    """The trial that an experiment is; None if it is none, or one that this program would not play any more."""
    terms = _terms(experiment)
    known = () if terms is None else trials(tuple(REPORTS), terms)
    return next((trial for trial in known if _is_of(experiment, trial)), None)


def read_replication(ledger: Ledger, member: Experiment) -> tuple[Replication, list[Trial]] | None:
    """The replication that an experiment belongs to, and the trials of its reports that are not finished.

    Trials belong together that have the same terms and were played by the same code.
    """
    if trial_of(member) is None:
        return None
    alike = [found for found in ledger.experiments() if found.code == member.code and trial_of(found) is not None]
    terms = _terms(member, [found for found in alike if found.id <= member.id])
    assert terms is not None
    every = trials(tuple(REPORTS), terms)
    known = {trial.name: found for found in alike for trial in every if _is_of(found, trial)}  # the last of each
    reports = {trial.report.id for trial in every if trial.name in known}
    wanted = [trial for trial in every if trial.report.id in reports]
    ended = {name: found for name, found in known.items() if found.ended is not None}
    played = tuple((trial, Results.read(ledger, ended[trial.name].id)) for trial in wanted if trial.name in ended)
    return Replication(terms, played), [trial for trial in wanted if trial.name not in ended]


def _terms(experiment: Experiment, others: Sequence[Experiment] = ()) -> Terms | None:
    """The terms of a trial. Sweeps have a fifth of the pairs: which number that is of, the ``others`` tell."""
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
    """Whether an experiment is this trial."""
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
