"""The heuristics that took part in an experiment, as they can be had today."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from knightfall.agents.agent import Agent
from knightfall.agents.budget import Budget
from knightfall.agents.mcts import MonteCarloAgent
from knightfall.agents.searching import SearchAgent
from knightfall.arena.fingerprint import source_hash
from knightfall.arena.players import make_player
from knightfall.arena.results import Results
from knightfall.catalogue.heuristic import Heuristic
from knightfall.native.cache import PACKAGE
from knightfall.rules import KnightfallError


@dataclass(frozen=True)
class Entrant:
    """A candidate and its heuristic; ``search`` is how it looks for a move, heuristic and budget apart."""

    candidate: str
    heuristic: Heuristic
    search: str
    budget: Budget


@dataclass(frozen=True)
class Entrants:
    """Those that can be had, and of the others why they cannot, by candidate."""

    members: tuple[Entrant, ...]
    missing: dict[str, str]


def entrants(results: Results, say: Callable[[str], None] | None = None) -> Entrants:
    """The candidates of an experiment that ask a heuristic. A file that is gone or has changed is not asked."""
    members, missing = [], {}
    for name in results.plan.candidates:
        if say is not None:
            say(f"loading {name}")
        if results.plan.identity(name).endswith(f" as {name}"):
            missing[name] = "its function was in no file"
            continue
        try:
            made = make_player(name, results.plan.budget).agent
        except KnightfallError as error:
            missing[name] = str(error)
            continue
        if isinstance(made, SearchAgent | MonteCarloAgent) and made.heuristic is not None:
            if _has_changed(made.heuristic, results):
                missing[name] = "its file has changed since"
            else:
                members.append(Entrant(name, made.heuristic, _search(made), made.budget))
    return Entrants(tuple(members), missing)


def is_of_this_version(results: Results) -> bool:
    """Whether the games were played by the sources that are here now; if not, a heuristic may be another one."""
    return results.experiment.code.get("sources") == source_hash()


def _has_changed(heuristic: Heuristic, results: Results) -> bool:
    code = heuristic.code
    if code.program is None or code.path is None or code.path.is_relative_to(PACKAGE):
        return False
    # By what is in it alone: the name depends on the folder in which one asks.
    return code.program.digest() not in results.experiment.code.get("heuristics", {}).values()


def _search(made: Agent) -> str:
    if not isinstance(made, SearchAgent):
        return made.kind
    depth = made.search.depth if made.has_fixed_depth else None
    plain = replace(made.search, depth=depth, nodes=None, ms=None)
    return f"{made.kind}({', '.join(plain.settings(made.usual))})"
