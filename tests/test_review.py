"""`knightfall review`: planted blunders are named, and nothing else is."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import knightfall as kf
from knightfall.cli import main
from knightfall.lab.review import GAVE_AWAY, KEPT, LOST, REGAINED, review

SOLVER = kf.Solver(kf.Geometry(7, 7), memory=2**27)


def planted_game(seed: int) -> tuple[kf.Game, list[int]]:
    """A game without mistakes but for those that are planted, and where they are.

    Both sides play any move that does not change who wins; now and then one gives a won game away.
    """
    generator = random.Random(seed)
    position = kf.Position.start(kf.Geometry(7, 7))
    while position.ply < 12:
        position = position.play(generator.choice(position.legal_moves()))
        if position.is_over:
            return planted_game(seed + 1_000)
    game = kf.Game(position, players=("left", "right"))
    planted: list[int] = []
    while game.outcome is None:
        final = game.final
        moves = SOLVER.solve(final).moves
        winning = [square for square, wins in moves.items() if wins]
        losing = [square for square, wins in moves.items() if not wins]
        if winning and losing and len(planted) < 2 and generator.random() < 0.5:
            planted.append(len(game.moves))
            square = generator.choice(losing)
        else:
            square = generator.choice(winning or losing)
        game = game.play(square)
    return (game, planted) if planted else planted_game(seed + 1_000)


def test_ten_games_with_planted_blunders() -> None:
    total = 0
    for seed in range(10):
        game, planted = planted_game(seed)
        found = review(game)
        assert [at for at, move in enumerate(found.moves) if move.grade == GAVE_AWAY] == planted
        total += len(planted)
        assert game.outcome is not None
        theirs = [at for at in planted if found.moves[at].player != game.outcome.winner]
        critical = found.critical
        assert (None if critical is None else found.moves.index(critical)) == (theirs[-1] if theirs else None)
        for at, move in enumerate(found.moves):
            before = list(game.positions())[at]
            assert sorted(move.winning) == sorted(SOLVER.solve(before).winning_moves)
            if at and found.moves[at - 1].grade == GAVE_AWAY:
                assert move.grade in (REGAINED, GAVE_AWAY)
            if move.grade == LOST:
                assert not move.winning
            if move.grade == KEPT:
                assert move.square in move.winning
    assert total >= 10


def test_the_command_tells_of_a_saved_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, planted = planted_game(3)
    file = tmp_path / "game.txt"
    file.write_text(game.to_text())
    assert main(["review", str(file), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [entry["number"] - 1 for entry in facts["moves"] if entry["grade"] == GAVE_AWAY] == planted
    assert main(["review", str(file), "--ascii", "--distance"]) == 0
    text = capsys.readouterr().out
    assert text.count("?? ") == len(planted) + 1  # and once in the legend
    assert "?? gave a won game away" in text
    (tmp_path / "game.json").write_text(game.to_json())
    assert main(["review", str(tmp_path / "game.json"), "--ascii"]) == 0
    assert "gave a won game away" in capsys.readouterr().out


def test_an_unfinished_game_and_one_before_placement(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game = kf.Game(kf.Position.start(kf.Geometry(5, 5)), players=("a", "b"))
    for label in ("c3", "a1", "d5"):
        game = game.play(label)
    file = tmp_path / "begun.txt"
    file.write_text(game.to_text())
    assert main(["review", str(file)]) == 0
    assert "1 first  c3" in capsys.readouterr().out


def test_what_cannot_be_reviewed_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.txt").write_text(kf.Game(kf.Position.start(kf.Geometry(5, 5))).to_text())
    for arguments, words in (
        ([str(tmp_path / "nowhere.txt")], "No such file"),
        ([str(tmp_path / "empty.txt")], "there is no move"),
        (["1/2/1", "--db", str(tmp_path / "no.db")], "there is no such ledger"),
        ([str(tmp_path / "empty.txt"), "--ms", "0"], "milliseconds above 0"),
    ):
        assert main(["review", *arguments]) == 2
        [line] = capsys.readouterr().err.strip().splitlines()
        assert words in line
