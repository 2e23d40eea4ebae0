"""`agents`, `analyze` and `play` with agents, as a user meets them: real processes, real signals, real terminals."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from commands import KNIGHTFALL, environment, run, run_on_terminal, started
from terminals import CTRL_C, at_terminal

import knightfall as kf
from knightfall.agents.analysis import ANALYST
from knightfall.agents.make import AGENTS, OPTIONS
from knightfall.cli import analyze as analyze_command
from knightfall.cli.options import OPPONENT
from knightfall.cli.run import agents as agents_command
from knightfall.native.seeds import key_of

FEN = "7/7/3n3/7/7/2N4/7 w"
LARGE = "11/11/11/5n5/11/5N5/11/11/11 w"
LOST = "N2/3/2n w"  # for the first player, in six moves
RAISES = "def f(game, player):\n    return 1 / (len(game.get_legal_moves(player)) - 2)\n"
NOT_COMPILED = (
    "class E:\n    pass\n\ndef f(game, player):\n    E.x = len(game.get_legal_moves(player))\n    return E.x\n"
)


def converse(arguments: list[str], steps: list[tuple[str, str]]) -> tuple[int, str]:
    """Run a command on a terminal of its own; each time the first text of a step is shown, type the second."""
    process, ours = pty.fork()
    if process == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execvpe(KNIGHTFALL[0], [*KNIGHTFALL, *arguments], environment(TERM="xterm", NO_COLOR="1"))
    shown, answered = b"", 0
    while True:
        try:
            shown += os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if steps and steps[0][0].encode() in shown[answered:]:
            answered = len(shown)
            os.write(ours, steps.pop(0)[1].encode())
    os.close(ours)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown.decode()


def test_the_agents_are_listed() -> None:
    lines = run("agents").stdout.splitlines()
    for entry in AGENTS:
        assert any(line.startswith(f"{entry.text} ") and line.endswith(entry.meaning) for line in lines)
    listed = json.loads(run("agents", "--json").stdout)
    assert listed["agents"] == [{"text": entry.text, "meaning": entry.meaning} for entry in AGENTS]
    assert {kind: [*options] for kind, options in listed["options"].items()} == {
        kind: [*options] for kind, options in OPTIONS.items()
    }
    assert listed["options"]["alphabeta"]["tt"]["default"] == "auto"
    assert listed["options"]["minimax"]["depth"]["default"] == "3"


def test_every_option_is_explained() -> None:
    assert set(agents_command.MEANINGS) == {name for options in OPTIONS.values() for name in options}


def test_an_agent_in_full() -> None:
    done = run("agents", "alphabeta(central_mobility(peak=5), nodes=2000, tt=off, order=root+table)")
    assert done.returncode == 0
    assert done.stdout.startswith("alphabeta(central_mobility(peak=5")
    assert "  budget       2,000 nodes a move\n" in done.stdout
    assert re.search(r"^  heuristic    central_mobility\(peak=5.*\): Have many moves", done.stdout, re.M)
    assert re.search(r"^  tt +off +auto +table of positions", done.stdout, re.M)
    assert re.search(r"^  order +root\+table +root\+\S+ +moves tried first", done.stdout, re.M)
    assert re.search(r"^  repeatable   yes", done.stdout, re.M)
    timed = run("agents", "mcts(ms=20, playouts=1000)").stdout
    assert "  budget       20 ms or 1,000 playouts a move, whichever ends first\n" in timed
    assert "  repeatable   no" in timed
    assert "none is needed" in run("agents", "random").stdout


def test_an_agent_in_full_as_json() -> None:
    facts = json.loads(run("agents", "AB_Improved(nodes=700)", "--json").stdout)
    assert facts["text"] == "AB_Improved(nodes=700)"
    assert facts["settings"] == kf.agent("AB_Improved(nodes=700)").text
    assert (facts["kind"], facts["heuristic"], facts["repeatable"]) == ("alphabeta", "improved", True)
    assert facts["budget"] == {"depth": None, "nodes": 700, "ms": None, "playouts": None}
    assert [option["name"] for option in facts["options"]] == ["depth", "nodes", "ms", "ties"]
    assert {"name", "value", "default", "meaning"} == set(facts["options"][0])


@pytest.mark.parametrize("text", ["MM_Open", "AB5_Null", "ID_reach", "Custom", "Random", "human", "greedy", "minimax"])
def test_the_options_told_are_those_that_are_taken(text: str) -> None:
    told = agents_command.option_names(kf.agent(text))
    values = {"order": "plain", "window": "full", "horizon": "rules", "ties": "first"}
    values |= dict.fromkeys(("fold", "deepen", "partial", "reuse"), "on")
    for name in agents_command.MEANINGS:
        try:
            kf.agent(f"{text}({name}={values.get(name, '1')})")
        except kf.KnightfallError:
            assert name not in told
        else:
            assert name in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["agents", ""], "'': character 1: an agent is expected"),
        (["agents", "alphabeta(improved, nodes=x)"], "character 27: nodes is a whole number from 1 to 2^62, not 'x'"),
        (["agents", "alphabeta(improved"], "character 19: ) is expected"),
        (["agents", "alphabeta(improved, node=5)"], "character 21: alphabeta has no option 'node'"),
        (["agents", "alphabeta(improvd)"], "character 11: heuristic 'improvd' not found; did you mean improved?"),
        (["agents", "alphabeta(missing.py:f)"], "knightfall: missing.py: No such file or directory"),
        (["agents", "improved"], "character 1: improved is a heuristic; an agent is, say, alphabeta(improved"),
        (["agents", "random(1)"], "character 8: random takes no heuristic"),
        (["analyze", FEN, "--agent", "alphabet"], "--agent: 'alphabet': character 1: agent 'alphabet' not found"),
        (["analyze", FEN, "--agent", "random"], "random does not score moves"),
        (["analyze", FEN, "--agent", "human"], "human does not score moves"),
        (["analyze", "N1/1n w"], "there is nothing to analyze: the game is over, second has won"),
        (["analyze", "7/7/3x3 w"], "bad position: row 3, column 4 (character 6)"),
        (["analyze", FEN, "--fen", FEN], "the position is given twice"),
        (["analyze", FEN, "--board", "7x7"], "--fen and --board exclude each other"),
        (["analyze", "--board", "7"], "'7' is not of the form WxH"),
        (["analyze", FEN, "--lines", "0"], "Invalid value for '--lines'"),
        (["analyze", FEN, "--seed", str(2**64)], "the seed is a whole number from 0 to 2^64 - 1"),
        (["play", "--second", "alphabeta(improved,, ms=5)"], "--second: 'alphabeta(improved,, ms=5)': character 20"),
        (["play", "--first", ""], "--first: '': character 1: an agent is expected"),
        (["play", "--analyst", "mcts(x)"], "--analyst: 'mcts(x)': character 6: heuristic 'x' not found"),
        (["play", "--second", "random", "--save", "g.txt", "--first", "MM_x"], "--first: 'MM_x': character 4"),
        (["play", "--load", "ann.txt"], "ann.txt: 'Ann': character 1: agent 'Ann' not found"),
        (["play", "--load", "ann.txt", "--first", "human"], "ann.txt: 'Ben': character 1: agent 'Ben' not found"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(tmp_path: Path, arguments: list[str], message: str) -> None:
    ann = tmp_path / "ann.txt"
    ann.write_text(kf.Game(kf.Position.from_fen(FEN), players=("Ann", "Ben")).to_text())
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("knightfall: ")
    assert [*tmp_path.iterdir()] == [ann]


def test_an_analysis_is_read_from_top_to_bottom() -> None:
    text = "alphabeta(improved, depth=6)"
    done = run("analyze", FEN, "--agent", text, "--exact", "0")
    expected = kf.analyze(kf.Position.from_fen(FEN), text)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("  ┌───┬")
    assert "· │" in done.stdout
    table = lines.index(f"{text} for first")
    assert lines[table + 1].split() == ["move", "score", "depth", "nodes", "line"]
    label = expected.position.geometry.label
    for line, move in zip(lines[table + 2 : -1], expected.moves, strict=True):
        square, score, depth, nodes, *pv = line.split()
        assert (square, float(score), int(depth)) == (label(move.square), move.score, move.depth)
        assert int(nodes.replace(",", "")) == move.nodes
        assert pv == [label(at) for at in move.line]
    assert re.fullmatch(rf"6 moves, {expected.nodes:,} nodes, [\d.]+ s, [\d,]+ nodes/s", lines[-1])


def test_an_analysis_as_json() -> None:
    text = "alphabeta(contested_reach, nodes=3000)"
    expected = kf.analyze(kf.Position.from_fen(FEN), kf.agent(text, 5))
    options = ("--agent", text, "--seed", "5", "--exact", "0", "--json")
    found = json.loads(run("analyze", "--fen", FEN, *options).stdout)
    assert {*found} == {
        *("format", "version", "fen", "agent", "seed", "depth", "nodes", "seconds", "nodes_per_second", "moves"),
        *("winner", "distance", "source"),
    }
    assert (found["fen"], found["agent"], found["seed"]) == (FEN, text, 5)
    assert (found["depth"], found["nodes"]) == (expected.depth, expected.nodes)
    assert found["moves"] == [move.to_object(expected.position.geometry) for move in expected.moves]
    limited = json.loads(run("analyze", FEN, *options, "--lines", "2").stdout)
    assert limited["moves"] == found["moves"][:2]
    named = json.loads(run("analyze", FEN, "--agent", "Custom(depth=2)", "--json").stdout)
    assert named["agent"] == "Custom(depth=2)"


def test_the_best_lines_only() -> None:
    lines = run("analyze", FEN, "--agent", "MM_Improved", "--lines", "2", "--ascii").stdout.splitlines()
    assert lines[-4].split()[:2] == ["move", "score"]
    assert lines[-1].startswith("2 of 6 moves, ")
    assert all(line.isascii() for line in lines)


def test_proven_ends_are_told() -> None:
    lines = run("analyze", LOST, "--agent", "alphabeta(improved)").stdout.splitlines()
    assert all("loses in 6" in line for line in lines[-3:-1])
    found = json.loads(run("analyze", LOST, "--agent", "alphabeta(improved)", "--json").stdout)
    assert [(move["score"], move["ends_in"]) for move in found["moves"]] == [("-inf", 6)] * 2


def test_monte_carlo_tells_rates_and_visits() -> None:
    done = run("analyze", FEN, "--agent", "mcts(playouts=300)", "--exact", "0")
    assert re.search(r"^move +score +depth +visits  line$", done.stdout, re.M)
    assert len(re.findall(r"^[a-e]\d +\d+\.\d% +\d+ +\d+  [a-g]\d", done.stdout, re.M)) == 6
    proven = run("analyze", LOST, "--agent", "mcts(playouts=1000)", "--exact", "0").stdout
    assert len(re.findall(r" loses +\d", proven)) == 2


def test_who_analyses_where_no_one_is_named() -> None:
    assert analyze_command.ANALYST == ANALYST
    found = json.loads(run("analyze", FEN, "--json", "--lines", "1").stdout)
    assert found["agent"] == ANALYST
    assert found["depth"] >= 4


def test_an_analysis_on_a_large_board() -> None:
    text = "alphabeta(contested_reach, nodes=2000)"
    found = json.loads(run("analyze", LARGE, "--agent", text, "--json").stdout)
    assert found["moves"][0]["line"][0] in ("e6", "g6", "d5", "h5", "d3", "h3", "e2", "g2")
    empty = json.loads(run("analyze", "--board", "11x9", "--agent", "greedy(open)", "--json").stdout)
    assert (empty["fen"], len(empty["moves"])) == ("11/11/11/11/11/11/11/11/11 w", 99)
    # Before placement no square is marked.
    assert "·" not in run("analyze", "--board", "5x5", "--agent", "greedy(open)").stdout


@pytest.mark.long
def test_progress_is_shown_on_a_terminal_only() -> None:
    command = [*KNIGHTFALL, "analyze", FEN, "--agent", "alphabeta(improved, depth=9)", "--exact", "0"]
    code, shown = run_on_terminal(command, {"TERM": "xterm", "COLUMNS": "60"})
    assert code == 0
    assert re.search(r"\rdepth 9, best [a-g]\d [+-]\d+\.\d\d, [\d,]+ nodes, ", shown)
    assert "\x1b[" in shown
    table = shown.replace("\r\n", "\n").split("\r")[-1]
    assert table.startswith("alphabeta(improved, depth=9) for first\n")
    assert all(len(line) <= 60 for line in table.splitlines()[:-1])
    _, plain = run_on_terminal(command, {"TERM": "xterm", "NO_COLOR": "1"})
    assert "\rdepth 9" in plain
    assert "\x1b" not in plain
    _, dumb = run_on_terminal(command, {"TERM": "dumb"})
    assert "\rdepth" not in dumb
    piped = run("analyze", FEN, "--agent", "alphabeta(improved, depth=9)")
    assert (piped.stderr, "\r" in piped.stdout) == ("", False)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_ctrl_c_ends_an_analysis_with_what_was_found(options: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ("analyze", FEN, "--agent", "alphabeta(improved, depth=60, tt=off)", *options)
    done = at_terminal(*command, columns=120, out=out, keys=[("depth 7", CTRL_C)])
    assert done.code == 130
    if options:
        assert json.loads(done.text.splitlines()[-1])["kind"] == "interrupted"
        found = json.loads(done.out)
        assert len(found["moves"]) == 6
        assert found["depth"] >= 6
    else:
        assert done.text.split()[-1] == "interrupted"
        assert re.search(r"^6 moves, [\d,]+ nodes, ", done.out, re.M)


def test_a_heuristic_that_raises_ends_the_analysis_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "raises.py").write_text(RAISES)
    done = run("analyze", FEN, "--agent", "alphabeta(raises.py:f, depth=8)", cwd=tmp_path)
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1
    assert "knightfall: alphabeta(raises.py:f, depth=8): raises.py: f: ZeroDivisionError" in done.stderr
    assert re.search(r"^6 moves, \d+ nodes", done.stdout, re.M)  # what was found before
    assert [*tmp_path.iterdir()] == [tmp_path / "raises.py"]


def test_a_heuristic_that_is_not_compiled_gets_one_warning(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(NOT_COMPILED)
    options = ("--json", "--exact", "0")
    done = run("analyze", FEN, "--agent", "minimax(slow.py:f, depth=2)", *options, cwd=tmp_path)
    assert done.returncode == 0
    assert re.fullmatch(r"warning: slow.py: f: cannot be compiled \(.*\); it runs interpreted.*\n", done.stderr)
    assert (
        json.loads(done.stdout)["moves"]
        == json.loads(run("analyze", FEN, "--agent", "minimax(open, depth=2)", *options).stdout)["moves"]
    )


def test_two_agents_play_the_game_that_python_plays() -> None:
    first, second = "alphabeta(improved, nodes=300)", "MM_Open"
    arguments = ("play", "--first", first, "--second", second, "--seed", "7", "--board", "6x5")
    expected = kf.play(first, second, kf.Position.start(kf.Geometry(6, 5)), seed=7)
    game = kf.Game.from_json(run(*arguments, "--json").stdout)
    assert (game.moves, game.outcome, game.players, game.seed) == (
        expected.moves,
        expected.outcome,
        (first, second),
        7,
    )
    assert [(data.nodes, data.depth, data.score) for data in game.data] == [
        (data.nodes, data.depth, data.score) for data in expected.data
    ]
    lines = run(*arguments).stdout.splitlines()
    assert lines[0].split() == ["player", "move", "score", "depth", "nodes", "seconds"]
    label = expected.opening.geometry.label
    for number, move in enumerate(expected.moves):
        words = lines[number + 1].split()
        assert words[:3] == [str(number + 1), ("first", "second")[number % 2], label(move)]
        assert words[-2].replace(",", "") == str(expected.data[number].nodes)
    assert "wins in 1 " in lines[len(expected.moves)]
    assert lines[-1].endswith("is stuck")


def test_a_seed_is_drawn_and_kept_where_none_is_given() -> None:
    arguments = ("play", "--first", "random", "--second", "greedy(open)", "--board", "5x5", "--json")
    game = kf.Game.from_json(run(*arguments).stdout)
    assert game.seed is not None
    again = kf.Game.from_json(run(*arguments, "--seed", str(game.seed)).stdout)
    assert again.moves == game.moves


@pytest.mark.parametrize("board", ["7x7", "11x9"])
def test_a_human_plays_an_agent_to_the_end(tmp_path: Path, board: str) -> None:
    """The human always goes to the first legal square, and asks, takes back and saves on the way."""
    opponent, analyst, seed = "alphabeta(contested_reach, nodes=200)", "alphabeta(improved, depth=4)", 11
    agent = kf.agent(opponent, key_of("play", seed, 2))
    position = kf.Position.start(kf.Geometry.parse(board))
    label = position.geometry.label
    typed, moves = [], []
    while not position.is_over:
        square = position.legal_moves()[0]
        typed += ["hint", "score", "moves", label(square)]
        moves.append(square)
        position = position.play(square)
        if not position.is_over:
            moves.append(agent.choose(position).square)
            position = position.play(moves[-1])
    typed[8:8] = ["undo", "undo", typed[3], typed[3], typed[7]]  # the fourth is illegal: the knight is there
    file = tmp_path / "game.json"
    options = ("--second", opponent, "--analyst", analyst, "--seed", str(seed), "--board", board, "--save", str(file))
    done = run("play", *options, stdin="\n".join(typed) + "\n")
    assert done.returncode == 0
    assert done.stderr == ""
    game = kf.Game.from_json(file.read_text())
    assert game.moves == tuple(moves)
    assert game.outcome == kf.Outcome(position.winner, "stuck")
    assert game.players == ("human", opponent)
    rounds = sum(word == "hint" for word in typed)
    assert (
        len(re.findall(r"first to move> hint\n[a-k]\d: (\S+|\w+ in \d+), depth \d+, expecting ", done.stdout)) == rounds
    )
    ahead = r"(first|second|neither) is ahead: [+-]\S+ for first, [+-]\S+ for second"
    proven = r"(first|second) wins in \d+ moves?, (first|second) loses: that is proven"
    assert (
        len(
            re.findall(
                rf"> score\n({ahead}|{proven}) \(alphabeta\(improved, depth=4\), depth \d+\)$", done.stdout, re.M
            )
        )
        == rounds
    )
    told = re.findall(r"^second plays [a-k]\d: ([+-]\d+\.\d\d|\w+ in \d+), depth \d+, \d+\.\d{3} s$", done.stdout, re.M)
    assert len(told) == len(moves) // 2 + 2  # two moves were answered again
    assert re.search(
        rf"{('first', 'second')[position.to_move % 2]} wins after {len(moves)} moves: \w+ is stuck\n", done.stdout
    )


@pytest.mark.long
def test_a_saved_game_goes_on_with_the_same_moves(tmp_path: Path) -> None:
    opponent = "alphabeta(improved, nodes=100)"
    for name, player in (("game.txt", opponent), ("game.json", "mcts(nodes=500)"), ("random.txt", "random")):
        file = tmp_path / name
        arguments = ("play", "--second", player, "--seed", "3")
        whole = kf.Game.from_json(run(*arguments, "--json", stdin="d4\nf5\nundo\nf5\n").stdout)
        assert f"saved to {file}" in run(*arguments, stdin=f"d4\nsave {file}\nquit\n").stdout
        resumed = run("play", "--load", str(file), "--json", stdin="f5\n")
        assert resumed.returncode == 0
        game = kf.Game.from_json(resumed.stdout)
        assert (game.moves, game.players, game.seed) == (whole.moves, ("human", player), 3)
        assert len(game.moves) == 4
        left = run(*arguments, stdin="d4\n").stdout.splitlines()[-1]
        fen = re.search(r"--fen '(.*)' --seed 3$", left)
        assert left.startswith("resume with: knightfall play --first human --second ")
        assert fen is not None
        gone_on = run(*arguments, "--fen", fen[1], "--json", stdin="f5\n").stdout
        assert kf.Game.from_json(gone_on).moves == whole.moves[2:]


def test_the_players_of_a_saved_game_can_be_exchanged(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    run("play", "--second", "random", "--seed", "3", "--save", str(file), stdin="d4\n")
    done = run("play", "--load", str(file), "--first", "MM_Open", "--second", "AB_Improved(nodes=50)", "--json")
    game = kf.Game.from_json(done.stdout)
    assert game.players == ("MM_Open", "AB_Improved(nodes=50)")
    assert game.outcome is not None
    assert (game.data[1].nodes, game.data[2].nodes is not None) == (None, True)
    rows = [line.split() for line in done.stderr.splitlines()[1:4]]
    assert [row[1] for row in rows] == ["first", "second", "first"]
    assert rows[1][3:] == ["-", "-", "-", "-"]


def test_a_finished_game_is_shown_whoever_played_it(tmp_path: Path) -> None:
    game = kf.play("greedy(open)", "greedy(open)", kf.Position.start(kf.Geometry(4, 4)), seed=1)
    file = tmp_path / "game.txt"
    file.write_text(game.to_text().replace('"greedy(open)"', '"somebody"'))
    done = run("play", "--load", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split()[:2] == ["1", "first"]
    assert "is stuck" in done.stdout.splitlines()[-1]
    file.write_text(kf.Game(kf.Position.from_fen(FEN)).ended(None, "infrastructure").to_text())
    assert run("play", "--load", str(file)).stdout.endswith("nobody wins: infrastructure\n")


def test_the_usual_opponent_is_quick_and_repeatable() -> None:
    assert kf.agent(OPPONENT).budget.is_repeatable
    game = kf.Game.from_json(run("play", "--json", "--seed", "1", stdin="d4\nquit\n").stdout)
    assert game.players == ("human", OPPONENT)
    assert len(game.moves) == 2
    # Who names the first player only wants to be the second.
    done = run("play", "--first", "random", "--seed", "1", "--json", stdin="undo\nquit\n")
    game = kf.Game.from_json(done.stdout)
    assert game.players == ("random", "human")
    assert len(game.moves) == 1
    assert "there is no move of yours to take back" in done.stderr
    assert kf.Game.from_json(run("play", "--second", "human", "--json").stdout).seed is None


def test_an_agent_that_fails_keeps_the_game(tmp_path: Path) -> None:
    (tmp_path / "raises.py").write_text(RAISES)
    options = ("--second", "alphabeta(raises.py:f, nodes=500)", "--save", "game.txt", "--seed", "1")
    done = run("play", *options, stdin="d4\n", cwd=tmp_path)
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1
    assert "knightfall: second (alphabeta(raises.py:f, nodes=500)): raises.py: f: ZeroDivisionError" in done.stderr
    assert done.stdout.endswith("saved to game.txt\nresume with: knightfall play --load game.txt\n")
    game = kf.Game.from_text((tmp_path / "game.txt").read_text())
    assert (len(game.moves), game.outcome, game.players[0]) == (1, None, "human")


@pytest.mark.long
def test_an_analyst_that_fails_does_not_end_the_game(tmp_path: Path) -> None:
    (tmp_path / "raises.py").write_text(RAISES)
    analyst = "alphabeta(raises.py:f, depth=6)"
    script = "hint\nscore\nresign\n"
    done = run("play", "--fen", FEN, "--second", "random", "--analyst", analyst, stdin=script, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("raises.py: f: ZeroDivisionError") == 2
    refused = run("play", "--fen", FEN, "--second", "random", "--analyst", "random", stdin="hint\nhint now\nresign\n")
    assert "random does not score moves" in refused.stdout
    assert "'hint now' is not understood" in refused.stdout
    assert "second wins after 0 moves: resign of the first player" in refused.stdout


def test_hint_and_score_of_monte_carlo() -> None:
    analyst = ("--analyst", "mcts(playouts=500)", "--second", "human")
    done = run("play", "--fen", FEN, *analyst, stdin="hint\nscore\nquit\n").stdout
    assert re.search(r"^[a-e]\d: \d+\.\d%, depth \d+, expecting ", done.split("hint\n")[1], re.M)
    assert re.search(r"is ahead: \d+\.\d% for first, \d+\.\d% for second \(mcts", done)
    proven = run("play", "--fen", LOST, *analyst, stdin="score\nquit\n").stdout
    assert "second wins, first loses: that is proven (mcts(playouts=500), depth 6)" in proven


def test_ctrl_c_while_an_agent_thinks_saves_the_game(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    thinker = "alphabeta(improved, depth=60, tt=off)"
    options = ["--first", "random", "--second", thinker, "--fen", FEN, "--save", str(file), "--seed", "1"]
    with started([*KNIGHTFALL, "play", *options]) as process:
        assert process.stdout is not None
        assert process.stdout.readline().split()[0] == "player"
        assert process.stdout.readline().split()[:2] == ["1", "first"]
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=900)
    assert process.returncode == 130
    assert error.split() == ["interrupted"]
    assert f"resume with: knightfall play --load {file}" in out
    game = kf.Game.from_text(file.read_text())
    assert (len(game.moves), game.players, game.outcome) == (1, ("random", thinker), None)


def test_a_game_at_a_terminal() -> None:
    """Ctrl-C ends a hint that takes long, and then the game."""
    code, shown = converse(
        ["play", "--second", "alphabeta(improved, ms=20)", "--analyst", "alphabeta(improved, depth=60)", "--seed", "2"],
        [
            ("first to move> ", "d4\n"),
            ("first to move> ", "hint\n"),
            ("depth 9", "\x03"),
            ("first to move> ", "moves\n"),
            ("first to move> ", "\x03"),
        ],
    )
    assert code == 130
    assert "\rsecond is thinking" in shown
    assert re.search(r"[a-g]\d: [+-]\d+\.\d\d, depth \d+, expecting [a-g]\d ", shown)
    assert re.search(r"♘ first \(to move\) +♞ second", shown)
    assert shown.count("·") in (7, 8)  # the legal moves
    assert "resume with: knightfall play --first human --second 'alphabeta(improved, ms=20)' --fen " in shown
    assert shown.rstrip().endswith("interrupted")
    assert "\x1b" not in shown


def test_a_game_in_ascii_and_colours() -> None:
    done = run("play", "--seed", "1", "--ascii", "--analyst", "greedy(open)", stdin="d4\nhint\nscore\nresign\n")
    assert done.stdout.isascii()
    command = [*KNIGHTFALL, "play", "--first", "greedy(open)", "--second", "random", "--board", "4x4", "--seed", "1"]
    assert "\x1b[" in run_on_terminal(command, {"TERM": "xterm"})[1]
    assert "\x1b" not in run_on_terminal(command, {"TERM": "xterm", "NO_COLOR": "1"})[1]


def test_help_of_the_new_commands_imports_nothing_heavy() -> None:
    for command in ("agents", "analyze", "play"):
        done = subprocess.run(
            [KNIGHTFALL[0], "-X", "importtime", *KNIGHTFALL[1:], command, "--help"],
            capture_output=True,
            text=True,
            timeout=900,
        )
        imported = {line.rsplit("|", 1)[1].strip().split(".")[0] for line in done.stderr.splitlines() if "|" in line}
        assert not imported & {"numba", "numpy", "llvmlite", "rich"}
