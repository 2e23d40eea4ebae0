"""Monte Carlo tree search: the same tree as in plain Python, what it proves, and its bounds."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from games import after_line, facts, mixed_positions, played, set_up
from reference_search import Grown, Judge, Tree, solver, winning_moves

import knightfall as kf
from knightfall.agents.mcts import MonteCarloAgent, tree_of
from knightfall.native.search.block import Block, Field
from knightfall.native.search.tree import BYTES, LOST, WON
from knightfall.rules import Geometry, Position

PROOFS = {0: "", WON: "won", LOST: "lost"}


def searched(text: str, position: Position, seed: int = 0) -> tuple[kf.Choice, Block, Any]:
    """The choice of a fresh agent, its block, and its tree as records."""
    agent = kf.agent(text, seed)
    assert isinstance(agent, MonteCarloAgent)
    choice = agent.choose(position)
    (workspace,) = agent._idle[position.geometry]
    return choice, workspace.block, tree_of(workspace)


def children(tree: Any, row: int) -> Any:
    first = int(tree[row]["children"])
    return tree[first : first + int(tree[row]["count"])]


def assert_same_tree(tree: Any, row: int, expected: Grown) -> None:
    """One node and all below it, in squares, visits, wins and proofs."""
    node = tree[row]
    if row:
        assert node["square"] == expected.move
    proof = PROOFS[int(node["proof"])]
    assert (node["visits"], node["halves"], proof) == (expected.visits, expected.halves, expected.proof)
    assert node["count"] == len(expected.children)
    for at, child in enumerate(expected.children):
        assert_same_tree(tree, int(node["children"]) + at, child)


@pytest.mark.parametrize("c", [1.0, 0.3, 2.5])
def test_the_tree_is_that_of_plain_python(c: float) -> None:
    for seed, position in enumerate(mixed_positions(9, seed=51, sizes=((5, 5), (7, 7), (11, 9)))):
        for playouts in (1, 2, 17, 150):
            expected = Tree(position, seed, c)
            expected.grow(playouts)
            choice, block, tree = searched(f"mcts(playouts={playouts}, c={c})", position, seed)
            assert_same_tree(tree, 0, expected.root)
            assert (choice.nodes, block[Field.PLAYOUTS]) == (expected.nodes, expected.playouts)
            assert block[Field.TREE_SIZE] == expected.size


def test_placement_and_small_boards_give_the_tree_of_plain_python() -> None:
    for size in ((4, 4), (5, 3), (3, 3), (1, 1), (2, 2)):
        assert_same_as_in_python(Position.start(Geometry(*size)), 400)
    for position in mixed_positions(6, seed=58, sizes=((8, 8), (16, 8), (13, 5))):
        assert_same_as_in_python(position, 100)


def test_a_tree_has_the_room_that_its_text_says_on_every_board() -> None:
    """While knights are placed a node has as many children as there are empty squares."""
    assert_same_as_in_python(Position.start(Geometry(7, 7)), 300)
    assert_same_as_in_python(Position.start(Geometry(16, 8)), 400)


def assert_same_as_in_python(position: Position, playouts: int) -> None:
    expected = Tree(position, seed=3)
    expected.grow(playouts)
    choice, _, tree = searched(f"mcts(playouts={playouts})", position, 3)
    assert_same_tree(tree, 0, expected.root)
    assert choice.nodes == expected.nodes


def test_a_tree_that_is_full_is_played_out_but_not_expanded() -> None:
    room = int(0.017 * 2**20) // BYTES
    for position in (Position.start(Geometry(5, 5)), Position.from_fen("7/7/3n3/7/7/2N4/7 w")):
        expected = Tree(position, seed=1, room=room)
        expected.grow(900)
        choice, block, tree = searched("mcts(playouts=900, tree=0.017)", position, 1)
        assert room - 25 < block[Field.TREE_SIZE] <= room
        assert_same_tree(tree, 0, expected.root)
        assert choice.nodes == expected.nodes
        assert tree[0]["visits"] == 900


@pytest.mark.parametrize("heuristic", ["improved", "open", "contested_reach", "null"])
def test_a_cut_off_is_judged_as_in_plain_python(heuristic: str) -> None:
    judge = Judge(kf.heuristics[heuristic])
    for position in mixed_positions(6, seed=52, sizes=((5, 5), (7, 7), (11, 9))):
        for cutoff in (0, 1, 4):
            expected = Tree(position, judge=judge, cutoff=cutoff)
            expected.grow(60)
            choice, _, tree = searched(f"mcts({heuristic}, playouts=60, cutoff={cutoff})", position)
            assert_same_tree(tree, 0, expected.root)
            assert choice.nodes == expected.nodes


def test_budgets_are_kept_exactly() -> None:
    for position in [*mixed_positions(12, seed=53, sizes=((7, 7), (5, 5), (11, 9))), Position.start(Geometry(7, 7))]:
        for amount in (1, 2, 3, 10, 99, 1_000, 5_000):
            choice, block, tree = searched(f"mcts(nodes={amount})", position)
            assert choice.nodes == amount or (choice.nodes < amount and tree[0]["proof"] != 0)
            assert block[Field.PLAYOUTS] == tree[0]["visits"]
            if amount <= 1_000:
                _, block, tree = searched(f"mcts(playouts={amount})", position)
                assert tree[0]["visits"] == block[Field.PLAYOUTS]
                assert block[Field.PLAYOUTS] == amount or (block[Field.PLAYOUTS] < amount and tree[0]["proof"] != 0)


def test_what_is_counted_adds_up() -> None:
    """Each playout through a node came from one of its moves, but for the first, which stopped there."""
    for position in mixed_positions(6, seed=54, sizes=((7, 7), (5, 5))):
        choice, block, tree = searched("mcts(playouts=2000)", position)
        for row in range(block[Field.TREE_SIZE]):
            node, below = tree[row], children(tree, row)
            assert 0 <= node["halves"] <= 2 * node["visits"]
            if len(below):
                assert node["visits"] == below["visits"].sum() + (row > 0)
            if node["proof"] == WON:
                assert (below["proof"] == LOST).any()
            if node["proof"] == LOST and len(below):
                assert (below["proof"] == WON).all()
        assert choice.score is not None
        assert choice.score in (math.inf, -math.inf) or 0 <= choice.score <= 1
        assert len(choice.line) <= choice.depth


@pytest.mark.parametrize("size", [(4, 4), (5, 4), (4, 5), (3, 6)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_won_position_stays_won(size: tuple[int, int]) -> None:
    geometry = Geometry(*size)
    chance = random.Random(55)
    solve = solver(geometry)
    agent = kf.agent("mcts(playouts=20000)")
    proven = 0
    for number in range(150):
        position = set_up(chance, geometry) if number % 3 == 0 else played(chance, geometry, chance.randrange(2, 12))
        if position.ply < 2:
            continue
        good = winning_moves(position, solve)
        choice = agent.choose(position)
        assert choice.square in (good or position.legal_moves())
        after_line(position, choice)
        if choice.score == math.inf:
            assert choice.square in good
        if choice.score == -math.inf:
            assert not good
        proven += choice.score in (math.inf, -math.inf)
    assert proven > 100


def test_a_move_that_is_proven_is_played_at_once() -> None:
    """The last move ends the game; nothing is looked at any more as soon as that is seen."""
    position = Position.from_fen("1*3/1*1*1/1N**1/n*3/5 w")
    assert [square for square in position.legal_moves() if position.play(square).is_over] == [22]
    choice, block, _ = searched("mcts(playouts=1000)", position)
    assert (choice.square, choice.score, choice.line) == (22, math.inf, (22,))
    assert block[Field.PLAYOUTS] == len(position.legal_moves())


@pytest.mark.parametrize("text", ["mcts(nodes=3000)", "mcts(playouts=200, c=0.3)", "mcts(open, cutoff=3, nodes=3000)"])
def test_a_tree_begins_empty_with_each_move(text: str) -> None:
    positions = mixed_positions(6, seed=56, sizes=((7, 7),))
    agent = kf.agent(text, 5)
    expected = [facts(kf.agent(text, 5).choose(position)) for position in positions]
    for _ in range(2):
        assert [facts(agent.choose(position)) for position in positions] == expected


def test_seeds_grow_different_trees() -> None:
    position = Position.from_fen("7/7/3n3/7/7/2N4/7 w")
    assert len({kf.agent("mcts(playouts=50)", seed).choose(position).nodes for seed in range(10)}) > 5


def test_more_playouts_make_a_better_judge() -> None:
    """Of moves that brute force knows to win or to lose, the rate of wins tells more and more."""
    geometry = Geometry(5, 5)
    chance = random.Random(57)
    solve = solver(geometry)
    positions = [played(chance, geometry, 6) for _ in range(60)]
    positions = [p for p in positions if p.ply == 6 and 0 < len(winning_moves(p, solve)) < len(p.legal_moves())]
    assert len(positions) > 15
    kept = []
    for playouts in (5, 50, 5_000):
        agent = kf.agent(f"mcts(playouts={playouts})")
        kept.append(sum(agent.choose(position).square in winning_moves(position, solve) for position in positions))
    assert kept[0] < kept[2]
    assert kept[2] == len(positions)
