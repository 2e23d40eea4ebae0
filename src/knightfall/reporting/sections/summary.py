"""The summary section: the results of a tournament in a few lines."""

from __future__ import annotations

from knightfall.agents.budget import DEFAULT_NODES
from knightfall.arena.formatting import percent_interval
from knightfall.arena.results import Results
from knightfall.arena.verdicts import OVER_THE_PANEL
from knightfall.reporting.document import Alert, Block, Figures, Section, Text
from knightfall.reporting.formatting import listed, plural
from knightfall.reporting.recommend import Recommendation


def summary(results: Results, found: Recommendation) -> Section:
    """Return the section with warnings, recommendation, win rates, verdicts and key figures."""
    blocks: list[Block] = []
    state = state_words(results)
    if state is not None:
        blocks.append(Alert(state))
    if results.faults:
        count = sum(results.faults.values())
        blocks.append(Alert(f"{plural(count, 'game')} ended by a fault, which counts as lost: see Faults."))
    blocks.append(Text(found.headline, "Recommendation."))
    plan = results.plan
    if plan.sprt is None:
        order = sorted(results.standings, key=lambda standing: -standing.estimate.mean)
        told = [f"{standing.candidate} {percent_interval(standing.rate)}" for standing in order[:6]]
        more = f"; {len(order) - 6} more below" if len(order) > 6 else ""
        blocks.append(Text(f"{listed(told)}{more}. In brackets: 95% intervals.", "Games won."))
        counts = [verdict.word for verdict in results.verdicts if verdict.kind == OVER_THE_PANEL]
        if counts:
            words = [f"{counts.count(word)} {word}" for word in dict.fromkeys(counts)]
            text = f"Over the panel, compared with {plan.baseline}: {listed(words)}."
            blocks.append(Text(text, "Verdicts."))
    else:
        blocks.append(Text(" ".join(f"{verdict.sentence}." for verdict in results.verdicts), "Verdict."))
    blocks.append(key_figures(results))
    return Section("summary", "Summary", tuple(blocks))


def state_words(results: Results) -> str | None:
    """Return a warning if the experiment is not finished, otherwise None."""
    if results.is_complete:
        return None
    done, total = results.pairs_done, len(results.pairs)
    return (
        f"Experiment {results.experiment.id} is not finished: {done:,} of {plural(total, 'pair')} are played. "
        "All figures are those of the pairs played so far."
    )


def key_figures(results: Results) -> Figures:
    """Return the key figures of a tournament."""
    plan = results.plan
    opponents = "each other" if plan.is_round_robin else str(len(plan.opponents))
    return Figures(
        (
            ("games", f"{results.games_played:,}"),
            ("pairs", f"{results.pairs_done:,}"),
            ("openings", f"{len({pair.opening_number for pair in results.pairs if pair.state == 'done'}):,}"),
            ("candidates", str(len(plan.candidates))),
            ("opponents", opponents),
            ("board", plan.board.replace("x", "×")),
            ("budget", budget_words(results)),
        )
    )


def budget_words(results: Results) -> str:
    """Return the budget per move of agents that do not specify their own."""
    budget = results.plan.budget
    told = [
        f"{value:,} {noun}" if isinstance(value, int) else f"{value:g} {noun}"
        for value, noun in ((budget.nodes, "nodes"), (budget.ms, "ms"), (budget.playouts, "playouts"))
        if value is not None
    ]
    if budget.depth is not None:
        told.append(f"depth {budget.depth}")
    return ", ".join(told) or f"{DEFAULT_NODES:,} nodes"
