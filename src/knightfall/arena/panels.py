"""Panels: named lists of opponents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from knightfall.agents.agent import Agent
from knightfall.agents.make import agent
from knightfall.catalogue.registry import heuristics
from knightfall.rules import KnightfallError

PANELS: dict[str, tuple[str, ...]] = {
    "gen1": ("Random", "MM_Null", "MM_Open", "MM_Improved", "AB5_Null", "AB5_Open", "AB5_Improved"),
    "gen2": ("Random", "MM_Open", "MM_Center", "MM_Improved", "AB_Open", "AB_Center", "AB_Improved"),
    "E": ("AB_Open", "AB_Improved", "MM_Improved", "MonteCarlo"),
}
"""The opponents of the five reports."""


class PanelError(KnightfallError):
    """A panel that there is not, or that cannot be read; described in one line."""


def panel(text: str) -> list[str]:
    """The opponents of a panel: by name, ``all`` for all of them, from a file, or a list separated by semicolons.

    >>> panel("E")
    ['AB_Open', 'AB_Improved', 'MM_Improved', 'MonteCarlo']
    >>> panel("Random; MM_Open")
    ['Random', 'MM_Open']
    """
    if text in PANELS:
        return list(PANELS[text])
    if text == "all":
        return list(dict.fromkeys(name for names in PANELS.values() for name in names))
    path = Path(text)
    if path.is_file():
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        found = [line for line in lines if line and not line.startswith("#")]
    else:
        found = [part.strip() for part in text.split(";") if part.strip()]
        if len(found) == 1 and not _is_agent(found[0]):
            known = ", ".join([*PANELS, "all"])
            raise PanelError(f"there is no panel {text!r}; it is one of {known}, a file, or agents separated by ;")
    if not found:
        raise PanelError(f"the panel {text!r} names no opponent")
    return found


def _is_agent(text: str) -> bool:
    try:
        agent(text)
    except KnightfallError:
        return False
    return True


def candidate(text: str, panel_name: str) -> str:
    """A candidate as an agent's text: a bare heuristic is the panel's published search with it.

    >>> candidate("improved", "gen1"), candidate("improved", "gen2"), candidate("mcts(nodes=9)", "E")
    ('ID_improved', 'AB_improved', 'mcts(nodes=9)')
    """
    name = text.partition("(")[0].strip()
    bare = name in heuristics or ".py" in name
    return f"{'ID' if panel_name == 'gen1' else 'AB'}_{text.strip()}" if bare else text.strip()


def make_agents(texts: Sequence[str]) -> dict[str, Agent]:
    """The agents that texts describe; an error where two texts are the same."""
    found: dict[str, Agent] = {}
    for text in texts:
        if text in found:
            raise PanelError(f"{text} is named twice")
        found[text] = agent(text)
    return found
