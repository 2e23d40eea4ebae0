"""Creates agents from text: ``kf.agent("alphabeta(improved, nodes=5000)")``, and agents under the reports' names."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from knightfall.agents.agent import Agent
from knightfall.agents.budget import number_text
from knightfall.agents.errors import AgentError, UnknownAgent, at_character
from knightfall.agents.mcts import MonteCarlo, MonteCarloAgent
from knightfall.agents.perfect import PerfectAgent
from knightfall.agents.searching import ORDERS, PLAIN, PUBLISHED, Search, SearchAgent
from knightfall.agents.simple import HumanAgent, RandomAgent
from knightfall.agents.text import Argument, Call, parse
from knightfall.catalogue.consent import ConsentError
from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.loader import load
from knightfall.catalogue.registry import heuristics
from knightfall.native.search.block import MOST_MOVES
from knightfall.rules import KnightfallError
from knightfall.rules.suggestions import did_you_mean

_CHARACTER = re.compile(r"'.*': character (\d+): (.*)", re.DOTALL)
_PUBLISHED = re.compile(r"(MM|AB5|AB|ID)_(.+)")
_LARGEST = 2**62

BEST_HEURISTIC = "knightfall"
"""The heuristic with which `perfect` searches if it cannot find the exact result."""

_MOST_MEGABYTES = 2**20


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            limit = f"from {least} to {most if most < _LARGEST else '2^62'}"
            raise ValueError(f"is a whole number {limit}")
        return number

    return read


def _real(least: float, most: float, unit: str = "") -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise ValueError(f"is a number from {number_text(least)} to {number_text(most)}{unit}")
        return number

    return read


def _one_of(**choices: Any) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        if text not in choices:
            raise ValueError(f"is one of {', '.join(choices)}")
        return choices[text]

    return read


def _table(text: str) -> float | None:
    if text in ("off", "auto"):
        return None if text == "off" else -1.0
    try:
        return _real(0.001, _MOST_MEGABYTES)(text)
    except ValueError:
        raise ValueError(f"is off, auto or a size from 0.001 to {_MOST_MEGABYTES} megabytes") from None


def _order(text: str) -> frozenset[str]:
    if text == "plain":
        return frozenset()
    if text == "full":
        return frozenset(ORDERS)
    names = [name.strip() for name in text.split("+")]
    if not set(names) <= set(ORDERS):
        raise ValueError(f"is plain, full, or some of {'+'.join(ORDERS)}")
    return frozenset(names)


_SWITCH = _one_of(on=True, off=False)
_DEPTH = _whole(1, MOST_MOVES)
_NODES = _whole(1, _LARGEST)
_MS = _real(0.01, 1e9, " milliseconds")
_HORIZON = _one_of(rules="rules", heuristic="heuristic")
_TIES = _one_of(shuffle="shuffle", first="first")

Readers = Mapping[str, Callable[[str], Any]]

OPTIONS: dict[str, Readers] = {
    "random": {},
    "human": {},
    "greedy": {"horizon": _HORIZON, "ties": _TIES},
    "minimax": {"depth": _DEPTH, "horizon": _HORIZON, "ties": _TIES},
    "alphabeta": {
        "depth": _DEPTH,
        "nodes": _NODES,
        "ms": _MS,
        "tt": _table,
        "order": _order,
        "window": _one_of(null="null", full="full"),
        "fold": _SWITCH,
        "horizon": _HORIZON,
        "ties": _TIES,
        "deepen": _SWITCH,
        "partial": _SWITCH,
        "reuse": _SWITCH,
    },
    "perfect": {"ms": _MS, "nodes": _NODES},
    "mcts": {
        "nodes": _NODES,
        "ms": _MS,
        "playouts": _NODES,
        "c": _real(0, 100),
        "tree": _real(0.001, _MOST_MEGABYTES, " megabytes"),
        "cutoff": _whole(0, MOST_MOVES),
    },
}
"""Every kind of agent and the options that its text can contain."""

NAMES = (*OPTIONS, "Random", "Custom", "MonteCarlo")
"""The possible first words of an agent's text, except for the form MM_x and similar ones."""

_FIXED_DEPTH: Readers = {"ties": _TIES}
_FREE_DEPTH: Readers = {"depth": _DEPTH, "nodes": _NODES, "ms": _MS, "ties": _TIES}
PUBLISHED_OPTIONS: dict[str, Readers] = {
    "Random": {},
    "MM": _FIXED_DEPTH,
    "AB5": _FIXED_DEPTH,
    "AB": _FREE_DEPTH,
    "ID": _FREE_DEPTH,
    "Custom": _FREE_DEPTH,
    "MonteCarlo": {name: reader for name, reader in OPTIONS["mcts"].items() if name != "cutoff"},
}
"""The options of the reports' agents, by name or by the prefix of the heuristic's name."""


@dataclass(frozen=True)
class Entry:
    """One line of the list of agents."""

    text: str
    meaning: str


AGENTS = (
    Entry("random", "any legal move"),
    Entry("greedy(improved)", "the move after which the heuristic is highest"),
    Entry("minimax(improved, depth=3)", "every line to a fixed depth"),
    Entry("alphabeta(improved, nodes=5000)", "the project's own search: table, ordering, null windows, symmetries"),
    Entry("mcts(nodes=20000)", "Monte Carlo tree search: UCT, random playouts, proven wins and losses"),
    Entry("perfect", "wins whenever it can: the book, the solver, and where they end a search"),
    Entry("human", "asks at the terminal"),
    Entry("Random", "as random"),
    Entry("MM_x", "the reports' minimax to depth 3 with heuristic x"),
    Entry("AB5_x", "the reports' alpha-beta to depth 5"),
    Entry("AB_x or ID_x", "the reports' iterative deepening: no table, moves as they come"),
    Entry("Custom", "report E's own: contested_reach, the last iteration's best move first"),
    Entry("MonteCarlo", "report E's Monte Carlo tree search"),
)
"""The agents in the order of `knightfall agents`."""


def agent(text: str, seed: int = 0, *, heuristic: Heuristic | None = None) -> Agent:
    """Return the agent that a text describes.

    ``seed`` is a whole number from 0 to 2^64 - 1. ``heuristic`` replaces the one in the text, or the default. Raise
    :class:`AgentError` if the text or the seed is invalid.

    >>> import knightfall as kf
    >>> strong = kf.agent("alphabeta(improved, nodes=5000)")
    >>> choice = strong.choose(kf.Position.from_fen("7/7/3n3/7/7/2N4/7 w"))
    >>> choice.nodes
    5000
    >>> kf.agent("AB_Improved").text
    'alphabeta(improved, tt=off, order=plain, window=full, fold=off, horizon=heuristic, partial=off)'
    """
    if not isinstance(text, str):
        raise AgentError(f"an agent is described by a text, not by {text!r:.60}")
    call = parse(text)
    published = _PUBLISHED.fullmatch(call.name)
    if published is not None:
        return _published(call, published[1], published[2], seed, heuristic)
    if call.name in ("Custom", "MonteCarlo", "Random"):
        return _named(call, seed, heuristic)
    if call.name not in OPTIONS:
        raise _unknown(call)
    positional, named = _split(call, OPTIONS[call.name])
    if positional is not None and call.name in ("random", "human", "perfect"):
        raise at_character(text, positional.at, f"{call.name} takes no heuristic")
    options = _read(call, named, OPTIONS[call.name])
    if positional is not None:
        heuristic = heuristic or _heuristic(text, positional.value, positional.at)
    return _make(call, heuristic, options, seed)


def _make(call: Call, heuristic: Heuristic | None, options: dict[str, Any], seed: int) -> Agent:
    kind = call.name
    if kind == "random":
        return RandomAgent(seed)
    if kind == "human":
        return HumanAgent(seed)
    if kind == "perfect":
        return PerfectAgent(heuristic or heuristics[BEST_HEURISTIC], seed=seed, **options)
    if kind == "mcts":
        if (heuristic is None) != ("cutoff" not in options):
            missing = "a cut-off needs a heuristic to judge by" if heuristic is None else "a heuristic needs a cutoff="
            where = _place(call, "cutoff" if heuristic is None else None)
            raise at_character(call.text, where, f"{missing}, as in mcts(improved, cutoff=8, nodes=20000)")
        return MonteCarloAgent(heuristic, MonteCarlo(**options), seed)
    chosen = heuristics["improved"] if heuristic is None else heuristic
    if kind == "alphabeta":
        search = Search(**options)
        if not search.deepen and search.depth is None:
            raise at_character(call.text, _place(call, "deepen"), "deepen=off needs a depth=")
        return SearchAgent(kind, chosen, search, seed)
    depth = {"depth": 1} if kind == "greedy" else {"depth": 3}
    return SearchAgent(kind, chosen, replace(PLAIN, **{**depth, **options}), seed)


def _published(call: Call, prefix: str, name: str, seed: int, heuristic: Heuristic | None) -> Agent:
    """Return the agent for ``MM_x``, ``AB5_x``, ``AB_x`` or ``ID_x``.

    The brackets contain options of the search and parameters of the heuristic.
    """
    readers = PUBLISHED_OPTIONS[prefix]
    positional, named = _split(call, None)
    if positional is not None:
        raise at_character(call.text, positional.at, "name=value is expected")
    options = _read(call, [argument for argument in named if argument.name in readers], readers)
    rest = [f"{argument.name}={argument.value}" for argument in named if argument.name not in readers]
    for argument in named:
        if prefix in ("MM", "AB5") and argument.name in _FREE_DEPTH and argument.name not in readers:
            where = call.text.rindex(argument.name or "", 0, argument.at)
            raise at_character(call.text, where, f"{prefix}_x has a fixed depth and takes no {argument.name}")
    if heuristic is None:
        base = name.lower() if name in ("Null", "Open", "Improved", "Center") else name
        told = f"{base}({', '.join(rest)})" if rest else base
        heuristic = _heuristic(call.text, told, call.at + len(prefix) + 1)
    fixed: dict[str, Any] = {"MM": {"depth": 3, "deepen": False}, "AB5": {"depth": 5, "deepen": False}}.get(prefix, {})
    kind = "minimax" if prefix == "MM" else "alphabeta"
    return SearchAgent(kind, heuristic, replace(PUBLISHED, **{**fixed, **options}), seed, call.text.strip())


def _named(call: Call, seed: int, heuristic: Heuristic | None) -> Agent:
    readers = PUBLISHED_OPTIONS[call.name]
    positional, named = _split(call, readers)
    if positional is not None:
        wanted = "name=value is expected" if readers else f"{call.name} takes nothing in brackets"
        raise at_character(call.text, positional.at, wanted)
    options = _read(call, named, readers)
    name = call.text.strip()
    if call.name == "Random":
        return RandomAgent(seed, name)
    if call.name == "MonteCarlo":
        return MonteCarloAgent(None, MonteCarlo(**options), seed, name)
    search = replace(PUBLISHED, order=frozenset({"root"}), **options)
    return SearchAgent("alphabeta", heuristic or heuristics["contested_reach"], search, seed, name)


def _split(call: Call, readers: Readers | None) -> tuple[Argument | None, list[Argument]]:
    """Return the value without a name, if there is one, and the named values. Check that each name occurs once."""
    positional = None
    named: dict[str, Argument] = {}
    for argument in call.arguments:
        if argument.name is None:
            if positional is not None:
                raise at_character(call.text, argument.at, f"a second heuristic, {argument.value!r}, is one too many")
            positional = argument
            continue
        where = call.text.rindex(argument.name, 0, argument.at)
        if argument.name in named:
            raise at_character(call.text, where, f"a second {argument.name}")
        if readers is not None and argument.name not in readers:
            known = ", ".join(readers) or "none"
            near = get_close_matches(argument.name, readers, n=1, cutoff=0.7)
            hint = f"; did you mean {near[0]}?" if near else f"; it has {known}"
            raise at_character(call.text, where, f"{call.name} has no option {argument.name!r}{hint}")
        named[argument.name] = argument
    return positional, list(named.values())


def _read(call: Call, named: list[Argument], readers: Readers) -> dict[str, Any]:
    options = {}
    for argument in named:
        assert argument.name is not None
        try:
            options[argument.name] = readers[argument.name](argument.value)
        except ValueError as error:
            raise at_character(call.text, argument.at, f"{argument.name} {error}, not {argument.value!r}") from None
    return options


def _place(call: Call, name: str | None) -> int:
    """Return the index where an argument begins; if it is missing, the index of the agent's name."""
    for argument in call.arguments:
        if argument.name == name:
            return argument.at if name is None else call.text.rindex(name, 0, argument.at)
    return call.at


def _heuristic(text: str, told: str, at: int) -> Heuristic:
    try:
        return load(told)
    except ConsentError:
        raise
    except KnightfallError as error:
        if ".py" in told:
            raise AgentError(str(error)) from None  # it names the file, as the user did
        # Convert the index of a character in the heuristic's text to its index in the agent's text.
        inner = _CHARACTER.fullmatch(str(error))
        if inner is not None and told in text[at:]:
            raise at_character(text, at + int(inner[1]) - 1, inner[2]) from None
        raise at_character(text, at, str(error)) from None


def _unknown(call: Call) -> AgentError:
    if ".py" in call.name:
        return at_character(call.text, call.at, f"a file holds heuristics; an agent is, say, alphabeta({call.name})")
    if call.name in heuristics:
        hint = f"{call.name} is a heuristic; an agent is, say, alphabeta({call.name}, nodes=5000)"
        return at_character(call.text, call.at, hint)
    hint = did_you_mean(call.name, [*NAMES, *heuristics], "`knightfall agents` lists them")
    if (meant := re.fullmatch(r"; did you mean (.+)\?", hint)) and meant[1] in heuristics:
        hint = f"; did you mean alphabeta({meant[1]})?"
    return UnknownAgent(call.text, call.at, f"agent {call.name!r} not found{hint}")
