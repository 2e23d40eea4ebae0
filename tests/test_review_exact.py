"""What a review states is proved, whatever the time limit: counts, lengths, costs and refutations."""

from __future__ import annotations

import json
import random
import re
import shlex
from pathlib import Path

import pytest
from brute_force import Brute
from commands import KNIGHTFALL, run_on_terminal

import knightfall as kf
from knightfall.cli import main
from knightfall.lab.exact import ExactValues
from knightfall.lab.review import GAVE_AWAY, LOST, UNKNOWN, Review, review

NO_TIME = 1e-3  # milliseconds


def random_game(geometry: kf.Geometry, seed: int) -> kf.Game:
    chance = random.Random(seed)
    game = kf.Game(kf.Position.start(geometry), players=("left", "right"))
    while game.outcome is None:
        game = game.play(chance.choice(game.final.legal_moves()))
    return game


def written(folder: Path, game: kf.Game) -> str:
    file = folder / "game.txt"
    file.write_text(game.to_text())
    return str(file)


def check_against_brute_force(found: Review, brute: Brute, game: kf.Game) -> None:
    """Every move with both knights placed, held against all lines of play."""
    for move, position in zip(found.moves, game.positions(), strict=False):
        if None in position.locations:
            assert move.was_won == brute.wins(position)
            continue
        truth = brute.truth(position)
        left = {square: length - 1 for square, length in truth.distances.items()}
        assert move.is_complete
        assert move.choices == len(left)
        assert (move.was_won, move.winning) == (truth.won, tuple(sorted(truth.winning)))
        assert move.wins == (move.square in truth.winning)
        assert move.distance == left[move.square]
        assert move.best_distance == truth.distance - 1
        assert move.best == tuple(sorted(square for square in left if left[square] == truth.distance - 1))
        if move.grade == LOST:
            assert move.cost == max(left.values()) - left[move.square]
        if move.grade == GAVE_AWAY:
            assert move.cost is None
            assert move.refutation is not None
            check_refutation(brute, position.play(move.square), move.refutation.moves)
        else:
            assert move.refutation is None


def check_refutation(brute: Brute, position: kf.Position, line: tuple[int, ...]) -> None:
    """The winner hurries, the loser delays, and at the end the loser is stuck."""
    winner = position.to_move
    assert len(line) == brute.truth(position).distance
    for square in line:
        left = brute.truth(position).distance
        position = position.play(square)
        assert position.is_over or brute.truth(position).distance == left - 1
    assert position.winner == winner


def test_small_games_agree_with_all_lines_of_play() -> None:
    geometry = kf.Geometry(5, 4)
    brute = Brute(geometry)
    grades = set()
    for seed in range(12):
        game = random_game(geometry, seed)
        found = review(game)
        assert found.is_complete
        check_against_brute_force(found, brute, game)
        grades |= {move.grade for move in found.moves}
    assert {GAVE_AWAY, LOST} < grades


def test_counts_on_7x7_do_not_depend_on_the_time_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = random_game(kf.Geometry(7, 7), 2)
    file = written(tmp_path, game)
    told = []
    for ms in ("2000", str(NO_TIME)):
        assert main(["review", file, "--json", "--ms", ms]) == 0
        told.append(json.loads(capsys.readouterr().out))
    for facts in told:
        assert facts["complete"]
        assert all(move["complete"] and not move["undecided_moves"] for move in facts["moves"])
    keys = ("move", "grade", "was_won", "wins", "winning_moves", "choices")
    patient, hasty = ([[move[key] for key in keys] for move in facts["moves"]] for facts in told)
    assert patient == hasty
    assert patient[0][1] == LOST
    solver = kf.Solver(game.opening.geometry, memory=2**27)
    for move, position in list(zip(told[0]["moves"], game.positions(), strict=False))[5:]:
        label = position.geometry.label
        assert move["winning_moves"] == [label(square) for square in solver.solve(position).winning_moves]
    assert main(["review", file, "--ms", str(NO_TIME)]) == 0
    text = capsys.readouterr().out
    assert "at least" not in text
    assert "~" not in text


def test_what_is_not_proved_is_said_so_on_a_large_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = random_game(kf.Geometry(8, 8), 2)
    found = review(game, NO_TIME)
    assert not found.is_complete
    unknown = [move for move in found.moves if move.grade == UNKNOWN]
    assert unknown
    solver = kf.Solver(game.opening.geometry, memory=2**27)
    late = [(m, p) for m, p in zip(found.moves, game.positions(), strict=False) if 64 - p.ply <= 42]
    assert late
    for move, position in late:
        exact = solver.solve(position)
        assert set(move.winning) <= set(exact.winning_moves) <= {*move.winning, *move.undecided}
        assert move.wins in (None, exact.moves[move.square])
    assert main(["review", written(tmp_path, game), "--ms", str(NO_TIME)]) == 0
    text = capsys.readouterr().out
    # By the mirror argument one reply wins; of the others nothing is known in no time.
    assert re.search(r"2 second \w\w~ +unknown +at least 1 of 63 moves wins: \w\w; 62 not decided", text)
    assert "~ not decided in time" in text
    assert "?" not in text.replace("??", "")
    assert "as far as is proved" in text
    assert "lost from the beginning" not in text
    assert main(["review", written(tmp_path, game), "--ms", str(NO_TIME), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert not facts["complete"]
    assert not facts["moves"][1]["complete"]
    assert len(facts["moves"][1]["undecided_moves"]) == 62


def blundered_game() -> tuple[kf.Game, Review]:
    """A game of 5x5 whose last mistake is refuted in more than one move."""
    for seed in range(100):
        game = random_game(kf.Geometry(5, 5), seed)
        found = review(game)
        critical = found.critical
        if critical is not None and critical.refutation is not None and len(critical.refutation.moves) > 2:
            return game, found
    raise AssertionError("no such game")


def test_refutations_and_costs_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, found = blundered_game()
    label = game.opening.geometry.label
    assert main(["review", written(tmp_path, game), "--ascii"]) == 0
    shown = capsys.readouterr().out
    text = " ".join(shown.split())
    for move in found.blunders:
        assert move.refutation is not None
        line = " ".join(label(square) for square in move.refutation.moves[:10])
        assert f"refuted by {line}" in text
    for move in found.moves:
        if move.grade == LOST and move.cost:
            noun = "move" if move.cost == 1 else "moves"
            assert f"{move.cost} {noun} sooner than after {' '.join(label(s) for s in move.best)}" in text
    assert found.is_critical_certain
    assert "the critical moment: move" in text
    assert "unproved: knights not placed" in text  # the first placement


def test_who_resigns_a_won_game_was_not_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The player who resigns wins with best play: it must not be called lost."""
    geometry = kf.Geometry(5, 5)
    solver = kf.Solver(geometry, memory=2**27)
    game = random_game(geometry, 1).take_back(2)
    while solver.solve(game.final).winner != game.final.to_move:
        game = game.take_back()
    winner = game.final.to_move
    assert main(["review", written(tmp_path, game.ended(3 - winner, "resign"))]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"{('first', 'second')[winner - 1]} lost in a won position (resign)" in text
    assert "lost from the beginning" not in text
    assert main(["review", written(tmp_path, game)]) == 0
    expected = f"the game is not finished: {('first', 'second')[winner - 1]} wins with best play"
    assert expected in " ".join(capsys.readouterr().out.split())


def test_lost_from_the_beginning_is_proved() -> None:
    start = kf.Position.start(kf.Geometry(5, 5))
    won = kf.play("random", "perfect", opening=start, seed=1)
    assert won.outcome is not None
    assert won.outcome.winner == 2
    assert review(won).lost_from_start == 1
    # A winner that gave the game away in between does not count.
    game, found = blundered_game()
    assert game.outcome is not None
    assert found.lost_from_start is None


def test_a_line_of_which_only_the_first_move_is_proved() -> None:
    exact = ExactValues(kf.Geometry(7, 7), ms=1_000)
    position = kf.Position.from_fen("7/7/3n3/7/7/2N4/7 w")
    winning = tuple(square for square, won in exact.wins(position).items() if won)
    exact.start_clock()
    line = exact.winning_line(position, winning)
    assert line is not None
    assert (line.moves, line.length, line.is_whole) == (winning[:1], None, False)  # 47 squares are empty
    assert exact.winning_line(position, ()) is None


@pytest.mark.parametrize("columns", [60, 120])
def test_a_review_fits_on_a_terminal(columns: int, tmp_path: Path) -> None:
    game, _ = blundered_game()
    command = shlex.join([*KNIGHTFALL, "review", written(tmp_path, game)])
    code, shown = run_on_terminal(
        ["sh", "-c", f"unset COLUMNS; stty cols {columns}; exec {command}"], env={"NO_COLOR": "1"}
    )
    assert code == 0
    lines = shown.replace("\r\n", "\n").split("\n")
    table = next(at for at, line in enumerate(lines) if line.startswith("     player move"))
    assert max(map(len, lines[table:])) <= columns
    assert any("critical moment" in line for line in lines)
