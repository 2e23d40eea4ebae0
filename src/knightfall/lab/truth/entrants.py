"""The heuristics that took part in an experiment, loaded as they are today."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from knightfall.agents.agent import Agent
from knightfall.agents.budget import Budget
from knightfall.agents.mcts import MonteCarloAgent
from knightfall.agents.searching import SearchAgent
from knightfall.arena.fingerprint import source_hash
from knightfall.arena.players import make_player
from knightfall.arena.results import Results
from knightfall.catalogue.consent import FileChanged, FileNotAllowed, FileWarning, named_by
from knightfall.catalogue.heuristic import Heuristic
from knightfall.native.cache import PACKAGE
from knightfall.rules import KnightfallError


@dataclass(frozen=True)
class Entrant:
    """A candidate and its heuristic. ``search`` describes how it searches, without heuristic and budget."""

    candidate: str
    heuristic: Heuristic
    search: str
    budget: Budget


@dataclass(frozen=True)
class Entrants:
    """The heuristics that can be loaded, and the reasons why the others cannot, by candidate."""

    members: tuple[Entrant, ...]
    missing: dict[str, str]


def entrants(results: Results, say: Callable[[str], None] | None = None) -> Entrants:
    """Return the candidates of an experiment that use a heuristic.

    Heuristics whose file is missing, has changed, or is not allowed to run are not loaded.
    """
    members, missing = [], {}
    origin = f"experiment {results.experiment.id} of the ledger"
    for name in results.plan.candidates:
        if say is not None:
            say(f"loading {name}")
        if results.plan.identity(name).endswith(f" as {name}"):
            missing[name] = "its function was in no file"
            continue
        try:
            with named_by(origin, results.experiment.heuristic_hashes):
                made = make_player(name, results.plan.budget).agent
        except FileChanged:
            missing[name] = "its file has changed since"
            continue
        except FileNotAllowed as error:
            _warn(str(error))
            missing[name] = "the ledger names its file, which nobody allowed to run"
            continue
        except KnightfallError as error:
            missing[name] = str(error)
            continue
        if isinstance(made, SearchAgent | MonteCarloAgent) and made.heuristic is not None:
            if _has_changed(made.heuristic, results):
                missing[name] = "its file has changed since"
            else:
                members.append(Entrant(name, made.heuristic, _search(made), made.budget))
    return Entrants(tuple(members), missing)


@cache
def _warn(message: str) -> None:
    """Warn once about a file that was not run, because several parts of a report load the same heuristics."""
    warnings.warn(message, FileWarning, stacklevel=3)


def is_of_this_version(results: Results) -> bool:
    """Return whether the present sources played the games. Otherwise a heuristic may have changed."""
    return results.experiment.code.get("sources") == source_hash()


def _has_changed(heuristic: Heuristic, results: Results) -> bool:
    code = heuristic.code
    if code.program is None or code.path is None or code.path.is_relative_to(PACKAGE):
        return False
    # Compare by content only, because the name depends on the current folder.
    return code.program.digest() not in results.experiment.heuristic_hashes.values()


def _search(made: Agent) -> str:
    if not isinstance(made, SearchAgent):
        return made.kind
    depth = made.search.depth if made.has_fixed_depth else None
    plain = replace(made.search, depth=depth, nodes=None, ms=None)
    return f"{made.kind}({', '.join(plain.settings(made.usual))})"
