"""The work of `knightfall analyze`: the scores of all moves of a position by an agent."""

from __future__ import annotations

import math
import sys

from knightfall.agents.agent import Agent
from knightfall.agents.analysis import deepening, find_truth
from knightfall.agents.choice import Analysis, MoveScore, exact_words
from knightfall.cli.common import AgentFailure, fitted, prose, warnings_as_lines
from knightfall.cli.json_output import print_json
from knightfall.cli.layout import Page
from knightfall.cli.live import follow
from knightfall.cli.run.agent_texts import read_agent
from knightfall.cli.run.board import draw
from knightfall.cli.run.compiling import Preparation
from knightfall.cli.run.inputs import read_given_position
from knightfall.cli.run.scores import labels, proven, score_words, side
from knightfall.rules import KnightfallError, Position
from knightfall.rules.formatting import plural

_WITH_COST = 64  # minimum columns of a terminal for showing what each move cost

SOURCES = {"book": "the book", "solver": "the solver", "theory": "the mirror argument", "search": "search"}
"""The ways to find a move, in words."""


def analyze(
    position_text: str | None,
    fen: str | None,
    board: str | None,
    agent: str,
    lines: int | None,
    exact: float,
    seed: int,
    ascii: bool,
    json: bool,
) -> None:
    """Run `knightfall analyze`."""
    position = _position(position_text, fen, board)
    made = read_agent(agent, seed, "--agent")
    with warnings_as_lines():
        made.check(position)
        if not made.scores_moves:
            made.deepen(position)  # raises the appropriate error
        if not json:
            # Before placement every empty square is legal, so marking them all would not help.
            dots = position.legal_moves() if None not in position.locations else ()
            print(draw(position, ascii, dots=dots), flush=True)
        with Preparation([made], position, solver=exact > 0) as preparation:
            preparation.finish()
        steps = deepening(position, made)
        truth = find_truth(position, exact)
        followed = follow(steps, lambda found: describe(found, made))
    if followed.last is not None:
        found = truth.told_in(followed.last)
        if json:
            print_json("analysis", {**found.to_object(lines), "agent": str(made), "seed": seed})
        else:
            _show(found, made, lines)
        sys.stdout.flush()
    if followed.error is not None:
        raise _failure(followed.error, made)
    if followed.interrupted:
        raise KeyboardInterrupt


def _position(given: str | None, fen: str | None, board: str | None) -> Position:
    position = read_given_position(given, fen, board)
    if position.winner is not None:
        raise KnightfallError(f"there is nothing to analyze: the game is over, {side(position.winner)} has won")
    return position


def _failure(error: Exception, agent: Agent) -> Exception:
    return AgentFailure(f"{agent}: {error}") if isinstance(error, KnightfallError) else error


def describe(found: Analysis, agent: Agent) -> str:
    """Return the progress of an analysis in one short line."""
    best = found.best
    move = found.position.geometry.label(best.square)
    score = score_words(best.score, best.ends_in, agent.kind)
    return f"depth {found.depth}, best {move} {score}, {plural(found.nodes, 'node')}"


def _score_beside(exact: str, move: MoveScore, kind: str) -> str:
    """Return a move's score; an infinite one reads like the exact value if both say the same."""
    is_infinite = move.score is not None and math.isinf(move.score) and move.ends_in is None
    if exact and is_infinite and move.exact == (move.score == math.inf):
        return exact.partition(" ")[0]
    return score_words(move.score, move.ends_in, kind)


def _show(found: Analysis, agent: Agent, lines: int | None) -> None:
    geometry = found.position.geometry
    by_visits = agent.kind == "mcts"
    exact = [exact_words(move.exact, move.distance) for move in found.moves]
    wide = max(11, *map(len, exact))

    def column(text: str) -> str:
        return f" {text:>{wide}}" if any(exact) else ""

    page = Page.of(sys.stdout)
    if found.winner is not None:
        print(prose(proven(found.winner, found.distance)))
    came_from = f", by {SOURCES.get(found.source, found.source)}" if agent.kind == "perfect" else ""
    print(prose(f"{agent} for {side(found.position.to_move)}{came_from}"))
    effort_name = "visits" if by_visits else "nodes"
    # On a narrow terminal the line of moves is more useful than the cost.
    has_cost = page is None or page.width >= _WITH_COST

    def cost(depth: str, effort: str) -> str:
        return f" {depth:>5} {effort:>12}" if has_cost else ""

    head = f"{'move':6} {'score':>11}{column('exact')}{cost('depth', effort_name)}  line"
    print(head if page is None else page.paint(head, "bold"))
    for at, (move, truth) in enumerate(zip(found.moves[:lines], exact, strict=False)):
        score = _score_beside(truth, move, agent.kind)
        effort = move.visits if by_visits else move.nodes
        row = f"{geometry.label(move.square):6} {score:>11}{column(truth)}{cost(str(move.depth), f'{effort or 0:,}')}  "
        row = fitted(row + labels(geometry, move.line), sys.stdout)
        print(row if page is None or at else page.paint(row, "bold", "green"))  # the best move is the first
    shown = "" if lines is None or lines >= len(found.moves) else f"{lines} of "
    speed = f"{found.nodes_per_second:,.0f} nodes/s"
    moves = f"{shown}{plural(len(found.moves), 'move')}"
    print(prose(f"{moves}, {plural(found.nodes, 'node')}, {found.seconds:.3f} s, {speed}"))
