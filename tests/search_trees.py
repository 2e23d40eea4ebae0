"""Whole search trees as text, for the golden file.

The native minimax and alpha-beta keep no tree. The reference in plain Python writes these trees, and the native
search must give the same value at the root. The tree of Monte Carlo is the native one, read from its memory.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reference_search import Found, Judge, Node, Search

import knightfall as kf
from knightfall.agents.mcts import MonteCarloAgent, tree_of
from knightfall.agents.searching import SearchAgent
from knightfall.native.search.tree import LOST, WON
from knightfall.rules import Geometry, Position

FILE = Path(__file__).parent / "golden" / "search_trees.json"

PLAIN = "tt=off, order=plain, window=full, fold=off, deepen=off, ties=first"

# The end and the middle of a game, both players to move, boards that are not square, finished games scored by the
# heuristic and by the rules; for Monte Carlo a proved root, an unproved one, and a cut-off.
OPEN, WIDE = "4/1N2/2n1/4 w", "1*3/1N3/2*n1/5 b"
WINS, LOSES = "4*/2*N1/2*1n/4* w", "2**1/*4/N2n*/2*2 b"
CASES = (
    ("minimax(improved, depth=2, ties=first)", OPEN),
    ("minimax(open, depth=3, ties=first)", WIDE),
    ("MM_Open(ties=first)", WINS),
    ("MM_Improved(ties=first)", LOSES),
    (f"alphabeta(open, depth=3, {PLAIN})", WIDE),
    (f"alphabeta(contested_reach, depth=3, {PLAIN})", OPEN),
    ("AB5_Improved(ties=first)", WINS),
    ("AB5_Center(ties=first)", LOSES),
    ("mcts(playouts=30)", OPEN),
    ("mcts(playouts=60)", WINS),
    ("mcts(playouts=200)", LOSES),
    ("mcts(improved, playouts=30, cutoff=1)", WIDE),
)


def value_text(value: tuple[int, float] | None) -> float | str | None:
    """Return a heuristic value as a number, and a proved result in words."""
    if value is None or value[0] == 0:
        return None if value is None else value[1] if abs(value[1]) < float("inf") else str(value[1])
    return f"{'won' if value[0] > 0 else 'lost'} at ply {abs(value[1])}"


def searched(node: Node, geometry: Geometry) -> dict[str, Any]:
    """Return a tree of minimax or alpha-beta; values are from the searching player's side."""
    told: dict[str, Any] = {} if node.move is None else {"move": geometry.label(node.move)}
    told["value"] = value_text(node.value)
    if node.cut:
        told["cut"] = True
    if node.children:
        told["children"] = [searched(child, geometry) for child in node.children]
    return told


def grown(tree: Any, row: int, geometry: Geometry) -> dict[str, Any]:
    """Return a tree of Monte Carlo."""
    node = tree[row]
    told: dict[str, Any] = {"move": geometry.label(int(node["square"]))} if row else {}
    told |= {"visits": int(node["visits"]), "halves": int(node["halves"])}
    if node["proof"]:
        told["proof"] = {WON: "won", LOST: "lost"}[int(node["proof"])]
    first = int(node["children"])
    if node["count"]:
        told["children"] = [grown(tree, at, geometry) for at in range(first, first + int(node["count"]))]
    return told


def reference(agent: SearchAgent, position: Position) -> tuple[Found, Node]:
    """Return the result of the search in plain Python with an agent's settings, and its tree."""
    root = Node(None)
    search = Search(Judge(agent.heuristic), position, agent.search.horizon)
    assert agent.search.depth is not None
    found = search.choose(agent.search.depth, agent.kind, tree=root)
    assert found is not None
    return found, root


def tree(text: str, fen: str) -> dict[str, Any]:
    """Return one entry of the golden file."""
    agent = kf.agent(text)
    position = Position.from_fen(fen)
    geometry = position.geometry
    choice = agent.choose(position)
    if isinstance(agent, MonteCarloAgent):
        root = grown(tree_of(agent._idle[geometry][0]), 0, geometry)
    else:
        assert isinstance(agent, SearchAgent)
        root = searched(reference(agent, position)[1], geometry)
    return {
        "agent": text,
        "fen": fen,
        "line": [geometry.label(square) for square in choice.line],
        "nodes": choice.nodes,
        "tree": root,
    }


def lines(told: dict[str, Any], indent: str) -> str:
    """Return JSON with one line per node of the tree, so that differences are readable."""
    head = json.dumps({name: value for name, value in told.items() if name not in ("children", "tree")})
    below = [told["tree"]] if "tree" in told else told.get("children", [])
    if not below:
        return indent + head
    name = "tree" if "tree" in told else "children"
    rows = ",\n".join(lines(child, indent + " ") for child in below)
    opening, closing = ("", "") if name == "tree" else (" [", "]")
    return f'{indent}{head[:-1]}, "{name}":{opening}\n{rows}{closing}}}'


def content() -> str:
    """Return the expected content of the golden file."""
    return "[\n" + ",\n".join(lines(tree(text, fen), "") for text, fen in CASES) + "\n]\n"
