"""The golden search trees: what is searched, node by node, does not change unnoticed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from games import facts
from search_trees import CASES, FILE, content, reference

import knightfall as kf
from knightfall.agents.searching import SearchAgent
from knightfall.rules import Position


def test_the_trees_are_those_of_the_golden_file() -> None:
    assert content() == FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize(("text", "fen"), [case for case in CASES if not case[0].startswith("mcts")])
def test_the_native_search_comes_to_the_root_of_the_tree(text: str, fen: str) -> None:
    agent, position = kf.agent(text), Position.from_fen(fen)
    assert isinstance(agent, SearchAgent)
    found, _ = reference(agent, position)
    assert facts(agent.choose(position)) == (
        found.square,
        found.score,
        found.ends_in,
        found.depth,
        found.nodes,
        found.line,
    )


def nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield tree
    for child in tree.get("children", []):
        yield from nodes(child)


def test_the_golden_trees_show_what_they_are_there_for() -> None:
    entries = json.loads(FILE.read_text(encoding="utf-8"))
    assert [(entry["agent"], entry["fen"]) for entry in entries] == list(CASES)
    every = [node for entry in entries for node in nodes(entry["tree"])]
    assert any("cut" in node for node in every)
    assert {node["proof"] for node in every if "proof" in node} == {"won", "lost"}
    assert any(str(node.get("value", "")).startswith("won at") for node in every)
    assert any(str(node.get("value", "")).startswith("lost at") for node in every)
    assert any(node.get("value") == "inf" for node in every)
    for entry in entries:
        if not entry["agent"].startswith("mcts"):
            # Every position stepped into is in the tree, the root is not counted.
            assert sum(1 for _ in nodes(entry["tree"])) == entry["nodes"] + 1
            assert len(entry["line"]) >= 1
    assert len(every) < 1_500
