"""`experiments` and `games` as a user meets them, compared with what sqlite3 says of the same ledger.

A process that reads a ledger takes two seconds to start, so one run of each kind is a real one; the many others call
the same ``main`` in this process.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from commands import KNIGHTFALL, run, started
from ledgers import CRASH

import knightfall as kf
from knightfall.arena.game_list import FACTS
from knightfall.arena.ledger import Ledger
from knightfall.arena.prepare import prepare
from knightfall.arena.request import Request
from knightfall.arena.results import Results
from knightfall.arena.run import begin
from knightfall.arena.tournament import tournament
from knightfall.cli import main
from knightfall.rules.game_json import to_object

CRASHED = "1/2/2"
"""A game of which the ledger is made to say that it ended by a crash."""

WON_BY = "CASE winner WHEN 1 THEN first ELSE second END"
LOST_BY = "CASE winner WHEN 1 THEN second ELSE first END"
MOVES = "(length(moves) + 1) / 3"  # on a small board a label has two characters


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of two experiments; in the second a player meets itself."""
    path = tmp_path_factory.mktemp("ledger") / "x.db"
    tournament(["improved", "central_mobility"], ["Random", "MM_Open"], pairs=4, nodes=200, db=path, workers=1)
    options: dict[str, Any] = {"pairs": 3, "nodes": 50, "board": "5x5", "baseline": None, "plies": 3, "seed": 2**63 + 1}
    tournament("AB_open", ["AB_open", "Random"], db=path, workers=1, **options)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            f"UPDATE game SET {CRASH}, message = 'it fell' WHERE experiment = 1 AND pair = 2 AND game = 2"
        )
        connection.commit()
    return path


def ask(path: Path, question: str) -> list[tuple[Any, ...]]:
    """What sqlite3 says."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(question).fetchall()


def ids(path: Path, condition: str, limit: int = -1) -> list[str]:
    """The games for which that is true."""
    source = "game JOIN pair ON pair.experiment = game.experiment AND pair.number = game.pair"
    order = "ORDER BY game.experiment, game.pair, game.game"
    question = f"SELECT game.experiment, game.pair, game.game FROM {source} WHERE {condition} {order} LIMIT {limit}"
    return [f"{experiment}/{pair}/{game}" for experiment, pair, game in ask(path, question)]


class Here:
    """The command in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object, code: int = 0) -> str:
        """What it prints; where ``code`` is not 0, its complaint."""
        assert main([str(argument) for argument in arguments]) == code
        out, error = self._capsys.readouterr()
        assert (out if code else error) == ""
        return error if code else out


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


def test_the_experiments_are_listed(db: Path, here: Here) -> None:
    done = run("experiments", "--db", str(db))
    assert (done.returncode, done.stderr) == (0, "")
    head, *lines = done.stdout.splitlines()
    assert head.split("  ")[0] == "id"
    begun = [row[0].removesuffix("+00:00").replace("T", " ") for row in ask(db, "SELECT begun FROM experiment")]
    candidates = "AB_improved, AB_central_mobility"
    cells = [re.split(" {2,}", line.strip()) for line in lines]
    assert cells == [
        [*("1", begun[0], "finished", "7x7", "20", "nodes=200", "1"), f"{candidates} against Random, MM_Open"],
        [*("2", begun[1], "finished", "5x5", "6", "nodes=50", str(2**63 + 1)), "AB_open against AB_open, Random"],
    ]
    listed = json.loads(here("experiments", "--db", db, "--json"))["experiments"]
    assert [entry["id"] for entry in listed] == [1, 2]
    assert [entry["begun"] for entry in listed] == [row[0] for row in ask(db, "SELECT begun FROM experiment")]
    assert listed[1]["seed"] == str(2**63 + 1)
    assert listed[0]["pairs"] == {"done": 20, "planned": 0, "left out": 0, "not needed": 0}
    assert (listed[0]["state"], listed[0]["process"], listed[0]["panel"]) == ("finished", None, "")


def test_one_experiment_in_full(db: Path, here: Here) -> None:
    shown = here("experiments", 1, "--db", db)
    with Ledger(db, create=False) as ledger:
        results = Results.read(ledger, 1)
    code = results.experiment.code
    assert shown.startswith("experiment 1\n  state        finished\n  begun        20")
    for line in (
        "  board        7x7",
        "  candidates   AB_improved, AB_central_mobility",
        "  opponents    Random, MM_Open",
        "  baseline     AB_improved",
        "  budget       nodes=200",
        "  pairs        20 done",
        f"  games        40 (moves {results.moves_hash[:16]})",
        "  player       MM_Open = minimax(open, depth=3, horizon=heuristic)",
        f"  sources      {code['sources']}",
    ):
        assert f"{line}\n" in shown
    assert re.search(rf"^  code         .*\bnumba {re.escape(code['numba'])}\b", shown, re.M)
    [[fallen]] = ask(db, f"SELECT {LOST_BY} FROM game WHERE reason != 'stuck'")
    assert shown.endswith(f"faults: {fallen} lost 1 game by crash (it fell)\n")
    facts = json.loads(here("experiments", 1, "--db", db, "--json"))
    assert facts["faults"] == [{"player": fallen, "reason": "crash", "games": 1, "message": "it fell"}]
    assert (facts["games"], facts["moves_hash"], facts["resume"]) == (40, results.moves_hash, None)
    for name in ("configuration", "code", "machine"):
        assert [[json.dumps(facts[name], sort_keys=True)]] == [
            [json.dumps(json.loads(row[0]), sort_keys=True)]
            for row in ask(db, f"SELECT {name} FROM experiment WHERE id = 1")
        ]


def test_an_unfinished_experiment_says_how_to_go_on(
    db: Path, here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(db, "knightfall.db")
    request = Request(["improved"], "gen2", pairs=2, baseline=None)
    with Ledger(Path("knightfall.db")) as ledger:
        number = begin(ledger, prepare(request), name="mine", command="knightfall tournament improved")
        shown = here("experiments").splitlines()[-1]
        assert f" being played by process {os.getpid()} " in shown
        assert shown.endswith(" each its own  1                    mine: AB_improved against gen2")
        assert "resume with" not in here("experiments", 3)
        ledger.leave(number)
        ledger.leave_out(number, [13], "it killed 3 workers")
    assert " unfinished: 0 of 14 pairs " in here("experiments").splitlines()[-1]
    shown = here("experiments", 3)
    assert shown.startswith("experiment 3: mine\n  state        unfinished: 0 of 14 pairs\n")
    assert "  panel        gen2\n" in shown
    assert "  pairs        13 planned, 1 left out\n" in shown
    assert "  command      knightfall tournament improved\n" in shown
    assert ": it killed 3 workers\n" in shown
    assert shown.endswith("\nresume with: knightfall tournament --experiment 3\n")
    Path("knightfall.db").rename("my games.db")
    facts = json.loads(here("experiments", 3, "--db", "my games.db", "--json"))
    assert facts["resume"] == "knightfall tournament --experiment 3 --db 'my games.db'"
    assert facts["left_out"] == [{"pair": 13, "note": "it killed 3 workers"}]
    assert here("games", "--db", "my games.db") == "no game found in experiment 3 of my games.db\n"
    message = "my games.db: game 3/13/1 was not played: its pair is left out (it killed 3 workers)"
    assert message in here("games", "3/13/1", "--db", "my games.db", code=2)


def test_the_games_are_listed(db: Path) -> None:
    done = run("games", "--db", str(db), "--experiment", "1")
    assert (done.returncode, done.stderr) == (0, "")
    head, *lines, foot = done.stdout.splitlines()
    assert head.split() == ["game", "first", "second", "winner", "reason", "moves"]
    winner = "CASE winner WHEN 1 THEN 'first' ELSE 'second' END"
    columns = f"experiment || '/' || pair || '/' || game, first, second, {winner}, reason, {MOVES}"
    expected = ask(db, f"SELECT {columns} FROM game WHERE experiment = 1 ORDER BY pair, game")
    assert [tuple(line.split()) for line in lines] == [(*row[:-1], str(row[-1])) for row in expected]
    assert (foot, len(lines)) == ("40 games", 40)


FIRST = ("--experiment", "1")
MET = "((first = '{0}' AND second = '{1}') OR (first = '{1}' AND second = '{0}'))"


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ([], "game.experiment = 2"),
        (["--experiment", "all"], "TRUE"),
        (["--experiment", "all", "--player", "Random"], "'Random' IN (first, second)"),
        ([*FIRST, "--player", "MM_Open"], "game.experiment = 1 AND 'MM_Open' IN (first, second)"),
        ([*FIRST, "--against", "MM_Open"], "game.experiment = 1 AND 'MM_Open' IN (first, second)"),
        ([*FIRST, "--player", "AB_improved", "--against", "Random"], MET.format("AB_improved", "Random")),
        ([*FIRST, "--won-by", "AB_improved"], f"game.experiment = 1 AND {WON_BY} = 'AB_improved'"),
        ([*FIRST, "--lost-by", "AB_improved"], f"game.experiment = 1 AND {LOST_BY} = 'AB_improved'"),
        (
            [*FIRST, "--won-by", "AB_central_mobility", "--against", "AB_improved"],
            f"{WON_BY} = 'AB_central_mobility' AND {LOST_BY} = 'AB_improved'",
        ),
        ([*FIRST, "--won-by", "AB_improved", "--against", "AB_improved"], "FALSE"),
        (
            [*FIRST, "--player", "Random", "--against", "AB_improved", "--won-by", "AB_improved"],
            f"{LOST_BY} = 'Random' AND {WON_BY} = 'AB_improved'",
        ),
        ([*FIRST, "--won-by", "Random", "--lost-by", "Random"], "FALSE"),
        (["--won-by", "AB_open", "--lost-by", "AB_open"], "game.experiment = 2 AND first = second"),
        (["--player", "AB_open", "--against", "AB_open"], "game.experiment = 2 AND first = second"),
        ([*FIRST, "--reason", "crash"], "reason = 'crash'"),
        (["--reason", "timeout"], "FALSE"),
        ([*FIRST, "--longer", "30"], f"game.experiment = 1 AND {MOVES} > 30"),
        ([*FIRST, "--longer", "24", "--shorter", "30"], f"game.experiment = 1 AND {MOVES} BETWEEN 25 AND 29"),
        ([*FIRST, "--shorter", "0"], "FALSE"),
    ],
)
def test_games_are_filtered(db: Path, here: Here, options: list[str], condition: str) -> None:
    listed = json.loads(here("games", "--db", db, "--json", *options))["games"]
    assert [game["id"] for game in listed] == ids(db, condition)
    assert bool(listed) == (condition != "FALSE")


def test_games_are_filtered_by_opening(db: Path, here: Here) -> None:
    [[fen]] = ask(db, "SELECT opening FROM pair WHERE experiment = 1 AND number = 7")
    listed = json.loads(here("games", "--db", db, *FIRST, "--opening", f"  {fen} - - 0 1", "--json"))["games"]
    assert [game["id"] for game in listed] == ids(db, f"opening = '{fen}'")
    assert len(listed) == 10
    assert here("games", "--db", db, "--opening", "7/7/7/7/7/7/7 w") == f"no game found in experiment 2 of {db}\n"


def test_a_list_may_be_cut(db: Path, here: Here) -> None:
    lines = here("games", "--db", db, "--experiment", "all", "--limit", 41).splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == ids(db, "TRUE", 41)
    assert lines[-1] == "41 of 52 games"
    assert here("games", "--db", db, *FIRST, "--reason", "crash").splitlines()[-1] == "1 game"


def test_a_game_in_one_row_of_json(db: Path, here: Here) -> None:
    [found] = json.loads(here("games", "--db", db, *FIRST, "--reason", "crash", "--json"))["games"]
    assert tuple(found) == FACTS
    [[moves, seconds, winner]] = ask(db, "SELECT moves, seconds, winner FROM game WHERE reason = 'crash'")
    assert (found["id"], found["line"], found["seconds"], found["winner"]) == (CRASHED, moves, seconds, winner)
    assert (found["moves"], found["message"]) == (len(moves.split()), "it fell")
    assert {found["won_by"], found["lost_by"]} == {found["first"], found["second"]}
    assert {found["candidate"], found["opponent"]} == {found["first"], found["second"]}


def test_one_game_is_shown_as_in_play(db: Path, tmp_path: Path) -> None:
    svg = tmp_path / "end.svg"
    done = run("games", "1/1/2", "--db", str(db), "--svg", str(svg), "--ascii")
    assert (done.returncode, done.stderr) == (0, "")
    with Ledger(db, create=False) as ledger:
        game = Results.read(ledger, 1).games[3]
    lines = done.stdout.splitlines()
    assert lines[0] == f"game 1/1/2, first: {game.players[0]}, second: {game.players[1]}"
    assert lines[1] == f"opening: {game.opening.fen()}"
    assert lines[2].split() == ["player", "move", "score", "depth", "nodes", "seconds"]
    label = game.opening.geometry.label
    for number, (line, square, data) in enumerate(zip(lines[3:], game.moves, game.data, strict=False), start=1):
        row = line.split()
        assert (row[0], row[2], row[4], row[5]) == (str(number), label(square), str(data.depth), f"{data.nodes:,}")
        assert data.score is not None
        assert float(row[3]) == pytest.approx(data.score, abs=0.005)
    drawn = kf.rules.draw_text(game.final, ascii=True, last_move=game.moves[-1])
    assert lines[3 + len(game.moves) : -2] == drawn.splitlines()
    assert game.outcome is not None
    assert game.outcome.winner is not None
    winner, loser = ("first", "second")[:: 1 if game.outcome.winner == 1 else -1]
    assert lines[-2:] == [f"{winner} wins after {len(game.moves)} moves: {loser} is stuck", f"picture written to {svg}"]
    assert done.stdout.isascii()
    assert svg.read_text() == game.final.svg(last_move=game.moves[-1])


def test_one_game_as_json_and_one_that_crashed(db: Path, here: Here) -> None:
    with Ledger(db, create=False) as ledger:
        games = Results.read(ledger, 1).games
    assert kf.Game.from_json(here("games", CRASHED, "--db", db, "--json")) == games[5]
    shown = here("games", CRASHED, "--db", db)
    assert re.search(
        r"^(first|second) wins after \d+ moves: crash of the (first|second) player\nit fell\n\Z", shown, re.M
    )
    # The random player has not thought about its moves.
    assert len(re.findall(r" - +- +- +-$", shown, re.M)) == len(games[5].moves) // 2


def test_games_are_exported(db: Path, here: Here, tmp_path: Path) -> None:
    with Ledger(db, create=False) as ledger:
        games = [game for game in Results.read(ledger, 1).games if "MM_Open" in game.players]
    wanted = ids(db, "game.experiment = 1 AND 'MM_Open' IN (first, second)")
    options = ("--db", db, *FIRST, "--player", "MM_Open", "--export")
    written = [tmp_path / f"games{suffix}" for suffix in (".txt", ".json", ".CSV", ".parquet")]
    for file in written[:3]:
        assert here("games", *options, file) == f"16 games written to {file}\n"
    records = re.split(r"\n\n(?=\[First)", written[0].read_text())
    assert [kf.Game.from_text(record) for record in records] == games
    assert json.loads(written[1].read_text()) == [to_object(game) for game in games]
    rows = list(csv.DictReader(written[2].read_text().splitlines()))
    assert tuple(rows[0]) == FACTS
    assert [row["id"] for row in rows] == wanted
    listed = json.loads(here("games", *options, written[2], "--json", "--limit", 3))["games"]
    assert [{name: str(value) for name, value in game.items()} for game in listed] == rows[:3]
    assert len(written[2].read_text().splitlines()) == 4
    parquet = pytest.importorskip("pyarrow.parquet")
    assert here("games", *options, written[3]) == f"16 games written to {written[3]}\n"
    told = parquet.read_table(written[3]).to_pylist()
    assert [row["id"] for row in told] == wanted
    for row, game in zip(told, games, strict=True):
        label = game.opening.geometry.label
        assert row["squares"] == [label(square) for square in game.moves] == row["line"].split()
        assert list(zip(row["nodes"], row["depths"], row["scores"], strict=True)) == [
            (data.nodes, data.depth, data.score) for data in game.data
        ]
    assert sorted(tmp_path.iterdir()) == sorted(written)


def test_one_game_is_exported_so_that_it_can_be_loaded(db: Path, here: Here, tmp_path: Path) -> None:
    for name in ("game.json", "game.txt"):
        file = tmp_path / name
        shown = here("games", "2/0/1", "--db", db, "--export", file)
        assert shown.endswith(f"1 game written to {file}\n")
        assert shown.splitlines()[-2] in here("play", "--load", file)


@pytest.mark.parametrize(
    ("name", "content"), [("n.txt", ""), ("n.json", "[]\n"), ("n.csv", f"{','.join(FACTS)}\n"), ("n.parquet", None)]
)
def test_no_game_is_exported_as_none(db: Path, here: Here, tmp_path: Path, name: str, content: str | None) -> None:
    file = tmp_path / name
    if content is None:
        pytest.importorskip("pyarrow")
    told = here("games", "--db", db, "--reason", "memory", "--export", file)
    assert told == f"no game found in experiment 2 of {db}\n0 games written to {file}\n"
    assert content is None or file.read_text() == content


def test_without_pyarrow_no_parquet_is_written(
    db: Path, here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # so that it cannot be imported
    file = tmp_path / "games.parquet"
    told = here("games", "--db", db, "--export", file, code=2)
    assert told == "knightfall: Parquet files need PyArrow: pip install pyarrow\n"
    assert not file.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["experiments"], "knightfall.db: there is no such ledger; --db names one elsewhere"),
        (["games", "--db", "no.db"], "no.db: there is no such ledger"),
        (["games", "3/17/1", "--db", "empty.db"], "empty.db: it is an empty file, not a ledger"),
        (["games", "3/17"], "'3/17' is no game: EXPERIMENT/PAIR/GAME is expected"),
        (["games", "--experiment", "last"], "--experiment: the number of an experiment, or all, is expected"),
        (["games", "--opening", "7/7 x"], "--opening: bad position: "),
        (["games", "--export", "games.xls"], "--export: games.xls: the name of the file must end in .txt, .json, .csv"),
    ],
)
def test_bad_input_is_refused_by_a_real_process(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "empty.db").touch()
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"knightfall: {message}")
    assert len(done.stderr.splitlines()) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["empty.db"]
    assert not (tmp_path / "empty.db").stat().st_size


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["experiments", "9"], ": there is no experiment 9; there is 1, 2"),
        (["experiments", "one"], "Invalid value for 'ID': a whole number is expected, not 'one'"),
        (["games", "9/0/1"], ": there is no experiment 9; there is 1, 2"),
        (["games", "1/20/1"], ": experiment 1 has the pairs 0 to 19, not 20"),
        (["games", "1/0/3"], "'1/0/3' is no game"),
        (["games", f"1/{'9' * 30}/1"], "is no game"),
        (["games", "--experiment", "3"], ": there is no experiment 3; there is 1, 2"),
        (["games", "--experiment", "-1"], "--experiment: the number of an experiment, or all, is expected, not '-1'"),
        (["games", *FIRST, "--player", "AB_improvd"], "--player: nobody is called 'AB_improvd' in experiment 1 of "),
        (["games", *FIRST, "--player", "AB_improvd"], "; did you mean AB_improved?"),
        (["games", *FIRST, "--against", "x"], "; there is AB_improved, AB_central_mobility, Random, MM_Open\n"),
        (["games", "--won-by", "MM_Open"], "--won-by: nobody is called 'MM_Open' in experiment 2 of "),
        (["games", "--won-by", "MM_Open"], "; it plays in experiment 1\n"),
        (["games", "--lost-by", "", "--experiment", "all"], "--lost-by: nobody is called '' in "),
        (["games", "--reason", "stuk"], "--reason: no game ends by 'stuk'; did you mean stuck?"),
        (["games", "--longer", "-1"], "Invalid value for '--longer'"),
        (["games", "--shorter", str(2**70)], "Invalid value for '--shorter'"),
        (["games", "--limit", "0"], "Invalid value for '--limit'"),
        (["games", "--svg", "x.svg"], "--svg goes with one game"),
        (["games", "1/0/1", "--won-by", "Random"], "--won-by is for lists: it goes without the game '1/0/1'"),
        (["games", "1/0/1", "--longer", "0"], "--longer is for lists"),
        (["games", "--export", "games"], "--export: games: the name of the file must end in"),
        (["games", "--export", "missing/games.csv"], "missing: No such file or directory"),
        (["games", "--export", "folder.csv"], "folder.csv: Is a directory"),
        (["games", "1/0/1", "--svg", "missing/x.svg"], "missing: No such file or directory"),
    ],
)
def test_bad_input_gets_one_line(
    db: Path, here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.csv").mkdir()
    told = here(*arguments, "--db", db, code=2)
    assert told.startswith("knightfall: ")
    assert len(told.splitlines()) == 1
    assert message in told
    assert [*tmp_path.iterdir()] == [tmp_path / "folder.csv"]


@pytest.mark.parametrize(("name", "message"), [("text", "not even an SQLite database"), (".", "it is a folder")])
def test_what_is_no_ledger_is_left_as_it_is(here: Here, tmp_path: Path, name: str, message: str) -> None:
    text = tmp_path / "text"
    text.write_text("no ledger " * 500)
    for command in ("experiments", "games"):
        assert message in here(command, "--db", tmp_path / name, code=2)
    assert [*tmp_path.iterdir()] == [text]
    assert text.read_text() == "no ledger " * 500


def test_a_ledger_without_experiments(here: Here, tmp_path: Path) -> None:
    file = tmp_path / "new.db"
    Ledger(file).close()
    assert here("experiments", "--db", file) == f"{file} holds no experiments\n"
    assert json.loads(here("experiments", "--db", file, "--json"))["experiments"] == []
    assert here("games", "--db", file, "--player", "Random") == f"no game found in {file}\n"
    assert json.loads(here("games", "--db", file, "--json"))["games"] == []


def test_a_game_that_makes_no_sense_is_named(db: Path, here: Here, tmp_path: Path) -> None:
    file = tmp_path / "bad.db"
    shutil.copy(db, file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE game SET moves = 'a1 a1' WHERE experiment = 2 AND pair = 1 AND game = 2")
        connection.commit()
    for arguments in (["2/1/2"], ["--export", str(tmp_path / "games.txt")]):
        assert here("games", *arguments, "--db", file, code=2).startswith("knightfall: game 2/1/2: ")
    assert not (tmp_path / "games.txt").exists()


def test_a_reader_that_has_gone_gets_no_traceback(db: Path) -> None:
    command = [*KNIGHTFALL, "games", "--db", str(db), "--experiment", "all"]
    # Unbuffered, it hears of it in the middle of the list.
    with started(command, {"PYTHONUNBUFFERED": "1"}) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=900) == 1


def test_help_imports_nothing_heavy() -> None:
    for command in ("experiments", "games"):
        done = subprocess.run(
            [KNIGHTFALL[0], "-X", "importtime", *KNIGHTFALL[1:], command, "--help"],
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert "--db FILE" in done.stdout
        imported = {line.rsplit("|", 1)[1].strip().split(".")[0] for line in done.stderr.splitlines() if "|" in line}
        assert not imported & {"numba", "numpy", "llvmlite", "rich", "sqlite3"}
