"""The same agent text, seed and position give the same choice: in any process, in any thread, whatever came before."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import environment
from games import Facts, facts, is_same, mixed_positions

import knightfall as kf
from knightfall.agents.native_agent import NativeAgent
from knightfall.native.search.block import Field
from knightfall.rules import Geometry, Position

TEXTS = (
    "random",
    "greedy(open)",
    "MM_Open",
    "AB5_Open",
    "AB_Improved(nodes=700)",
    "Custom(nodes=700)",
    "alphabeta(improved, nodes=3000)",
    "alphabeta(open, depth=5, ties=first)",
    "alphabeta(contested_reach, nodes=2000, tt=0.001)",
    "alphabeta(won_lines, nodes=60)",
    "mcts(nodes=4000)",
    "mcts(playouts=300, c=0.7, tree=0.07)",
    "mcts(improved, cutoff=4, nodes=3000)",
)
SEEDS = (0, 1, 2**64 - 1)


def some_positions(count: int) -> list[Position]:
    return [
        Position.start(Geometry(5, 5)),
        *mixed_positions(count, seed=31, sizes=((7, 7), (5, 5), (11, 9))),
    ]


Case = tuple[str, int, str]


def all_cases() -> list[Case]:
    """Agent, seed and position."""
    fens = [position.fen() for position in some_positions(4)]
    return [(text, seed, fen) for text in TEXTS for seed in SEEDS for fen in fens]


def choice_in(case: Case) -> Facts:
    text, seed, fen = case
    return facts(kf.agent(text, seed).choose(Position.from_fen(fen)))


ANOTHER = """
import json, sys
import knightfall as kf
from games import facts
agents = {}
for text, seed, fen in json.load(sys.stdin):
    agent = agents.setdefault((text, seed), kf.agent(text, seed))
    print(json.dumps(facts(agent.choose(kf.Position.from_fen(fen)))))
"""


@pytest.mark.parametrize("hash_seed", ["0", "12345"])
def test_another_process_chooses_the_same(hash_seed: str) -> None:
    cases = all_cases()
    random.Random(hash_seed).shuffle(cases)
    env = environment(PYTHONHASHSEED=hash_seed, PYTHONPATH=f"{Path(__file__).parent}")
    done = subprocess.run(
        [sys.executable, "-c", ANOTHER], input=json.dumps(cases), capture_output=True, text=True, timeout=900, env=env
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.splitlines()
    assert len(lines) == len(cases)
    for case, line in zip(cases, lines, strict=True):
        assert line == json.dumps(choice_in(case)), case


@pytest.mark.parametrize("text", TEXTS)
def test_what_an_agent_searched_before_does_not_matter(text: str) -> None:
    positions = some_positions(12)
    expected = [facts(kf.agent(text, seed=7).choose(position)) for position in positions]
    agent = kf.agent(text, seed=7)
    order = [*range(len(positions)), *range(len(positions))]
    random.Random(3).shuffle(order)
    for at in order:
        assert facts(agent.choose(positions[at])) == expected[at]


def in_threads(*works: Callable[[], None]) -> None:
    """Run all at once; the first error of any is raised."""
    errors: list[BaseException] = []
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], None]) -> None:
        try:
            barrier.wait()
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("text", [*TEXTS, "alphabeta(improved, depth=7)"])
def test_threads_that_share_an_agent_do_not_disturb_each_other(text: str) -> None:
    positions = some_positions(8)
    expected = [facts(kf.agent(text).choose(position)) for position in positions]
    shared = kf.agent(text)

    def search(offset: int) -> Callable[[], None]:
        def work() -> None:
            for at in range(3 * len(positions)):
                at = (at * offset + offset) % len(positions)
                assert facts(shared.choose(positions[at])) == expected[at]

        return work

    in_threads(search(1), search(2), search(4))


def test_the_first_moves_of_two_agents_can_be_made_at_once() -> None:
    """In a new process, where nothing is loaded yet."""
    code = """
import threading
import knightfall as kf
from games import facts
position = kf.Position.from_fen("7/7/3n3/7/7/2N4/7 w")
found = []
def work(text):
    found.append(facts(kf.agent(text).choose(position)))
texts = ["alphabeta(lookahead_both, nodes=2000)", "mcts(lookahead_both, cutoff=3, nodes=2000)"] * 3
threads = [threading.Thread(target=work, args=(text,)) for text in texts]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert len(found) == 6, found
assert len(set(found)) == 2, found
"""
    env = environment(PYTHONPATH=f"{Path(__file__).parent}")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=900, env=env)
    assert done.returncode == 0, done.stderr[-2000:]


def test_seeds_break_ties_differently_and_the_fixed_order_has_no_seed() -> None:
    start = Position.start(Geometry(5, 5))
    for text in ("MM_Null", "AB_Null(nodes=300)", "alphabeta(null, nodes=300)", "mcts(nodes=2000)", "random"):
        assert len({kf.agent(text, seed).choose(start).square for seed in range(20)}) > 5
    for text in ("MM_Null(ties=first)", "alphabeta(null, nodes=300, ties=first)", "greedy(null, ties=first)"):
        assert {kf.agent(text, seed).choose(start).square for seed in range(20)} == {0}
    for position in some_positions(20):
        for text in ("alphabeta(open, nodes=300, ties=first)", "AB5_Open(ties=first)", "Custom(nodes=300, ties=first)"):
            assert len({facts(kf.agent(text, seed).choose(position)) for seed in range(5)}) == 1


def test_a_seed_breaks_ties_in_each_position_anew() -> None:
    agent = kf.agent("random", seed=5)
    places = set()
    for position in some_positions(30):
        moves = position.legal_moves()
        if len(moves) >= 4:
            places.add(moves.index(agent.choose(position).square))
    assert len(places) >= 3


def test_with_seed_is_the_agent_made_with_that_seed() -> None:
    position = some_positions(3)[2]
    for text in TEXTS:
        changed = kf.agent(text, seed=1).with_seed(9)
        assert changed.seed == 9
        assert changed.text == kf.agent(text).text
        assert str(changed) == str(kf.agent(text))
        assert facts(changed.choose(position)) == facts(kf.agent(text, seed=9).choose(position))


def test_a_table_that_has_served_65535_moves_is_emptied() -> None:
    agent = kf.agent("alphabeta(improved, nodes=3000)")
    assert isinstance(agent, NativeAgent)
    positions = mixed_positions(6, seed=32, sizes=((7, 7),))
    expected = [facts(agent.choose(position)) for position in positions]
    block = agent._idle[Geometry(7, 7)][0].block
    for moves in (65_530, 65_533, 65_535):
        block[Field.GENERATION] = moves
        for _ in range(2):
            assert [facts(agent.choose(position)) for position in positions] == expected


def test_reuse_within_a_game_changes_no_value() -> None:
    """Table hits need equal remaining depth, so that what is left from the last move can only save work."""
    usual, reusing = (kf.agent(f"alphabeta(improved, depth=6, reuse={reuse})") for reuse in ("off", "on"))
    assert "reuse" not in usual.text
    assert "reuse=on" in reusing.text
    chance = random.Random(8)
    saved = 0
    for _ in range(10):
        position = Position.start(Geometry(5, 5)).play(chance.randrange(12)).play(12 + chance.randrange(13))
        while not position.is_over:
            if position.to_move == 1:  # what is known belongs to one side
                expected, found = usual.choose(position), reusing.choose(position)
                assert (is_same(found.score, expected.score), found.ends_in) == (True, expected.ends_in)
                saved += expected.nodes - found.nodes
            position = position.play(chance.choice(position.legal_moves()))
    assert saved > 0
