from __future__ import annotations

import datetime
import json
import math
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import nearly, positions, random_positions

from knightfall.rules import (
    REASONS,
    Game,
    GameError,
    GameJsonError,
    GameTextError,
    Geometry,
    MoveData,
    Outcome,
    Position,
)

counts = st.none() | st.integers(0, 2**63 - 1)
move_data = st.builds(
    MoveData,
    seconds=st.none() | st.floats(0, allow_nan=False, allow_infinity=False),
    nodes=counts,
    depth=counts,
    score=st.none() | st.floats(allow_nan=False),
)
names = st.text(max_size=12).filter(str.isprintable)


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Any game: finished by the rules or otherwise or not at all, with or without data."""
    position = opening = draw(positions())
    moves: list[int] = []
    while not position.is_over and len(moves) < draw(st.integers(0, 9)):
        moves.append(draw(st.sampled_from(position.legal_moves())))
        position = position.play(moves[-1])
    outcome = None
    if draw(st.booleans()):
        reason = draw(st.sampled_from([reason for reason in REASONS if reason != "stuck"]))
        outcome = Outcome(None if reason == "infrastructure" else draw(st.sampled_from((1, 2))), reason)
    data = tuple(draw(move_data) for _ in moves) if draw(st.booleans()) else ()
    return Game(
        opening,
        tuple(moves),
        outcome,
        data,
        (draw(names), draw(names)),
        draw(st.none() | st.dates()),
        draw(st.none() | st.integers(0, 2**64 - 1)),
    )


@given(games())
def test_both_forms_round_trip(game: Game) -> None:
    assert Game.from_text(game.to_text()) == game
    assert Game.from_text(game.to_text()).to_text() == game.to_text()
    assert Game.from_json(game.to_json()) == game
    assert Game.from_json(game.to_json(indent=2)) == game
    assert Game.from_json(game.to_json()).to_json() == game.to_json()


GAME = Game(
    Position.from_fen("7/7/3n3/7/7/2N4/7 b"),
    tuple(Geometry(7, 7).parse_label(label) for label in ("e7", "d4", "c6")),
    Outcome(1, "timeout"),
    (MoveData(score=math.inf, depth=3), MoveData(), MoveData(seconds=0.25, nodes=17)),
    ('a "quoted" name', "back\\slash"),
    datetime.date(2026, 11, 16),
    7,
)
TEXT = r"""[First "a \"quoted\" name"]
[Second "back\\slash"]
[Date "2026-11-16"]
[Seed "7"]
[Opening "7/7/3n3/7/7/2N4/7 b"]
[Winner "first"]
[Reason "timeout"]

1. ... e7 {depth=3 score=inf}
2. d4 c6 {seconds=0.25 nodes=17}
"""


def test_the_text_form_to_the_letter() -> None:
    assert GAME.to_text() == TEXT
    assert Game.from_text(TEXT) == GAME
    assert Game.from_text(TEXT.replace("\n", "\r\n")) == GAME


def test_the_json_form_to_the_letter() -> None:
    assert json.loads(GAME.to_json()) == {
        "format": "knightfall game",
        "version": 1,
        "players": ['a "quoted" name', "back\\slash"],
        "date": "2026-11-16",
        "seed": 7,
        "opening": "7/7/3n3/7/7/2N4/7 b",
        "moves": [
            {"square": "e7", "depth": 3, "score": "inf"},
            {"square": "d4"},
            {"square": "c6", "seconds": 0.25, "nodes": 17},
        ],
        "outcome": {"winner": 1, "reason": "timeout"},
    }


def test_a_stuck_player_ends_the_game() -> None:
    game = Game(Position.start(Geometry(1, 1))).play(0)
    assert game.outcome == Outcome(1, "stuck")
    with pytest.raises(GameError, match="the game is over: stuck"):
        game.play(0)
    back = game.take_back()
    assert back.moves == ()
    assert back.outcome is None
    with pytest.raises(GameError, match="cannot take back 2 moves of 1"):
        game.take_back(2)


def test_positions_and_data_follow_the_moves() -> None:
    assert [position.fen() for position in GAME.positions()][-1] == GAME.final.fen()
    assert len(list(GAME.positions())) == 4
    game = GAME.take_back(1).play(GAME.moves[-1], MoveData(depth=9))
    assert game.data == (*GAME.data[:2], MoveData(depth=9))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"moves": (0,), "data": ()}, "move 1: illegal move a7: not a knight's jump from d5"),
        ({"data": (MoveData(depth=1),)}, "there is data for 1 move, but 3 moves"),
        ({"players": ("a\nb", "c")}, "must be printable"),
        ({"seed": -1}, "the seed must be"),
        ({"seed": True}, "the seed must be"),
        ({"outcome": Outcome(1, "stuck")}, "but after the last move player 1 can still move"),
    ],
)
def test_games_that_contradict_themselves(change: dict[str, object], message: str) -> None:
    fields = {name: getattr(GAME, name) for name in Game.__slots__}
    with pytest.raises(GameError, match=message):
        Game(**{**fields, **change})


def test_the_wrong_player_cannot_be_stuck() -> None:
    opening = Position.start(Geometry(1, 1))
    with pytest.raises(GameError, match="player 2 is the one who is stuck"):
        Game(opening, (0,), Outcome(2, "stuck"))


@pytest.mark.parametrize(
    ("winner", "reason"), [(1, "bored"), (None, "stuck"), (1, "infrastructure"), (3, "stuck"), (True, "stuck")]
)
def test_outcomes_that_cannot_be(winner: int | None, reason: str) -> None:
    with pytest.raises(GameError):
        Outcome(winner, reason)


@pytest.mark.parametrize(
    "fields",
    [
        {"seconds": -1.0},
        {"seconds": math.inf},
        {"seconds": math.nan},
        {"seconds": "1"},
        {"score": math.nan},
        {"score": 10**400},
        {"score": True},
        {"nodes": 1.0},
        {"nodes": -1},
        {"depth": 2**63},
    ],
)
def test_data_that_cannot_be(fields: dict[str, float]) -> None:
    with pytest.raises(GameError):
        MoveData(**fields)  # type: ignore[arg-type]


# what is replaced, by what, line, column, part of the cause
TEXT_FAULTS = [
    ('[Seed "7"]', '[Seed "7]', 4, 1, "a tag is written"),
    ("[Seed", "[Sead", 4, 2, "unknown tag 'Sead'"),
    ('"7"', '"x"', 4, 8, "not a seed"),
    ('"7"', '"18446744073709551616"', 4, 8, "not a seed"),
    ("2026-11-16", "2026-02-30", 3, 8, "not a date"),
    ("2026-11-16", "20261116", 3, 8, "not a date"),
    ("[Seed", '[Date "2026-11-16"]\n[Seed', 4, 8, "a second tag Date; the first is in line 3"),
    ("7/7/3n3", "7/7/3x3", 5, 16, "row 3, column 4"),
    ('[Opening "7/7/3n3/7/7/2N4/7 b"]\n', "", 1, 1, "the tag Opening is missing"),
    ('"first"', '"third"', 6, 10, "first, second or none"),
    ('"timeout"', '"bored"', 7, 10, "unknown reason 'bored'"),
    ('[Reason "timeout"]\n', "", 6, 10, "go together"),
    ('"timeout"', '"stuck"', 6, 10, "player 1 can still move"),
    ("1. ...", "2. ...", 9, 1, "the round number 1. is expected"),
    ("... e7", "e7", 9, 4, "the second player begins"),
    ("e7", "e9", 9, 8, "'e9' is not a square of a 7x7 board"),
    ("e7", "e6", 9, 8, "illegal move e6"),
    ("e7 {", "e7 {depth=1} {", 9, 21, "must stand behind a move"),
    ("... e7", "{depth=1} ... e7", 9, 4, "must stand behind a move"),
    ("depth=3", "depth=-3", 9, 12, "'-3' is no value for depth"),
    ("depth=3", "deep=3", 9, 12, "one of seconds, nodes, depth, score"),
    ("depth=3", "depth=3 depth=3", 9, 20, "a second depth"),
    ("score=inf", "score=nan", 9, 20, "'nan' is no value for score"),
    ("nodes=17", "nodes=9999999999999999999", 10, 10, "nodes must be"),
    ("c6 {seconds=0.25 nodes=17}\n", "c6\n3.", 11, 3, "the round has no move"),
    ("c6 {seconds", "c6 }seconds", 10, 10, "the round number 3. is expected"),
]


@pytest.mark.parametrize(("old", "new", "line", "column", "cause"), TEXT_FAULTS)
def test_text_faults_are_told_in_one_line_with_their_place(
    old: str, new: str, line: int, column: int, cause: str
) -> None:
    assert old in TEXT
    with pytest.raises(GameTextError) as caught:
        Game.from_text(TEXT.replace(old, new, 1))
    error = caught.value
    assert cause in error.cause
    assert (error.line, error.column) == (line, column)
    assert len(str(error).splitlines()) == 1


def changed(**fields: object) -> str:
    return json.dumps({**json.loads(GAME.to_json()), **fields})


JSON_FAULTS = [
    ("", "line 1, column 1", "not JSON"),
    ("[1", "line 1, column 3", "not JSON"),
    ("[" * 100_000, "the text", "nested too deeply"),
    ('{"seed": ' + "9" * 5000 + "}", "the text", "digits"),
    ('{"seed": NaN}', "the text", "NaN is not a JSON number"),
    ("[]", "the text", "an object is expected"),
    ("{}", "the text", "the field 'format' is missing"),
    (changed(format="chess"), "format", "is expected"),
    (changed(version=2), "version", "version 1 is expected"),
    (changed(colour="red"), "the text", 'unknown field "colour"'),
    (changed(opening="7/7"), "opening", "side to move is missing"),
    (changed(opening=7), "opening", "text is expected"),
    (changed(moves="e7"), "moves", "a list is expected"),
    (changed(moves=["e7"]), "moves[0]", "an object is expected"),
    (changed(moves=[{"square": "e7"}, {"square": "e7"}]), "moves[1]", "illegal move e7"),
    (changed(moves=[{"square": 3}]), "moves[0].square", "text is expected"),
    (changed(moves=[{"depth": 3}]), "moves[0]", "the field 'square' is missing"),
    (changed(moves=[{"square": "e7", "depth": "3"}]), "moves[0]", "depth must be a whole number"),
    (changed(moves=[{"square": "e7", "score": "nan"}]), "moves[0]", "score must be a number"),
    (changed(players=["a"]), "players", "a list of two names"),
    (changed(players=["a", 1]), "players[1]", "text is expected"),
    (changed(players=["a", "\ud800"]), "the game", "printable"),
    (changed(date="yesterday"), "date", "not a date"),
    (changed(date=20261116), "date", "text is expected"),
    (changed(seed=1.5), "the game", "seed"),
    (changed(outcome=1), "outcome", "an object is expected"),
    (changed(outcome={"winner": 1}), "outcome", "'reason' is missing"),
    (changed(outcome={"winner": 1.0, "reason": "crash"}), "outcome", "the winner is 1, 2 or None"),
    (changed(outcome={"winner": [], "reason": "crash"}), "outcome", "the winner is 1, 2 or None"),
    (changed(outcome={"winner": 2, "reason": "stuck"}), "the game", "can still move"),
]


@pytest.mark.parametrize(("text", "path", "cause"), JSON_FAULTS)
def test_json_faults_are_told_in_one_line_with_their_place(text: str, path: str, cause: str) -> None:
    with pytest.raises(GameJsonError) as caught:
        Game.from_json(text)
    assert caught.value.path == path
    assert cause in caught.value.cause
    assert len(str(caught.value).splitlines()) == 1


def random_games(count: int, seed: int) -> list[Game]:
    """Games of a few moves with all kinds of names, data and ends, the same ones each time."""
    chance = random.Random(seed)
    found = []
    for opening in random_positions(count, seed):
        game = Game(opening, players=("Ann", 'B"en\\'), seed=chance.choice((None, 0, 2**64 - 1)))
        while game.outcome is None and chance.random() < 0.7:
            data = MoveData(chance.choice((None, 0.5)), chance.choice((None, 7)), None, chance.choice((-math.inf, 2.5)))
            square = chance.choice(game.final.legal_moves())
            game = game.play(square, chance.choice((None, data)))
        if game.outcome is None and chance.random() < 0.7:
            game = game.ended(*chance.choice(((1, "resign"), (2, "crash"), (None, "infrastructure"))))
        found.append(game)
    return found


TEXT_PIECES = ("", "[", '"]', "\n", " ", "{", "}", "1.", "...", "a1", "depth=1", "score=-inf", "\\", '"', "[Seed ")
JSON_PIECES = ("", "[", "]", "{", "}", '"', ":", ",", "1", "-", "null", "true", "1e999", "\\u0000", "Infinity")
POOL = random_games(300, seed=2)
text_like = nearly([game.to_text() for game in POOL], TEXT_PIECES) | st.text(max_size=30)
json_like = nearly([game.to_json() for game in POOL], JSON_PIECES) | st.text(max_size=30)


def check_any_game_text(text: str) -> None:
    try:
        game = Game.from_text(text)
    except GameTextError as error:
        assert len(str(error).splitlines()) == 1
        assert 1 <= error.line <= len(text.split("\n"))
        assert 1 <= error.column <= len(text) + 1
    else:
        assert Game.from_text(game.to_text()) == game


def check_any_game_json(text: str) -> None:
    try:
        game = Game.from_json(text)
    except GameJsonError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert Game.from_json(game.to_json()) == game


@settings(max_examples=1_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text_like, json_like)
def test_any_text_round_trips_or_gives_the_clean_error(text: str, other: str) -> None:
    check_any_game_text(text)
    check_any_game_json(other)


@pytest.mark.long
@settings(max_examples=100_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(text_like)
def test_a_hundred_thousand_texts(text: str) -> None:
    check_any_game_text(text)


@pytest.mark.long
@settings(max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(json_like)
def test_twenty_thousand_json_texts(text: str) -> None:
    check_any_game_json(text)
