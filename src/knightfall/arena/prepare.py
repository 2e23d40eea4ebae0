"""From a request to a plan and its players: names, baseline, openings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from knightfall.agents.agent import Agent
from knightfall.agents.make import agent
from knightfall.arena.defaults import BASELINE
from knightfall.arena.opening_choice import choose_openings
from knightfall.arena.panels import candidate_text, panel, published_search
from knightfall.arena.plan import Plan, PlanError
from knightfall.arena.players import Player, make_player, make_players
from knightfall.arena.request import Contestant, Request
from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.loader import expand
from knightfall.catalogue.registry import heuristics as catalogue


@dataclass(frozen=True)
class Prepared:
    """A plan and its players."""

    plan: Plan
    players: dict[str, Player] = field(repr=False)


def prepare(request: Request) -> Prepared:
    """Look up everything that a request names; invalid requests raise one-line errors."""
    names = _Names(request.panel_name)
    candidates, opponents = _sides(request, names)
    players = make_players([*candidates, *opponents], request.budget, names.heuristics, names.typed)
    for side in (candidates, opponents):
        _check_distinct(side, players)
    baseline = _baseline(request, names, candidates, players)
    if baseline is not None and baseline not in candidates:  # it plays the same panel
        candidates.insert(0, baseline)
    openings, drawn = choose_openings(request)
    plan = Plan(
        candidates=tuple(candidates),
        opponents=tuple(opponents),
        openings=tuple(position.fen() for position in openings),
        board=str(openings[0].geometry),
        panel=request.panel_name,
        baseline=baseline,
        budget=request.budget,
        seed=request.seed,
        identities={name: player.identity for name, player in players.items()},
        drawn=drawn,
        sprt=request.sprt,
    )
    return Prepared(replace(plan, rivals=_needs_rivals(plan)), players)


class _Names:
    """The names of contestants, with the heuristics and the strings that they stand for."""

    def __init__(self, panel_name: str) -> None:
        self._panel = panel_name
        self.heuristics: dict[str, Heuristic] = {}
        self.typed: dict[str, str] = {}

    def add(self, asked: Contestant) -> str:
        """Return the name under which a contestant plays."""
        if isinstance(asked, str):
            name = candidate_text(asked, self._panel)
            self.typed[name] = asked.strip()
            return name
        if isinstance(asked, Agent):
            name, heuristic = _agent_name(asked), getattr(asked, "heuristic", None)
        else:
            name, heuristic = published_search(asked.text, self._panel), asked
        if heuristic is None:
            return name
        name = self._distinct(name, heuristic)
        self.heuristics[name] = heuristic
        return name

    def _distinct(self, name: str, heuristic: Heuristic) -> str:
        """Return a name that no other function has: two versions of h in a notebook are two players."""
        number = 1
        taken = heuristic.code.path is None and heuristic.name in catalogue
        found = name
        while taken or (found in self.heuristics and self.heuristics[found] != heuristic):
            number += 1
            taken = False
            found = name.replace(heuristic.name, f"{heuristic.name}_{number}", 1)
        return found


def _agent_name(made: Agent) -> str:
    """Return a string that creates the same agent: its name, unless its budget was changed."""
    if made.name and agent(made.name, heuristic=getattr(made, "heuristic", None)).text == made.text:
        return made.name
    return made.text


def _sides(request: Request, names: _Names) -> tuple[list[str], list[str]]:
    """Return the names of candidates and opponents; in a round robin, all are candidates."""
    candidates = _candidates(request, names)
    opponents = _opponents(request, names)
    if not request.round_robin:
        if not opponents:
            raise PlanError("a tournament needs at least one opponent")
        return candidates, opponents
    everybody = list(dict.fromkeys([*candidates, *opponents]))
    if len(everybody) < 2:
        raise PlanError("a round robin needs at least two players")
    return everybody, []


def _candidates(request: Request, names: _Names) -> list[str]:
    wanted = [part for asked in request.candidates for part in (expand([asked]) if isinstance(asked, str) else [asked])]
    candidates = [names.add(asked) for asked in wanted]
    for name in candidates:
        if candidates.count(name) > 1:
            raise PlanError(f"the candidate {names.typed.get(name, name)} is named twice")
    if not candidates:
        raise PlanError("a tournament needs at least one candidate")
    return candidates


def _opponents(request: Request, names: _Names) -> list[str]:
    asked = request.panel
    opponents = panel(asked) if isinstance(asked, str) else [names.add(opponent) for opponent in asked]
    for name in opponents:
        if opponents.count(name) > 1:
            raise PlanError(f"the opponent {name} is named twice")
    return opponents


def _check_distinct(names: Sequence[str], players: Mapping[str, Player]) -> None:
    """Raise PlanError if two names refer to the same agent."""
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(players[name].identity, name)
        if other != name:
            raise PlanError(f"{name} is the same agent as {other}")


def _baseline(request: Request, names: _Names, candidates: Sequence[str], players: dict[str, Player]) -> str | None:
    """Return the name of the baseline, and add it to the players if it is not among the candidates."""
    if request.baseline is None or request.sprt is not None:
        return None
    name = names.add(request.baseline)
    made = players.get(name) or make_player(name, request.budget, names.heuristics.get(name), names.typed.get(name))
    for candidate in candidates:  # it may be a candidate under another name
        if players[candidate].identity == made.identity:
            return candidate
    if request.round_robin:
        if request.baseline != BASELINE:
            raise PlanError(f"the baseline {name} does not play in this round robin")
        return None
    players[name] = made
    return name


def _needs_rivals(plan: Plan) -> bool:
    """Return whether the candidates meet the baseline only in matches outside the panel."""
    if plan.baseline is None or plan.sprt is not None or plan.is_round_robin:
        return False
    return any(plan.duel(name) is None for name in plan.candidates if name != plan.baseline)
