"""The work of `knightfall agents`: the kinds of agents, and the explanation of one agent."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from knightfall.agents.agent import Agent
from knightfall.agents.budget import Budget
from knightfall.agents.make import AGENTS, OPTIONS
from knightfall.agents.mcts import MonteCarlo
from knightfall.agents.searching import ORDERS, PLAIN, Search
from knightfall.cli.common import prose, warnings_as_lines
from knightfall.cli.json_output import print_json
from knightfall.cli.layout import Column, Page, table
from knightfall.cli.run.agent_texts import read_agent
from knightfall.native.background import interruptible
from knightfall.rules.formatting import plural

MEANINGS = {
    "depth": "how many moves deep it looks, at the most",
    "nodes": "positions stepped into for one move, at the most; 5000 where no budget is given",
    "ms": "milliseconds for one move, at the most",
    "playouts": "random games for one move, at the most",
    "tt": "table of positions met before: off, auto (as large as the budget can fill) or megabytes",
    "order": "moves tried first: plain (as they come), full, or some of root+table+killer+history+replies",
    "window": "null asks of all but the first move only whether it is better; full searches it in full",
    "fold": "positions that are images of each other share what is known of them: on, off",
    "horizon": "who scores a finished game at depth 0: rules, or heuristic as in the reports",
    "ties": "of equal moves: shuffle by seed and position, or first in the fixed order",
    "deepen": "depth 1, then 2, then 3, until the budget ends: on; off goes straight to depth=",
    "partial": "what an unfinished last iteration has found counts: on, off",
    "reuse": "the table is kept from move to move: on, off",
    "c": "how much UCT explores",
    "tree": "megabytes of the tree, at the most",
    "cutoff": "moves after which a playout ends and the heuristic judges",
}
"""The meaning of each option in an agent's string."""

PERFECT_MEANINGS = {
    "ms": "milliseconds for one move, at the most; 120 where no budget is given",
    "nodes": "positions stepped into for one move, at the most",
}
"""Meanings that differ for `perfect`."""


def agents(text: str | None, json: bool) -> None:
    """Run `knightfall agents`."""
    if text is None:
        _list(json)
        return
    with warnings_as_lines():
        made = interruptible(lambda: read_agent(text))
        if json:
            print_json("agent", _facts(made))
        else:
            _explain(made)


def _list(json: bool) -> None:
    if json:
        options = {
            kind: {name: _option(kind, name, usual_settings(kind)) for name in names} for kind, names in OPTIONS.items()
        }
        entries = [{"text": entry.text, "meaning": entry.meaning} for entry in AGENTS]
        print_json("agents", {"agents": entries, "options": options})
        return
    width = max(len(entry.text) for entry in AGENTS)
    _print_columns(("agent", "what it does"), [(entry.text, entry.meaning) for entry in AGENTS], width)
    print()
    options_of = [(kind, ", ".join(names)) for kind, names in OPTIONS.items() if names]
    _print_columns(("kind", "options in its brackets"), options_of, width)
    print(prose("\nknightfall agents TEXT explains one with its options; knightfall heuristics lists the heuristics"))


def _print_columns(heads: tuple[str, str], rows: Sequence[tuple[str, str]], width: int) -> None:
    """Print names with descriptions. On a narrow terminal the second column takes several lines."""
    page = Page.of(sys.stdout)
    if page is not None:
        print("\n".join(table(page, [Column(head, whole=False) for head in heads], rows)))
        return
    for name, text in (heads, *rows):
        print(f"{name:{width}}  {text}")


def usual_settings(kind: str) -> Any:
    """Return the default settings of this kind of agent, or None for kinds without settings."""
    return {
        "greedy": replace(PLAIN, depth=1),
        "minimax": replace(PLAIN, depth=3),
        "alphabeta": Search(),
        "mcts": MonteCarlo(),
        "perfect": Budget(),
    }.get(kind)


def _option(kind: str, name: str, usual: Any) -> dict[str, str]:
    meanings = MEANINGS | PERFECT_MEANINGS if kind == "perfect" else MEANINGS
    return {"default": _told(name, getattr(usual, name)), "meaning": meanings[name]}


def _told(name: str, value: Any) -> str:
    """Return a setting as it is written in an agent's string."""
    if isinstance(value, frozenset):
        return "full" if value == set(ORDERS) else "+".join(order for order in ORDERS if order in value) or "plain"
    if isinstance(value, bool):
        return "on" if value else "off"
    if name == "tt" and (value is None or value < 0):
        return "off" if value is None else "auto"
    return "-" if value is None else value if isinstance(value, str) else f"{value:.12g}"


def option_names(agent: Agent) -> tuple[str, ...]:
    """Return the options that an agent's string can have. Published names have fewer."""
    if agent.name and agent.kind in ("minimax", "alphabeta"):
        return ("depth", "nodes", "ms", "ties") if agent.search.deepen else ("ties",)  # type: ignore[attr-defined]
    # A cut-off playout needs a heuristic to judge the position, and published names cannot have one.
    return tuple(name for name in OPTIONS[agent.kind] if not (agent.name and name == "cutoff"))


def _rows(agent: Agent) -> list[dict[str, str]]:
    usual = usual_settings(agent.kind)
    settings = getattr(agent, "search", agent)  # `perfect` keeps its settings itself
    return [
        {"name": name, "value": _told(name, getattr(settings, name)), **_option(agent.kind, name, usual)}
        for name in option_names(agent)
    ]


def _facts(agent: Agent) -> dict[str, Any]:
    heuristic = getattr(agent, "heuristic", None)
    budget = agent.budget
    return {
        "text": str(agent),
        "settings": agent.text,
        "kind": agent.kind,
        "heuristic": None if heuristic is None else heuristic.text,
        "budget": {"depth": budget.depth, "nodes": budget.nodes, "ms": budget.ms, "playouts": budget.playouts},
        "repeatable": _is_repeatable(agent),
        "options": _rows(agent),
    }


def _is_repeatable(agent: Agent) -> bool:
    return agent.kind != "human" and agent.budget.is_repeatable


def _explain(agent: Agent) -> None:
    heuristic = getattr(agent, "heuristic", None)
    print(agent)
    if agent.name:
        print(prose(f"  {'means':12} {agent.text}", " " * 15))
    if heuristic is not None:
        told = f"{heuristic.text}{': ' * bool(heuristic.metadata.idea)}{heuristic.metadata.idea}"
        print(prose(f"  {'heuristic':12} {told}", " " * 15))
    print(f"  {'budget':12} {_budget_words(agent.budget)}")
    why = "yes: same text, seed and position, same move" if _is_repeatable(agent) else "no: time or a human decides"
    print(prose(f"  {'repeatable':12} {why}", " " * 15))
    rows = _rows(agent)
    if not rows:
        return
    here = max(len("here"), *(len(row["value"]) for row in rows))
    usual = max(len("default"), *(len(row["default"]) for row in rows))
    print(f"\n  {'option':12} {'here':{here}}  {'default':{usual}}  meaning")
    for row in rows:
        line = f"  {row['name']:12} {row['value']:{here}}  {row['default']:{usual}}  {row['meaning']}"
        print(prose(line, " " * (19 + here + usual)))


def _budget_words(budget: Budget) -> str:
    told = []
    if budget.depth is not None:
        told.append(f"depth {budget.depth}")
    if budget.nodes is not None:
        told.append(plural(budget.nodes, "node"))
    if budget.ms is not None:
        told.append(f"{budget.ms:g} ms")
    if budget.playouts is not None:
        told.append(plural(budget.playouts, "playout"))
    if not told:
        return "none is needed"
    return " or ".join(told) + (" a move, whichever ends first" if len(told) > 1 else " a move")
