"""The signature: how many nodes a fixed set of agents searches on a fixed set of positions.

It is the same on every machine. If it changes, some agent searches different nodes than before, and the commit
message must say so.
"""

from __future__ import annotations

from knightfall.agents.make import agent
from knightfall.rules import Position

POSITIONS = (
    "5/5/5/5/5 w",
    "5/1n3/5/2N2/5 w",
    "7/7/7/3N3/7/7/7 b",
    "7/7/3n3/7/7/2N4/7 w",
    "**5/1N*4/3*3/2*n3/3*3/7/7 b",
    "7/2*1*2/1*n*3/3**2/2**3/1*1N3/7 w",
    "11/11/11/5n5/11/5N5/11/11/11 w",
    "11/3*1*5/11/3*1n5/5*5/5N5/4*1*4/11/11 b",
)
AGENTS = (
    "greedy(center)",
    "minimax(open, depth=3)",
    "AB5_Improved",
    "AB_lookahead_both(nodes=5000)",
    "Custom(nodes=5000)",
    "alphabeta(improved, depth=7, tt=off, order=plain, window=full, deepen=off)",
    "alphabeta(contested_reach, depth=6)",
    "alphabeta(chase, nodes=5000)",
    "alphabeta(stages, nodes=3000)",
    "mcts(playouts=500)",
    "mcts(reach, cutoff=6, playouts=300)",
)


def nodes_by_agent() -> dict[str, int]:
    """Return the nodes of each agent over all positions."""
    found = {}
    for text in AGENTS:
        made = agent(text)
        found[text] = sum(made.choose(Position.from_fen(fen)).nodes for fen in POSITIONS)
    return found


def signature() -> int:
    """Return the nodes of all agents."""
    return sum(nodes_by_agent().values())


def table(nodes: dict[str, int]) -> str:
    """Return the nodes as a Markdown table."""
    rows = [f"| `{text}` | {count:,} |" for text, count in nodes.items()]
    return "\n".join(("| agent | nodes |", "|---|---:|", *rows, "", f"Signature: {sum(nodes.values())}"))
