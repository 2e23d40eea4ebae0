"""The command line as a user meets it: real processes, real signals, real terminals."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import KNIGHTFALL, run, run_on_terminal, started

import knightfall
from knightfall.cli import main

JOUST = "8/8/8/4n3/3N4/8/8/8 w"
PUBLISHED = [8, 62, 356, 1992, 8094, 31630, 126500, 485018]


def test_version_is_read_from_one_place() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"knightfall {knightfall.__version__}\n")


def test_help_lists_the_commands() -> None:
    done = run("--help")
    assert done.returncode == 0
    for command in ("play", "show", "analyze", "heuristics", "agents", "perft", "bench"):
        assert f"  {command} " in done.stdout
        assert run(command, "--help").returncode == 0
    assert run().stdout == done.stdout


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_nothing_heavy_is_imported_for_help(argument: str) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "knightfall", argument], capture_output=True, text=True, timeout=900
    )
    imported = {line.rsplit("|", 1)[1].strip().split(".")[0] for line in done.stderr.splitlines() if "|" in line}
    assert "typer" in imported
    assert not imported & {"numba", "numpy", "llvmlite", "scipy", "rich"}


def test_the_rules_need_nothing_but_python() -> None:
    source = Path(knightfall.__file__).parent.parent
    # -S leaves out site-packages, -I everything a user could have put in the way.
    code = f"import sys; sys.path.insert(0, {str(source)!r}); import knightfall.rules as r; print(r.Geometry(7, 7))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=900)
    assert (done.stdout, done.stderr) == ("7x7\n", "")


def test_perft_prints_the_published_counts() -> None:
    done = run("perft", "8", "--fen", JOUST)
    assert done.returncode == 0
    assert [int(line.split()[1]) for line in done.stdout.splitlines()[2:]] == PUBLISHED


def test_perft_as_json() -> None:
    result = json.loads(run("perft", "8", "--fen", JOUST, "--json").stdout)
    assert result["leaves"] == 485018
    assert [row["leaves"] for row in result["by_depth"]] == PUBLISHED
    assert json.loads(run("perft", "2", "--json").stdout)["leaves"] == 2352
    assert json.loads(run("perft", "1", "--json", "--board", "11x9").stdout)["leaves"] == 99
    assert json.loads(run("perft", "0", "--json").stdout)["leaves"] == 1


def test_perft_divided_by_move() -> None:
    done = run("perft", "3", "--fen", JOUST, "--divide")
    assert done.stdout.splitlines()[-1] == "8 moves, 356 leaves"
    result = json.loads(run("perft", "3", "--fen", JOUST, "--divide", "--json").stdout)
    assert sum(result["divide"].values()) == result["leaves"] == 356


def test_show_draws(tmp_path: Path) -> None:
    done = run("show", "N2/3/2n w", "--moves", "--svg", str(tmp_path / "board.svg"))
    assert done.returncode == 0
    assert "♘ first (to move)   ♞ second" in done.stdout
    assert done.stdout.count("·") == 2
    assert (tmp_path / "board.svg").read_text().startswith("<svg")
    assert [file.name for file in tmp_path.iterdir()] == ["board.svg"]


def test_ascii_where_it_is_asked_for_or_needed() -> None:
    asked = run("show", "N2/3/2n w", "--moves", "--ascii")
    needed = run("show", "N2/3/2n w", "--moves", env={"PYTHONIOENCODING": "ascii"})
    assert asked.stdout.isascii()
    assert asked.stdout == needed.stdout
    assert asked.stdout.count(" . ") == 2


def test_show_as_json() -> None:
    assert json.loads(run("show", "N2/3/2n w", "--json").stdout) == {
        "format": "knightfall.position",
        "version": 1,
        "fen": "N2/3/2n w",
        "board": "3x3",
        "first": "a3",
        "second": "c1",
        "to_move": 1,
        "ply": 2,
        "legal_moves": ["c2", "b1"],
        "attacker": 1,
        "winner": None,
    }


def test_colours_on_a_terminal_unless_refused() -> None:
    command = [*KNIGHTFALL, "show", "N2/3/2n w"]
    assert "\x1b[" in run_on_terminal(command, {"TERM": "xterm"})[1]
    assert "\x1b[" not in run_on_terminal(command, {"TERM": "xterm", "NO_COLOR": "1"})[1]
    assert "\x1b[" not in run("show", "N2/3/2n w").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["perft"], "Missing argument 'DEPTH'"),
        (["perft", "x"], "Invalid value for 'DEPTH'"),
        (["perft", "--", "-1"], "Invalid value for 'DEPTH'"),
        (["perft", "3", "--board", "7"], "'7' is not of the form WxH"),
        (["perft", "3", "--board", "0x7"], "width must be at least 1, not 0"),
        (["perft", "3", "--board", "12x12"], "144 squares, more than 128"),
        (["perft", "3", "--board", "7x7", "--fen", JOUST], "--fen and --board exclude each other"),
        (["perft", "3", "--fen", "7/7/3x3 w"], "row 3, column 4"),
        (["perft", "0", "--divide"], "the depth must be at least 1, not 0"),
        (["show", ""], "the text is empty"),
        (["show", "7/7 w\n7/7 w"], "unexpected text"),
        (["show", "N2/3/2n w", "--svg", "/no/such/folder/b.svg"], "/no/such/folder: No such file"),
        (["show", "N2/3/2n w", "--svg", "b.svg", "--theme", "blue"], "unknown theme 'blue'"),
        (["dance"], "No such command 'dance'"),
        (["show", "--dance"], "No such option: --dance"),
        (["play", "--first", "robot"], "--first: 'robot': character 1: agent 'robot' not found"),
        (["play", "--load", "missing.txt"], "missing.txt: No such file"),
        (["play", "--load", "garbage.txt"], "garbage.txt: byte 1 is not UTF-8 text"),
        (["play", "--load", "empty.txt"], "empty.txt: bad game text: line 1, column 1"),
        (["play", "--load", "empty.txt", "--board", "5x5"], "--load goes without"),
        (["play", "--load", "."], "Is a directory"),
        (["play", "--seed", "-1"], "Invalid value for '--seed'"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "garbage.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "empty.txt").write_text("")
    before = sorted(tmp_path.iterdir())
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("knightfall: ")
    assert done.stdout == ""
    assert sorted(tmp_path.iterdir()) == before


def test_ctrl_c_ends_a_long_native_call() -> None:
    with started([*KNIGHTFALL, "perft", "40"]) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.split()[0] == "8":
                break
        time.sleep(1)  # by now it is deep in one native call
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=900)
    assert process.returncode == 130
    assert error.split() == ["interrupted"]


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = " ".join(KNIGHTFALL) + " perft 5 --board 5x5 | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=900)
    assert done.stderr == ""
    assert done.stdout.startswith("perft of")


def test_two_random_players_repeat_themselves_with_a_seed(tmp_path: Path) -> None:
    arguments = ("play", "--first", "random", "--second", "random", "--seed", "7")
    first, second = run(*arguments), run(*arguments)
    assert first.stdout == second.stdout
    assert re.search(r"^(first|second) wins after \d+ moves: (first|second) is stuck$", first.stdout, re.M)
    assert run(*arguments[:-1], "8").stdout != first.stdout
    game = knightfall.Game.from_json(run(*arguments, "--json").stdout)
    assert game.outcome is not None
    assert game.outcome.reason == "stuck"
    assert game.seed == 7


def test_a_human_plays_undoes_and_resigns(tmp_path: Path) -> None:
    script = "help\nd4\nmoves\nz9\na1\nundo\nundo\nd4\n\nfoo bar\nresign\n"
    file = tmp_path / "game.txt"
    done = run("play", "--seed", "1", "--save", str(file), stdin=script)
    assert done.returncode == 0
    assert "no square 'z9' on a 7x7 board; squares are a1 to g7" in done.stdout
    assert "illegal move a1: not a knight's jump from d4" in done.stdout
    assert "there is no move of yours to take back" in done.stdout
    assert "'foo bar' is not understood" in done.stdout
    assert "second wins after 2 moves: resign of the first player" in done.stdout
    game = knightfall.Game.from_text(file.read_text())
    assert game.players == ("human", "alphabeta(knightfall, nodes=500)")
    assert game.outcome == knightfall.Outcome(2, "resign")
    assert len(game.moves) == 2
    assert game.data[0].seconds is not None


def test_a_saved_game_goes_on_where_it_stopped(tmp_path: Path) -> None:
    for name in ("game.txt", "game.json"):
        file = tmp_path / name
        arguments = ("play", "--first", "human", "--second", "random", "--seed", "3", "--board", "5x5")
        whole = run(*arguments, "--json", stdin="c3\nd5\n")
        stopped = run(*arguments, stdin=f"c3\nsave {file}\nquit\n")
        assert f"saved to {file}" in stopped.stdout
        resumed = run("play", "--load", str(file), "--json", stdin="d5\n")
        assert resumed.returncode == 0
        expected, found = (knightfall.Game.from_json(done.stdout) for done in (whole, resumed))
        assert found.moves == expected.moves
        assert len(found.moves) == 4


def test_two_humans_undo_one_move_at_a_time() -> None:
    done = run("play", "--second", "human", "--board", "3x3", "--json", stdin="a1\nb2\nundo\nundo\nundo\nc3\nquit\n")
    game = knightfall.Game.from_json(done.stdout)
    assert game.moves == (2,)
    assert "no move of yours" in done.stderr


def test_leaving_says_how_to_go_on(tmp_path: Path) -> None:
    left = run("play", "--second", "human", "--board", "3x3", stdin="a1\n")
    assert left.returncode == 0
    assert left.stdout.endswith("resume with: knightfall play --first human --second human --fen '3/3/N2 b'\n")
    file = tmp_path / "my game.txt"
    left = run("play", "--second", "human", "--board", "3x3", "--save", str(file), stdin="a1\n")
    assert left.stdout.endswith(f"resume with: knightfall play --load '{file}'\n")
    assert knightfall.Game.from_text(file.read_text()).moves == (6,)


def test_ctrl_c_in_a_game_saves_it(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    with started([*KNIGHTFALL, "play", "--second", "human", "--board", "3x3", "--save", str(file)]) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("a1\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("♘ first   ♞ second (to move)"):
                break
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=900)
    assert process.returncode == 130
    assert "resume with: knightfall play --load" in out
    assert error.split() == ["interrupted"]
    assert knightfall.Game.from_text(file.read_text()).moves == (6,)


def test_a_finished_game_can_be_looked_at_again(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    run("play", "--first", "random", "--second", "random", "--save", str(file))
    done = run("play", "--load", str(file))
    assert done.returncode == 0
    assert "is stuck" in done.stdout


STUDENT = Path(__file__).parent / "student"


def test_heuristics_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heuristics", "--time", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["heuristics"]
    assert len(rows) == 39
    assert {"name", "report", "idea", "ns"} == set(rows[0])
    assert all(row["ns"] > 0 and row["idea"] for row in rows)
    assert main(["heuristics"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 40
    assert lines[0].split() == ["name", "report", "idea"]
    assert main(["heuristics", "--time"]) == 0
    timed = capsys.readouterr().out.splitlines()
    assert timed[0].split() == ["name", "report", "ns/call", "idea"]
    assert [line.split()[0] for line in timed] == [line.split()[0] for line in lines]


@pytest.mark.parametrize("interpreted", [False, True])
def test_one_heuristic_in_full(interpreted: bool) -> None:
    fen = "7/7/3n3/7/7/2N4/7 w"
    options = ["--interpreted"] if interpreted else []
    done = run("heuristics", "weighted_mobility(mix=0.5)", "--fen", fen, *options)
    assert "parameter    mix = 0.5 (0.0 to 1.0)" in done.stdout
    assert "-1.0 for the first player" in done.stdout
    assert "def weighted_mobility(game, player, mix=0.7):" in done.stdout
    facts = json.loads(run("heuristics", "weighted_mobility(mix=0.5)", "--fen", fen, "--json", *options).stdout)
    assert facts["values"] == [-1.0, 1.0]
    assert facts["parameters"]["mix"] == {"value": 0.5, "default": 0.7, "range": [0.0, 1.0], "choices": None}
    over = json.loads(run("heuristics", "improved", "--fen", "N1/1n w", "--json", *options).stdout)
    assert over["values"] == ["-inf", "inf"]


def test_a_users_heuristic_is_checked() -> None:
    facts = json.loads(run("heuristics", f"{STUDENT}/weight_table.py", "--check", "--json").stdout)
    assert facts["compiled"]
    assert facts["difference"] is None
    assert facts["ratio"] > 1
    done = run("heuristics", f"{STUDENT}/uncompilable/uses_class.py", "--check")
    assert done.returncode == 0
    assert "compiles     no: line 21: 'Evaluator' is not supported in compiled code" in done.stdout
    warned = run("heuristics", f"{STUDENT}/uncompilable/uses_class.py", "--fen", "N2/3/2n w")
    assert re.fullmatch(
        r"warning: .*uses_class.py: custom_score: cannot be compiled \(.*\); it runs .*\n", warned.stderr
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["improvd"], "heuristic 'improvd' not found; did you mean improved?"),
        (["improved(x=1)"], "improved has no parameter 'x'"),
        (["reach(k=2"], "character 10: ) is expected"),
        (["missing.py:f"], "missing.py: No such file or directory"),
        (["broken.py:f"], "broken.py, line 1: does not parse"),
        (["--check"], "go with the NAME of a heuristic"),
        (["zero.py"], "zero.py: f: ZeroDivisionError: division by zero (line 2); player 1 in "),
    ],
)
def test_bad_heuristics_get_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "broken.py").write_text("def f(game, player:\n")
    (tmp_path / "zero.py").write_text("def f(game, player):\n    return 1 / (game.width - game.width)\n")
    done = run("heuristics", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
