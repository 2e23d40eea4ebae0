"""How often agents find the only winning move: 200 positions with one, plies 14 to 26 on 7×7, proven by brute force."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from reference_search import solver, winning_moves

import knightfall as kf
from knightfall.rules import Geometry, Position

FILE = Path(__file__).parent / "data" / "critical_7x7.txt"
GEOMETRY = Geometry(7, 7)


def critical() -> list[tuple[Position, int]]:
    """Each position and its winning move."""
    found = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        fen, move = line.split("; ")
        found.append((Position.from_fen(fen), GEOMETRY.parse_label(move)))
    return found


def test_the_positions_are_what_they_are_said_to_be() -> None:
    positions = [position for position, _ in critical()]
    assert len(set(positions)) == 200
    for position, move in critical():
        assert position.geometry is GEOMETRY
        assert 14 <= position.ply <= 26
        assert len(position.legal_moves()) >= 3
        assert move in position.legal_moves()
    assert {position.ply for position in positions} == set(range(14, 27))


def test_one_move_wins_and_the_others_lose() -> None:
    for position, move in random.Random(10).sample(critical(), 10):
        assert winning_moves(position, solver(GEOMETRY)) == [move]


@pytest.mark.long
def test_one_move_wins_and_the_others_lose_in_all_of_them() -> None:
    for position, move in critical():
        assert winning_moves(position, solver(GEOMETRY)) == [move]


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("alphabeta(improved, ms=2)", 0.95),  # a test of strength may depend on the machine
        ("mcts(playouts=20000)", 0.90),
        ("alphabeta(improved, nodes=5000)", 0.85),
        ("AB_Improved", 0.75),
    ],
)
def test_the_win_is_kept(text: str, least: float) -> None:
    agent = kf.agent(text)
    agent.choose(Position.start(GEOMETRY))  # loaded by now
    kept = sum(agent.choose(position).square == move for position, move in critical())
    print(f"{text} keeps the win in {kept / 2:.1f} %")
    assert kept >= least * 200


def test_what_is_proven_is_true() -> None:
    """Of the only winning move no agent may prove that it loses, and of no other that it wins."""
    for text in ("alphabeta(improved, nodes=20000)", "mcts(playouts=2000)"):
        proven = 0
        for position, move in critical():
            for told in kf.analyze(position, text).moves:
                if told.score is None or abs(told.score) < float("inf"):
                    continue
                if text.startswith("alphabeta") and told.ends_in is None:
                    continue  # an infinity of the heuristic
                proven += 1
                assert (told.score > 0) == (told.square == move), (text, position.fen(), told)
        assert proven > 200
