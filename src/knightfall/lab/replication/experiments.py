"""Trials: the tournaments of a replication, for each kind of budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knightfall.agents.budget import Budget
from knightfall.arena.panels import PANELS, published_search
from knightfall.arena.request import Request
from knightfall.lab.replication.costs import nodes_at_equal_cost
from knightfall.lab.replication.papers import REPORTS, Report

NODES = 5_000
BUDGETS = ("nodes", "cost")
"""Kinds of budget: equal nodes for all, or equal cost, where expensive functions get fewer nodes.

If ``ms`` is set, a real clock is used instead.
"""

SWEEP_SHARE = 5  # sweeps get a fifth of the pairs because they show a curve and need no verdict
LARGE_BOARD = "11x9"


@dataclass(frozen=True)
class Terms:
    """Settings shared by all trials of one replication."""

    pairs: int = 500
    nodes: int = NODES
    ms: float | None = None
    seed: int = 1

    @property
    def budgets(self) -> tuple[str, ...]:
        """The kinds of budget that are played."""
        return ("ms",) if self.ms is not None else BUDGETS

    def budget(self, kind: str) -> Budget:
        """Return the budget of agents that do not specify their own."""
        return Budget(ms=self.ms) if kind == "ms" else Budget(nodes=self.nodes)


@dataclass(frozen=True)
class Trial:
    """One tournament: the experiment of a report, all its sweeps, or claim C5 on a large board."""

    report: Report
    budget: str
    terms: Terms
    is_sweep: bool = False
    board: str = "7x7"
    chosen: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the experiment in the ledger."""
        what = " sweeps" if self.is_sweep else "" if self.board == "7x7" else f" on {self.board}"
        return f"replicate {self.report.id}{what}, equal {self.budget}"

    @property
    def candidates(self) -> tuple[str, ...]:
        """Heuristics, or agents by name, as the reports call them."""
        if self.is_sweep:
            return tuple(dict.fromkeys(name for sweep in self.report.sweeps for name in sweep.candidates))
        return self.chosen or self.report.candidates

    def agent(self, candidate: str) -> str:
        """Return the string of the agent that a candidate plays as in this trial."""
        if candidate == "Custom":
            paid = nodes_at_equal_cost("contested_reach", self.terms.nodes)
            return f"Custom(nodes={paid})" if self.budget == "cost" else "Custom"
        name = published_search(candidate, self.report.panel)
        return _with_nodes(name, nodes_at_equal_cost(candidate, self.terms.nodes)) if self.budget == "cost" else name

    def opponent(self, name: str) -> str:
        """Return the string of a panel member in this trial.

        At equal cost, members without a fixed depth also pay for their heuristics.
        """
        prefix, _, heuristic = name.partition("_")
        if self.budget != "cost" or prefix not in ("AB", "ID"):
            return name
        return _with_nodes(name, nodes_at_equal_cost(heuristic.lower(), self.terms.nodes))

    @property
    def opponents(self) -> list[str]:
        """The agents of the panel."""
        return [self.opponent(name) for name in PANELS[self.report.panel]]

    def request(self) -> Request:
        """Return the request for this tournament."""
        pairs = self.terms.pairs if not self.is_sweep else max(self.terms.pairs // SWEEP_SHARE, 4)
        return Request(
            candidates=[self.agent(candidate) for candidate in self.candidates],
            panel=self.opponents,
            pairs=pairs,
            budget=self.terms.budget(self.budget),
            seed=self.terms.seed,
            baseline=self.agent("improved") if "improved" in self.candidates else None,
            board=self.board,
        )


def _with_nodes(name: str, nodes: int) -> str:
    """Add a node limit to an agent's string.

    >>> _with_nodes("AB_reach(k=3)", 900), _with_nodes("AB_open", 7000)
    ('AB_reach(k=3, nodes=900)', 'AB_open(nodes=7000)')
    """
    return f"{name[:-1]}, nodes={nodes})" if name.endswith(")") else f"{name}(nodes={nodes})"


def trials(reports: Sequence[str], terms: Terms) -> list[Trial]:
    """Return all trials that these reports need: first the reports' own, sweeps last."""
    chosen = [REPORTS[name] for name in reports]
    found = [Trial(report, budget, terms) for report in chosen for budget in terms.budgets]
    for report in chosen:
        if report.id == "C":
            large = ("improved", "stages", "stages_improved")
            found += [Trial(report, kind, terms, board=LARGE_BOARD, chosen=large) for kind in terms.budgets]
    for report in chosen:
        # If a parameter changes the cost, the best value may depend on the budget, so claim E3 is judged for both
        # budgets.
        kinds = terms.budgets if report.id == "E" else terms.budgets[:1]
        found += [Trial(report, kind, terms, is_sweep=True) for kind in kinds]
    return found
