"""Building a report from a ledger: of one experiment, of several, or of a whole replication."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from knightfall import __version__
from knightfall.arena.ledger import Experiment, Ledger, LedgerError
from knightfall.arena.results import Results
from knightfall.lab.replication.experiments import Trial
from knightfall.lab.replication.papers import REPORTS
from knightfall.lab.replication.replicate import Replication, read_replication, trial_of
from knightfall.reporting.document import Document, Points, Section
from knightfall.reporting.formatting import listed, plural
from knightfall.reporting.sections.method import method, origin
from knightfall.reporting.sections.recommendation import recommendation_section
from knightfall.reporting.sections.replication import replication_recommendation, replication_sections
from knightfall.reporting.sections.summary import budget_words
from knightfall.reporting.sections.sweeps import sweep_blocks
from knightfall.reporting.sections.tournament import tournament_sections

_NAMED = 6  # maximum number of candidates in a subtitle


def build(
    ledger: Ledger,
    numbers: Sequence[int] = (),
    command: str = "",
    db: str = "",
    say: Callable[[str], None] | None = None,
) -> Document:
    """Return the report of these experiments.

    Without ``numbers``, it is the report of the last experiment, or of the replication that this experiment belongs
    to. ``command`` is the command that makes the report. ``db`` is the option that others need to find the ledger, as
    in " --db x.db".
    """
    tell = say or (lambda _: None)
    if not numbers:
        last = ledger.last()
        if last is None:
            raise LedgerError(f"{ledger.path}: it holds no experiments")
        tell("reading the ledger")
        whole = read_replication(ledger, last)
        if whole is not None and whole[0].played:
            return _of_replication(ledger, *whole, command, db, tell)
        numbers = [last.id]
    # Find all experiments first, because reading each of them may take a while.
    chosen = [ledger.experiment(number) for number in dict.fromkeys(numbers)]
    many = []
    for experiment in chosen:
        tell(f"reading experiment {experiment.id}")
        many.append(_read(ledger, experiment))
    return _of_one(ledger, many[0], command, db, tell) if len(many) == 1 else _of_many(ledger, many, command, db, tell)


def _read(ledger: Ledger, experiment: Experiment) -> Results:
    results = Results.read(ledger, experiment.id)
    if not results.games_played:
        raise LedgerError(f"{ledger.path}: no pair of experiment {experiment.id} is finished yet")
    return results


def _of_one(ledger: Ledger, results: Results, command: str, db: str, tell: Callable[[str], None]) -> Document:
    body, end = _sections(results, db, tell)
    sections = (*body, method([results]), origin([results], command), end)
    name = results.experiment.name
    title = f"Tournament report{f': {name}' if name else ''}"
    return Document(title, _subtitle(results), sections, _foot(ledger))


def _sections(results: Results, db: str, tell: Callable[[str], None]) -> tuple[list[Section], Section]:
    """Return the sections of a tournament, and its recommendation."""
    body, found = tournament_sections(results, db, tell)
    trial = trial_of(results.experiment)
    if trial is not None and trial.is_sweep:
        at = 1 + [section.id for section in body].index("standings")
        body.insert(at, Section("sweeps", "Parameter curves", tuple(sweep_blocks(trial, results))))
    return body, recommendation_section(found, results)


def _subtitle(results: Results) -> str:
    plan = results.plan
    names = list(plan.candidates)
    told = listed(names) if len(names) <= _NAMED else plural(len(names), "candidate")
    if plan.is_round_robin:
        whom = "against each other"
    elif plan.panel and plan.panel not in plan.opponents and len(plan.opponents) > 1 and len(plan.panel) < 20:
        whom = f"against panel {plan.panel}"
    else:
        whom = f"against {listed(list(plan.opponents))}"
    board = plan.board.replace("x", "×")
    games = plural(results.games_played, "game")
    return f"{told} {whom}: {games} on {board}, at {budget_words(results)} per move."


def _of_many(ledger: Ledger, many: Sequence[Results], command: str, db: str, tell: Callable[[str], None]) -> Document:
    sections, headlines = [], []
    for results in many:
        prefix = f"e{results.experiment.id}"
        body, end = _sections(results, db, tell)
        inner = [replace(section, id=f"{prefix}-{section.id}") for section in (*body, end)]
        title = f"Experiment {results.experiment.id}"
        if results.experiment.name:
            title += f": {results.experiment.name}"
        sections.append(Section(prefix, title, (), tuple(inner)))
        (sentence,) = (block.text for block in end.blocks[:1] if hasattr(block, "text"))
        headlines.append(f"Experiment {results.experiment.id}: {sentence}")
    last = Section("recommendation", "Recommendations", (Points(tuple(headlines)),))
    numbers = listed([str(results.experiment.id) for results in many])
    games = sum(results.games_played for results in many)
    subtitle = f"Experiments {numbers}: {plural(games, 'game')}. Each has its own section."
    return Document(
        "Tournament report", subtitle, (*sections, method(many), origin(many, command), last), _foot(ledger)
    )


def _of_replication(
    ledger: Ledger, found: Replication, left: Sequence[Trial], command: str, db: str, tell: Callable[[str], None]
) -> Document:
    every = [results for _, results in found.played]
    body = replication_sections(found, left, db, tell)
    ends = (method(every, is_replication=True), origin(every, command), replication_recommendation(found))
    games = sum(results.games_played for results in every)
    reports = list(dict.fromkeys(trial.report.id for trial, _ in found.played))
    word = f"Report {reports[0]}" if len(reports) == 1 else f"Reports {listed(reports)}"
    if len(reports) == len(REPORTS):
        word = "Five published analyses"
    subtitle = (
        f"{word} on knight-move Isolation, played again: {plural(games, 'game')} in {plural(len(every), 'trial')}, "
        f"{found.terms.pairs:,} pairs per opponent."
    )
    return Document("Replication report", subtitle, (*body, *ends), _foot(ledger))


def _foot(ledger: Ledger) -> str:
    return f"Written by Knightfall {__version__} from the ledger {ledger.path.name}."
