"""Ways to damage the data of a ledger. `knightfall experiments verify` must find each of them."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from knightfall.arena.plan import Matchup, Plan, configuration_key

Damage = Callable[[sqlite3.Connection, random.Random], None]
Row = tuple[int, int, int]

_NESTED = "[" * 100_000


def damage(path: Path, how: Damage, chance: random.Random) -> None:
    """Damage a ledger, even with values that its schema does not allow."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        strict = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        _write_schema(connection, [(name, _loose(sql)) for name, sql in strict])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("BEGIN")
        how(connection, chance)
        connection.execute("COMMIT")
        kept = {name for [name] in connection.execute("SELECT name FROM sqlite_master")}
        _write_schema(connection, [(name, sql) for name, sql in strict if name in kept])


def _loose(sql: str) -> str:
    return re.sub(r"\) STRICT,?", ")", sql).replace("NOT NULL", "")


def _write_schema(connection: sqlite3.Connection, tables: list[tuple[str, str]]) -> None:
    [version] = connection.execute("PRAGMA schema_version").fetchone()
    connection.execute("PRAGMA writable_schema = ON")
    for name, sql in tables:
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", [sql, name])
    connection.execute("PRAGMA writable_schema = OFF")
    connection.execute(f"PRAGMA schema_version = {version + 1}")


def _game(connection: sqlite3.Connection, chance: random.Random) -> Row:
    rows: list[Row] = connection.execute("SELECT experiment, pair, game FROM game").fetchall()
    return chance.choice(rows)


def _pair(connection: sqlite3.Connection, chance: random.Random) -> tuple[int, int]:
    rows: list[tuple[int, int]] = connection.execute(
        "SELECT experiment, number FROM pair WHERE state = 'done'"
    ).fetchall()
    return chance.choice(rows)


_THIS_GAME = "WHERE experiment = ? AND pair = ? AND game = ?"
_THIS_PAIR = "WHERE experiment = ? AND number = ?"


def change_game(change: str, *values: object) -> Damage:
    """Change one game by SQL."""
    return lambda connection, chance: _do(
        connection, f"UPDATE game SET {change} {_THIS_GAME}", values, _game(connection, chance)
    )


def change_pair(change: str, *values: object) -> Damage:
    """Change one pair by SQL."""
    return lambda connection, chance: _do(
        connection, f"UPDATE pair SET {change} {_THIS_PAIR}", values, _pair(connection, chance)
    )


def change_experiment(change: str, *values: object) -> Damage:
    """Change the last experiment by SQL."""
    where = "WHERE id = (SELECT max(id) FROM experiment)"
    return lambda connection, _: _do(connection, f"UPDATE experiment SET {change} {where}", values, ())


def _do(connection: sqlite3.Connection, order: str, values: tuple[object, ...], where: tuple[object, ...]) -> None:
    connection.execute(order, [*values, *where])


def delete_game(connection: sqlite3.Connection, chance: random.Random) -> None:
    connection.execute(f"DELETE FROM game {_THIS_GAME}", _game(connection, chance))


def delete_pair(connection: sqlite3.Connection, chance: random.Random) -> None:
    where = _pair(connection, chance)
    connection.execute("DELETE FROM game WHERE experiment = ? AND pair = ?", where)
    connection.execute(f"DELETE FROM pair {_THIS_PAIR}", where)


def delete_pair_only(connection: sqlite3.Connection, chance: random.Random) -> None:
    connection.execute(f"DELETE FROM pair {_THIS_PAIR}", _pair(connection, chance))


def swap_a_whole_pair(connection: sqlite3.Connection, chance: random.Random) -> None:
    """Swap both winners and the score: only the moves contradict them."""
    experiment, number = _pair(connection, chance)
    connection.execute("UPDATE game SET winner = 3 - winner WHERE experiment = ? AND pair = ?", [experiment, number])
    connection.execute(f"UPDATE pair SET score = 1 - score {_THIS_PAIR}", [experiment, number])


def repeat_a_square(connection: sqlite3.Connection, chance: random.Random) -> None:
    where = _game(connection, chance)
    [moves] = connection.execute(f"SELECT moves FROM game {_THIS_GAME}", where).fetchone()
    labels = moves.split()
    first, second = sorted(chance.sample(range(len(labels)), 2))
    labels[second] = labels[first]
    connection.execute(f"UPDATE game SET moves = ? {_THIS_GAME}", [" ".join(labels), *where])


def cut_the_moves(connection: sqlite3.Connection, chance: random.Random) -> None:
    """Remove two moves and two scores, so that the winner stays the same."""
    where = _game(connection, chance)
    moves, scores = connection.execute(f"SELECT moves, scores FROM game {_THIS_GAME}", where).fetchone()
    labels = moves.split()
    size = len(scores) // len(labels)
    change = f"UPDATE game SET moves = ?, scores = ? {_THIS_GAME}"
    connection.execute(change, [" ".join(labels[:-2]), scores[: -2 * size], *where])


def turn_the_openings(connection: sqlite3.Connection, chance: random.Random) -> None:
    """Replace one opening in all pairs, with matching ids: only the key contradicts it."""
    experiment, number = _pair(connection, chance)
    [told] = connection.execute("SELECT configuration FROM experiment WHERE id = ?", [experiment]).fetchone()
    plan = Plan.from_configuration(json.loads(told), ())
    [at] = connection.execute(f"SELECT opening_number FROM pair {_THIS_PAIR}", [experiment, number]).fetchone()
    rows = connection.execute(
        "SELECT number, candidate, opponent, opening FROM pair WHERE experiment = ? AND opening_number = ?",
        [experiment, at],
    ).fetchall()
    for row, candidate, opponent, opening in rows:
        board, mover = opening.split()
        other = f"{'/'.join(reversed(board.split('/')))} {mover}"
        if other == opening:
            other = f"{board} {'b' if mover == 'w' else 'w'}"
        identity = plan.pair_id(Matchup(candidate, opponent), other)
        connection.execute(f"UPDATE pair SET opening = ?, id = ? {_THIS_PAIR}", [other, identity, experiment, row])


def change_configuration(name: str, value: object, *, fitting: bool = False) -> Damage:
    """Change a setting of the last experiment; ``fitting`` also writes a matching key."""

    def change(connection: sqlite3.Connection, _: random.Random) -> None:
        question = "SELECT id, configuration FROM experiment ORDER BY id DESC LIMIT 1"
        number, text = connection.execute(question).fetchone()
        told = {**json.loads(text), name: value}
        if fitting:
            told["key"] = configuration_key(told)
        connection.execute("UPDATE experiment SET configuration = ? WHERE id = ?", [json.dumps(told), number])
        if name == "seed":
            connection.execute("UPDATE experiment SET seed = ? WHERE id = ?", [value, number])

    return change


def delete_experiment(connection: sqlite3.Connection, _: random.Random) -> None:
    connection.execute("DELETE FROM experiment WHERE id = (SELECT min(id) FROM experiment)")


def add_a_game(connection: sqlite3.Connection, chance: random.Random) -> None:
    """Add a game of a pair that does not exist."""
    where = _game(connection, chance)
    row = connection.execute(f"SELECT * FROM game {_THIS_GAME}", where).fetchone()
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO game VALUES ({marks})", [row[0], 10_000, *row[2:]])


def drop(table: str) -> Damage:
    return lambda connection, _: _do(connection, f"DROP TABLE {table}", (), ())


_NO_TEXT = "CAST(x'ff41fe' AS TEXT)"

DAMAGES: dict[str, Damage] = {
    "winner swapped": change_game("winner = 3 - winner"),
    "winner no player": change_game("winner = 3"),
    "winner text": change_game("winner = 'first'"),
    "whole pair swapped": swap_a_whole_pair,
    "score changed": change_pair("score = CASE score WHEN 0.5 THEN 1.0 ELSE 0.5 END"),
    "score no score": change_pair("score = 0.75"),
    "score missing": change_pair("score = NULL"),
    "score text": change_pair("score = 'all'"),
    "square used twice": repeat_a_square,
    "moves cut": cut_the_moves,
    "moves no squares": change_game("moves = 'castles long'"),
    "moves empty": change_game("moves = ''"),
    "moves not UTF-8": change_game(f"moves = {_NO_TEXT}"),
    "moves bytes": change_game("moves = x'00'"),
    "moves with two spaces": change_game("moves = replace(moves, ' ', '  ')"),
    "reason unknown": change_game("reason = 'bored'"),
    "reason another": change_game("reason = 'timeout'"),
    "reason void": change_game("reason = 'infrastructure'"),
    "seconds negative": change_game("seconds = -1.0"),
    "seconds infinite": change_game("seconds = 9e999"),
    "scores cut": change_game("scores = substr(scores, 1, 5)"),
    "scores text": change_game("scores = 'good'"),
    "scores huge": change_game("scores = replace(hex(scores), '', '') || 'f'"),
    "players swapped": change_game("first = second, second = first"),
    "player another": change_game("first = 'Nobody'"),
    "player not UTF-8": change_game(f"first = {_NO_TEXT}"),
    "player missing": change_game("first = NULL"),
    "message bytes": change_game("message = x'00ff'"),
    "game missing": delete_game,
    "game of no pair": add_a_game,
    "game a third": change_game("game = 3"),
    "pair missing": delete_pair,
    "pair missing, games there": delete_pair_only,
    "pair id changed": change_pair("id = '0123456789abcdef'"),
    "pair id a number": change_pair("id = 5.5"),
    "pair state changed": change_pair("state = 'planned'"),
    "pair state unknown": change_pair("state = 'lost'"),
    "pair state not needed": change_pair("state = 'not needed', score = NULL"),
    "pair candidate changed": change_pair("candidate = 'Nobody'"),
    "pair opponent not UTF-8": change_pair(f"opponent = {_NO_TEXT}"),
    "pair note missing": change_pair("note = NULL"),
    "opening changed": change_pair("opening = '7/7/3n3/7/7/2N4/7 w'"),
    "opening no opening": change_pair("opening = 'e4 e5'"),
    "opening bytes": change_pair("opening = x'ff'"),
    "opening renumbered": change_pair("opening_number = opening_number + 1"),
    "openings changed everywhere": turn_the_openings,
    "seed changed": change_configuration("seed", "99"),
    "seed changed with its key": change_configuration("seed", "99", fitting=True),
    "seed column changed": change_experiment("seed = '99'"),
    "seed too large": change_configuration("seed", str(2**64), fitting=True),
    "seed a word": change_configuration("seed", "lucky", fitting=True),
    "openings key changed": change_configuration("openings_key", "0" * 16, fitting=True),
    "number of openings changed": change_configuration("openings", 10**15, fitting=True),
    "number of openings halved": change_configuration("openings", 2, fitting=True),
    "budget changed": change_configuration("budget", {"nodes": 7}),
    "budget a word": change_configuration("budget", "much", fitting=True),
    "budget negative": change_configuration("budget", {"nodes": -7}, fitting=True),
    "candidates a word": change_configuration("candidates", "everybody", fitting=True),
    "candidates twice": change_configuration("candidates", ["AB_open", "AB_open"], fitting=True),
    "candidates nested": change_configuration("candidates", [["AB_open"]], fitting=True),
    "opponents none": change_configuration("opponents", [], fitting=True),
    "identities none": change_configuration("identities", {}, fitting=True),
    "board another": change_configuration("board", "9x7", fitting=True),
    "board no board": change_configuration("board", "round", fitting=True),
    "test a word": change_configuration("sprt", "fair", fitting=True),
    "test empty": change_configuration("sprt", {}, fitting=True),
    "configuration cut": change_experiment("configuration = substr(configuration, 1, length(configuration) / 2)"),
    "configuration empty": change_experiment("configuration = ''"),
    "configuration null": change_experiment("configuration = 'null'"),
    "configuration a list": change_experiment("configuration = '[]'"),
    "configuration an empty object": change_experiment("configuration = '{}'"),
    "configuration nested": change_experiment("configuration = ?", _NESTED),
    "configuration not UTF-8": change_experiment(f"configuration = {_NO_TEXT}"),
    "configuration missing": change_experiment("configuration = NULL"),
    "configuration not a number": change_experiment(
        "configuration = replace(configuration, '\"nodes\": ', '\"nodes\": NaN')"
    ),
    "code cut": change_experiment("code = substr(code, 1, 20)"),
    "code empty": change_experiment("code = '{}'"),
    "machine cut": change_experiment("machine = substr(machine, 1, 10)"),
    "machine a number": change_experiment("machine = '7'"),
    "machine empty": change_experiment("machine = '{}'"),
    "begun never": change_experiment("begun = 'once upon a time'"),
    "begun missing": change_experiment("begun = NULL"),
    "name not UTF-8": change_experiment(f"name = {_NO_TEXT}"),
    "command bytes": change_experiment("command = x'00'"),
    "player bytes": change_experiment("player = x'2031'"),
    "experiment missing": delete_experiment,
    "table of games missing": drop("game"),
    "table of pairs missing": drop("pair"),
}
"""The damages by description."""
