"""The heuristics that took part in an experiment, as they can be had today."""

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
    """The candidates of an experiment that ask a heuristic.

    A file that is gone or has changed, or that the user does not allow to run, is not asked.
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
    """Say once which file was not run: several parts of a report ask for the same heuristics."""
    warnings.warn(message, FileWarning, stacklevel=3)


def is_of_this_version(results: Results) -> bool:
    """Whether the games were played by the sources that are here now; if not, a heuristic may be another one."""
    return results.experiment.code.get("sources") == source_hash()


def _has_changed(heuristic: Heuristic, results: Results) -> bool:
    code = heuristic.code
    if code.program is None or code.path is None or code.path.is_relative_to(PACKAGE):
        return False
    # By what is in it alone: the name depends on the folder in which one asks.
    return code.program.digest() not in results.experiment.heuristic_hashes.values()


def _search(made: Agent) -> str:
    if not isinstance(made, SearchAgent):
        return made.kind
    depth = made.search.depth if made.has_fixed_depth else None
    plain = replace(made.search, depth=depth, nodes=None, ms=None)
    return f"{made.kind}({', '.join(plain.settings(made.usual))})"
