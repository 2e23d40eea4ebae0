"""What an agent thinks of every move: complete, right, best first; and stopped whenever a caller wants."""

from __future__ import annotations

import json
import math
import threading
import time
from pathlib import Path

import pytest
from games import facts, is_same, mixed_positions
from reference_search import LEAST, MOST, Judge, Node, Search, ends_in, score_of

import knightfall as kf
from knightfall.catalogue.loader import load
from knightfall.compiler.errors import HeuristicError
from knightfall.rules import Geometry, Position

POSITION = Position.from_fen("7/7/3n3/7/7/2N4/7 w")
SIZES = ((5, 5), (7, 7), (11, 9))

Told = tuple[float | None, int | None]


def told(analysis: kf.Analysis) -> dict[int, Told]:
    return {move.square: (move.score, move.ends_in) for move in analysis.moves}


def in_python(judge: Judge, position: Position, depth: int, horizon: str) -> dict[int, Told]:
    """Every move's value by alpha-beta in plain Python, each with an open window."""
    search = Search(judge, position, horizon)
    found: dict[int, Told] = {}
    for square in position.legal_moves():
        value, _ = search.alphabeta(position.play(square), depth - 1, LEAST, MOST, Node(square))
        found[square] = score_of(value), ends_in(value, position)
    return found


def worth(value: Told) -> tuple[float, float]:
    """Something to sort by: a proven end before what a heuristic says, sooner wins and later losses first."""
    score, end = value
    assert score is not None
    if end is None:
        return 0, score
    return (1, -end) if score > 0 else (-1, end)


def assert_best_first(analysis: kf.Analysis) -> None:
    values = [worth((move.score, move.ends_in)) for move in analysis.moves]
    assert values == sorted(values, reverse=True)
    assert analysis.best is analysis.moves[0]
    assert len({move.square for move in analysis.moves}) == len(analysis.position.legal_moves())
    for move in analysis.moves:
        position = analysis.position
        assert move.line[0] == move.square
        for square in move.line:
            position = position.play(square)


@pytest.mark.parametrize("settings", ["", ", tt=off, order=plain, window=full", ", horizon=heuristic"])
@pytest.mark.parametrize("heuristic", ["improved", "open", "center", "contested_reach"])
def test_every_move_has_the_value_that_minimax_gives_it(heuristic: str, settings: str) -> None:
    judge = Judge(kf.heuristics[heuristic])
    horizon = "heuristic" if "horizon" in settings else "rules"
    for position in mixed_positions(6, seed=71, sizes=SIZES):
        for depth in (1, 2, 3):
            analysis = kf.analyze(position, f"alphabeta({heuristic}, depth={depth}{settings})")
            assert_best_first(analysis)
            expected = in_python(judge, position, depth, horizon)
            for square, (score, end) in told(analysis).items():
                assert is_same(score, expected[square][0]), (position.fen(), square)
                assert end == expected[square][1], (position.fen(), square)
            assert sum(move.nodes or 0 for move in analysis.moves) == analysis.nodes


def test_deep_values_are_those_of_the_children() -> None:
    """At depth 7 for the move, at depth 6 for the position after it: the same agent asked from the other side."""
    for position in mixed_positions(12, seed=72, sizes=SIZES):
        analysis = kf.analyze(position, "alphabeta(improved, depth=7)")
        assert_best_first(analysis)
        for move in analysis.moves:
            after = position.play(move.square)
            if after.is_over:
                assert (move.score, move.ends_in) == (math.inf, 1)
                continue
            # `improved` is one of the few that can be negated: m(p) - m(q).
            below = kf.agent("minimax(improved, depth=6)").choose(after)
            assert below.score is not None
            assert move.score is not None
            if (move.ends_in, below.ends_in) != (None, None):
                assert move.ends_in == (below.ends_in or 0) + 1
            assert is_same(move.score, -below.score)


@pytest.mark.parametrize(
    "text", ["MM_Open", "minimax(improved, depth=4)", "greedy(open)", "AB5_Open", "Custom", "AB_Open"]
)
def test_agents_of_the_reports_analyse_too(text: str) -> None:
    for position in mixed_positions(6, seed=73, sizes=SIZES):
        analysis = kf.analyze(position, text)
        assert_best_first(analysis)
        assert {move.depth for move in analysis.moves} == {analysis.depth}
        if not text.startswith(("AB_", "Custom")):
            best = kf.agent(text).choose(position)
            assert (analysis.best.score, analysis.best.ends_in) == (best.score, best.ends_in)


def test_each_step_is_deeper_than_the_one_before() -> None:
    """But for the last, which tells the nodes of an iteration that was not finished."""
    with kf.deepening(POSITION, "alphabeta(improved, nodes=30000)") as steps:
        found = list(steps)
    for analysis in found:
        assert_best_first(analysis)
    *deeper, last = found
    depths = [analysis.depth for analysis in deeper]
    assert depths == list(range(1, len(depths) + 1))
    assert len(depths) > 4
    assert (last.depth, last.moves) == (deeper[-1].depth, deeper[-1].moves)
    nodes = [analysis.nodes for analysis in found]
    assert nodes == sorted(nodes)
    assert nodes[-1] == 30_000
    for analysis in deeper:
        assert told(kf.analyze(POSITION, f"alphabeta(improved, depth={analysis.depth})")) == told(analysis)


def test_the_end_of_the_game_ends_the_steps() -> None:
    """When every move is proven there is nothing left to find."""
    position = Position.from_fen("1*3/1*1*1/1N**1/n*3/5 w")
    steps = list(kf.deepening(position, "alphabeta(null, nodes=1000000)"))
    assert all(move.ends_in is not None for move in steps[-1].moves)
    assert all(any(move.ends_in is None for move in step.moves) for step in steps[:-1])
    expected = in_python(Judge(kf.heuristics["null"]), position, 20, "rules")
    assert told(steps[-1]) == expected
    assert list(kf.deepening(position, "mcts(nodes=10000000)"))[-1].best.score == math.inf


def test_a_budget_too_small_for_one_step_scores_what_it_reached() -> None:
    start = Position.start(Geometry(7, 7))
    for nodes in (1, 10, 48):
        (analysis,) = kf.deepening(start, f"alphabeta(open, nodes={nodes})")
        assert len(analysis.moves) == 49
        assert sum(move.score is not None for move in analysis.moves) == nodes
        assert [move.score is None for move in analysis.moves] == [False] * nodes + [True] * (49 - nodes)
        assert json.dumps(analysis.to_object())


def test_a_search_is_stopped_from_another_thread() -> None:
    for text in ("alphabeta(improved, ms=60000)", "alphabeta(improved, nodes=4000000000)", "mcts(ms=60000)"):
        agent = kf.agent(text)
        steps = kf.deepening(Position.start(Geometry(11, 9)), agent)
        first = next(steps)
        assert len(first.moves) == 99
        threading.Timer(0.2, steps.stop).start()
        began = time.perf_counter()
        rest = list(steps)
        assert time.perf_counter() - began < 5
        if rest:
            assert len(rest[-1].moves) == 99
        assert list(steps) == []


def test_a_fixed_depth_is_stopped_in_its_one_step() -> None:
    steps = kf.deepening(Position.start(Geometry(11, 9)), "minimax(improved, depth=30)")
    threading.Timer(0.2, steps.stop).start()
    began = time.perf_counter()
    (analysis,) = steps
    assert time.perf_counter() - began < 5
    assert len(analysis.moves) == 99


def test_what_is_stopped_before_it_begins_says_nothing() -> None:
    steps = kf.deepening(POSITION, "alphabeta(improved, ms=60000)")
    steps.stop()
    assert list(steps) == []
    steps.stop()
    steps.close()


@pytest.mark.parametrize("text", ["alphabeta(improved, nodes=2000)", "mcts(nodes=2000)", "AB_Open(nodes=500)"])
def test_an_agent_goes_on_working_after_an_analysis(text: str) -> None:
    expected = [facts(kf.agent(text).choose(position)) for position in mixed_positions(4, seed=74, sizes=((7, 7),))]
    agent = kf.agent(text)
    for leave in ("exhausted", "closed", "stopped", "left", "with"):
        steps = kf.deepening(POSITION, agent)
        next(steps)
        if leave == "exhausted":
            list(steps)
        elif leave == "closed":
            steps.close()
            assert list(steps) == []
        elif leave == "stopped":
            steps.stop()
            assert list(steps) == []
        elif leave == "with":
            with steps:
                next(steps, None)
        for position, choice in zip(mixed_positions(4, seed=74, sizes=((7, 7),)), expected, strict=True):
            assert facts(agent.choose(position)) == choice


def test_two_analyses_of_one_agent_do_not_disturb_each_other() -> None:
    agent = kf.agent("alphabeta(improved, nodes=20000)")
    positions = mixed_positions(2, seed=75, sizes=((7, 7),))
    expected = [[told(step) for step in kf.deepening(position, agent)] for position in positions]
    steps = [kf.deepening(position, agent) for position in positions]
    found: list[list[dict[int, Told]]] = [[], []]
    for _ in range(40):
        for at in (0, 1):
            step = next(steps[at], None)
            if step is not None:
                found[at].append(told(step))
    assert found == expected


def test_monte_carlo_tells_visits_and_win_rates() -> None:
    for position in mixed_positions(6, seed=76, sizes=SIZES):
        *_, analysis = kf.deepening(position, "mcts(playouts=3000)")
        ranks = [
            (move.score == math.inf, move.score != -math.inf, move.visits if move.visits is not None else -1)
            for move in analysis.moves
        ]
        assert ranks == sorted(ranks, reverse=True)
        visits = sum(move.visits or 0 for move in analysis.moves)
        assert visits == 3_000 or abs(analysis.best.score or 0) == math.inf
        for move in analysis.moves:
            assert move.nodes is None
            assert move.score is None or abs(move.score) == math.inf or 0 <= move.score <= 1


def test_the_tree_of_an_analysis_is_the_tree_of_a_move() -> None:
    for position in mixed_positions(6, seed=77, sizes=SIZES):
        choice = kf.agent("mcts(playouts=1000)").choose(position)
        *_, analysis = kf.deepening(position, "mcts(playouts=1000)")
        assert (analysis.nodes, analysis.depth) == (choice.nodes, choice.depth)
        chosen = next(move for move in analysis.moves if move.square == choice.square)
        assert chosen.score == choice.score


def test_an_analysis_as_json() -> None:
    analysis = kf.analyze(POSITION, "alphabeta(improved, depth=3)")
    told = json.loads(json.dumps(analysis.to_object(lines=2)))
    assert told["fen"] == POSITION.fen()
    assert told["agent"] == "alphabeta(improved, depth=3)"
    assert [move["move"] for move in told["moves"]] == [
        POSITION.geometry.label(move.square) for move in analysis.moves[:2]
    ]
    won = kf.analyze(Position.from_fen("1*3/1*1*1/1N**1/n*3/5 w"), "alphabeta(null, nodes=100000)")
    scores = [move["score"] for move in won.to_object()["moves"]]
    assert scores[0] == "inf"
    assert json.loads(json.dumps(won.to_object(), allow_nan=False))


def test_who_cannot_score_moves_says_so() -> None:
    for text in ("random", "human"):
        with pytest.raises(kf.AgentError, match=f"^{text} does not score moves$"):
            kf.analyze(POSITION, text)
    with pytest.raises(kf.AgentError, match="the game is over"):
        kf.analyze(Position.from_fen("N1/1n w"), "alphabeta(improved)")


def test_an_error_of_the_heuristic_ends_an_analysis_and_the_agent_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "late.py"
    path.write_text("def late(game, player):\n    return 1 / (game.move_count - 5)\n")
    agent = kf.agent("alphabeta(depth=6)", heuristic=load(f"{path}:late", trial=False))
    steps = kf.deepening(POSITION, agent)
    assert next(steps).depth == 1
    assert next(steps).depth == 2
    with pytest.raises(HeuristicError, match=r"late: ZeroDivisionError: division by zero.*; player 1 in "):
        next(steps)
    assert list(steps) == []
    later = mixed_positions(30, seed=78, sizes=((7, 7),))
    position = next(position for position in later if position.ply > 6)
    assert agent.choose(position).square in position.legal_moves()
