"""Whole student files: which function is meant, what lies beside it, what its player would have, what is told of it."""

from __future__ import annotations

import random
import re
import warnings
from pathlib import Path

import aind_board
import pytest
from test_student_idioms import board_of, positions

import knightfall as kf
from knightfall.catalogue.loader import expand, load
from knightfall.compiler.errors import HeuristicError, HeuristicWarning
from knightfall.compiler.interpreted import TwinControl, TwinGame
from knightfall.rules import Position

POSITION = Position.from_fen("7/7/3n3/7/7/2N4/7 w")
MOVES = "    return float(len(game.get_legal_moves(player)))\n"
THREE = "".join(f"def custom_score{end}(game, player):\n{MOVES}\n\n" for end in ("", "_2", "_3"))
UPSTREAM_SAMPLES = f"""
from random import randint

def improved_score(game, player):
{MOVES}

def distance(one, two):
    return abs(one[0] - two[0])

if __name__ == "__main__":
    from isolation import Board
    improved_score = RandomPlayer()
    print(Board(improved_score, 2).play())
"""


def written(folder: Path, text: str, name: str = "game_agent.py") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_means_its_custom_score_and_mentions_the_others(tmp_path: Path) -> None:
    path = written(tmp_path, f"def distance(one, two, three):\n    return 0\n\n\n{THREE}")
    with pytest.warns(
        HeuristicWarning, match=r"custom_score is used; also in this file: custom_score_2, custom_score_3$"
    ):
        made = load(str(path), trial=False)
    assert made.name == "custom_score"
    assert made.value(POSITION, 1) == 6.0


def test_a_star_means_every_heuristic_of_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, f"def helper(a, b, c):\n    return a\n\n\nclass Agent:\n    pass\n\n\n{THREE}")
    names = [f"{path}:custom_score{end}" for end in ("", "_2", "_3")]
    assert expand(["improved", f"{path}:*"]) == ["improved", *names]
    with pytest.raises(
        HeuristicError, match=r"one heuristic is expected here; name one of custom_score, custom_score_2"
    ):
        load(f"{path}:*", trial=False)


def test_a_method_is_refused_with_a_reason(tmp_path: Path) -> None:
    path = written(tmp_path, f"class Scores:\n    def mobility(self, game, player):\n    {MOVES}")
    with pytest.raises(
        HeuristicError, match=r"Scores\.mobility: methods are not supported; a heuristic is a function at"
    ):
        load(f"{path}:Scores.mobility", trial=False)
    with pytest.raises(HeuristicError, match=r"line 1: Scores is a class; a heuristic is a function \(game, player\)"):
        load(f"{path}:Scores", trial=False)


def test_functions_that_cannot_be_heuristics_are_no_candidates(tmp_path: Path) -> None:
    helpers = "def distance(a, b):\n    return a\n\n\ndef weigh(a, b, c):\n    return c\n\n\n"
    text = f"{helpers}def score(game, player, w=1):\n{MOVES}"
    assert load(str(written(tmp_path, text)), trial=False).name == "score"


def test_sample_players_beside_the_file(tmp_path: Path) -> None:
    written(tmp_path, UPSTREAM_SAMPLES, "sample_players.py")
    text = "from sample_players import improved_score\n\n\ndef custom_score(game, player):\n"
    text += "    return improved_score(game, player) + 1\n"
    made = load(f"{written(tmp_path, text)}:custom_score", trial=False)
    assert made.compiled
    assert made.value(POSITION, 1) == made.value(POSITION, 1, interpreted=True) == 7.0


def test_a_module_inside_a_package(tmp_path: Path) -> None:
    written(tmp_path, "def twice(x):\n    return 2 * x\n", "tools/numbers.py")
    text = (
        "import os.path\nimport tools.numbers\n\n\ndef custom_score(game, player):\n    return tools.numbers.twice(4)\n"
    )
    made = load(f"{written(tmp_path, text)}:custom_score", trial=False)
    assert made.value(POSITION, 1, interpreted=True) == 8.0
    assert made.compiled, made.code.failure
    text = "import os.path\n\n\ndef custom_score(game, player):\n    return len(os.path.join('a', 'b'))\n"
    assert (
        load(f"{written(tmp_path, text, 'b.py')}:custom_score", trial=False).value(POSITION, 1, interpreted=True) == 3.0
    )


def test_a_function_named_like_a_method_of_lists(tmp_path: Path) -> None:
    text = """
import tools

def count(number):
    total = 0
    while number > 0:
        number -= 2
        total += 1
    return total

def custom_score(game, player):
    moves = game.get_legal_moves(player)
    return count(len(moves)) + 100 * [1, 2, 1].count(1) + tools.halve(len(moves))
"""
    written(tmp_path, "def halve(n):\n    while n > 3:\n        n = n // 2\n    return n\n", "tools.py")
    made = load(f"{written(tmp_path, text)}:custom_score", trial=False)
    assert made.compiled, made.code.failure
    assert made.value(POSITION, 1) == made.value(POSITION, 1, interpreted=True) == 3 + 200 + 3


def test_what_only_the_players_class_has_cannot_be_hidden(tmp_path: Path) -> None:
    text = """
def custom_score(game, player):
    try:
        return player.opening_book[game.hash()]
    except:
        return 0.0
"""
    made = load(f"{written(tmp_path, text)}:custom_score", trial=False)
    for interpreted in (False, True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HeuristicWarning)
            with pytest.raises(HeuristicError, match=r"the player has no 'opening_book': a heuristic runs without its"):
                made.value(POSITION, 1, interpreted=interpreted)


def test_a_score_in_the_players_hands(tmp_path: Path) -> None:
    text = "def custom_score(game, player):\n    return 5 if player.score is not None else 0\n"
    made = load(f"{written(tmp_path, text)}:custom_score", trial=False)
    assert made.value(POSITION, 1, interpreted=True) == 5.0


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("    import collections\n    return collections.Counter([1])[1]\n", "line 3: 'Counter' is not supported in"),
        ("    return sorted(game)\n", "line 2: list() is not supported for the game"),
        ("    x = 3\n    if game.width > 3:\n        x = 'a'\n    return len(x) if x != 3 else 1\n", "'x' is a"),
        ("    with open('x') as file:\n        return 1.0\n", "with is not supported in compiled code"),
        ("    if game.width > 3:\n        return [1]\n    return 2.0\n", "a function returns a"),
        ("    return {1: 2}\n", "it returns a dictionary, which is no number"),
        ("    a = [1]\n    a.append('x')\n    return len(a)\n", "line 3: append() is not supported for a text"),
        ("    return game.no_such_thing()\n", "line 2: the game has no 'no_such_thing' in compiled code"),
    ],
)
def test_the_compilers_complaints_are_sentences(body: str, sentence: str, tmp_path: Path) -> None:
    made = load(f"{written(tmp_path, f'def custom_score(game, player):{chr(10)}{body}')}:custom_score", trial=False)
    assert not made.compiled
    assert made.code.failure is not None
    assert sentence in made.code.failure
    assert not re.search(
        r"Type\(|int64|float64|Squares\d|UniTuple|Untyped|unicode|Undecided|nopython", made.code.failure
    )


def test_the_compilers_own_faults_are_a_sentence_too(tmp_path: Path) -> None:
    """A helper that returns a square or None, and is then indexed, makes Numba fail in its own code."""
    text = """
CORNERS = [(0, 0), (0, 6)]
def corner(game, p):
    for m in game.get_legal_moves(p):
        if m in CORNERS:
            return m
    return None
def custom_score(game, player):
    c = corner(game, player)
    if c:
        return float(c[0] + c[1])
    return -1.0
"""
    made = load(f"{written(tmp_path, text)}:custom_score", trial=False)
    assert not made.compiled
    assert str(made.code.failure).startswith("a value that may be None is indexed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HeuristicWarning)
        assert made.value(POSITION, 1) == -1.0


def test_what_failed_to_compile_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "def custom_score(game, player):\n    return game.no_such_thing()\n")
    first = load(f"{path}:custom_score", trial=False)
    assert not first.compiled
    from knightfall.catalogue import loader
    from knightfall.compiler.build import CompiledProgram

    def fail(*_: object) -> None:
        raise AssertionError("it was compiled again")

    monkeypatch.setattr(CompiledProgram, "_compile", fail)
    loader._from_file.cache_clear()
    again = load(f"{path}:custom_score", trial=False)
    assert again is not first
    assert not again.compiled
    assert again.code.failure == first.code.failure


# The interpreted view is the board


def test_the_twin_is_the_aind_board() -> None:
    chance = random.Random(5)
    for position in positions():
        game = TwinGame.of(position, TwinControl())
        players = (game.player(1), game.player(2))
        board = board_of(position, players)
        for _ in range(4):
            same_board(game, board, players)
            moves = board.get_legal_moves()
            if not moves:
                break
            move = chance.choice(moves)
            before = list(game._board_state)
            assert game.forecast_move(move)._board_state == board.forecast_move(move)._board_state
            assert game._board_state == before
            game.apply_move(move)
            board.apply_move(move)


def same_board(game: TwinGame, board: aind_board.EarlyBoard, players: tuple[object, object]) -> None:
    assert game._board_state == board._board_state
    assert (game.width, game.height, game.move_count) == (board.width, board.height, board.move_count)
    assert game.active_player is board.active_player
    assert game.inactive_player is board.inactive_player
    assert game.get_blank_spaces() == board.get_blank_spaces()
    assert game.get_legal_moves() == board.get_legal_moves()
    assert game.to_string() == board.to_string()
    assert game.to_string(["A", "B"]) == board.to_string(["A", "B"])
    assert game.hash() == board.hash()
    assert game.__last_player_move__ == board.__last_player_move__
    assert game.__player_symbols__ == board.__player_symbols__
    assert [[min(cell, 1) for cell in row] for row in game.__board_state__] == board.__board_state__
    for player in players:
        assert game.get_legal_moves(player) == board.get_legal_moves(player)
        assert game.get_player_location(player) == board.get_player_location(player)
        assert game.get_opponent(player) is board.get_opponent(player)
        assert game.is_winner(player) == board.is_winner(player)
        assert game.is_loser(player) == board.is_loser(player)
        assert game.utility(player) == board.utility(player)
    for row in range(-1, board.height + 1):
        for column in range(-1, board.width + 1):
            assert game.move_is_legal((row, column)) == board.move_is_legal((row, column))
            if 0 <= row < board.height and 0 <= column < board.width:
                assert game.__get_moves__((row, column)) == board.__get_moves__((row, column))
                assert game._Board__get_moves((row, column)) == board.__get_moves__((row, column))
    for method in (game.get_opponent, game.get_player_location, game.get_legal_moves):
        with pytest.raises(RuntimeError):
            method("nobody")


def test_a_heuristic_is_evaluated_by_the_search_before_placement(tmp_path: Path) -> None:
    text = "def custom_score(game, player):\n    seen = set([game.get_player_location(player)])\n    return len(seen)\n"
    path = written(tmp_path, text)
    made = load(f"{path}:custom_score", trial=False)
    start = Position.start(kf.Geometry(5, 5))
    assert made.compiled
    assert made.value(start, 1) == made.value(start, 1, interpreted=True) == 1.0
    choice = kf.agent(f"alphabeta({path}:custom_score, depth=1)").choose(start)
    assert choice.square in start.legal_moves()
