"""Panels: named lists of opponents."""

from __future__ import annotations

import re
from pathlib import Path

from knightfall.agents.make import NAMES, agent
from knightfall.catalogue.consent import named_by
from knightfall.catalogue.registry import heuristics
from knightfall.rules import KnightfallError
from knightfall.rules.suggestions import did_you_mean

PANELS: dict[str, tuple[str, ...]] = {
    "gen1": ("Random", "MM_Null", "MM_Open", "MM_Improved", "AB5_Null", "AB5_Open", "AB5_Improved"),
    "gen2": ("Random", "MM_Open", "MM_Center", "MM_Improved", "AB_Open", "AB_Center", "AB_Improved"),
    "E": ("AB_Open", "AB_Improved", "MM_Improved", "MonteCarlo"),
}
"""The opponents in the five reports."""


_PUBLISHED = re.compile(r"(MM|AB5|AB|ID)_")


class PanelError(KnightfallError):
    """A panel was not found or cannot be read; the message is one line."""


def panel(text: str) -> list[str]:
    """Return the opponents of a panel, given by name, ``all`` (all panels), a file, or a list.

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
    found = split_list(text)
    # An agent is never treated as a file name, nor a heuristic's file as a list of agents.
    alone = len(found) == 1 and (_is_agent(candidate_text(found[0], text)) or ".py" in text)
    if path.is_file() and not alone:
        return _checked([candidate_text(name, text) for name in _read(path)], text)
    if len(found) == 1 and not alone:
        known = [*PANELS, "all"]
        expected = f"expected: {', '.join(known)}, a file, or agents separated by ;"
        near = did_you_mean(text, [*known, *NAMES, *heuristics], expected)
        raise PanelError(f"panel {text!r} not found{near}")
    if not found:
        raise PanelError(f"the panel {text!r} has no opponents")
    return [candidate_text(name, text) for name in found]


def _checked(names: list[str], path: str) -> list[str]:
    """Return the opponents that a file names; raise an error if one is in a Python file that may not run."""
    if not names:
        raise PanelError(f"the panel {path!r} has no opponents")
    with named_by(f"the panel {path}"):
        for name in names:
            if ".py" in name:
                agent(name)
    return names


def _read(path: Path) -> list[str]:
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    except OSError as error:
        raise PanelError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise PanelError(f"{path}: byte {error.start + 1} is not UTF-8 text") from None
    return [line for line in lines if line and not line.startswith("#")]


def split_list(text: str) -> list[str]:
    """Split a list of agents at semicolons, and at commas outside brackets.

    >>> split_list("Random; alphabeta(improved, nodes=9), MM_Open")
    ['Random', 'alphabeta(improved, nodes=9)', 'MM_Open']
    """
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == ";" or (character == "," and depth <= 0):
            parts.append("")
            depth = 0
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _is_agent(text: str) -> bool:
    try:
        agent(text)
    except KnightfallError:
        return False
    return True


def candidate_text(text: str, panel_name: str) -> str:
    """Return a candidate as an agent's string; a heuristic alone gets the published search of the panel.

    >>> candidate_text("improved", "gen1"), candidate_text("improved", "gen2"), candidate_text("mcts(nodes=9)", "E")
    ('ID_improved', 'AB_improved', 'mcts(nodes=9)')
    """
    name = text.partition("(")[0].strip()
    bare = name in heuristics or (".py" in name and not _PUBLISHED.match(name))
    return published_search(text.strip(), panel_name) if bare else text.strip()


def published_search(heuristic: str, panel_name: str) -> str:
    """Return the agent with which the panel's reports tested a heuristic."""
    return f"{'ID' if panel_name == 'gen1' else 'AB'}_{heuristic}"
