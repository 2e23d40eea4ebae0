"""First contact with an empty cache: only what a command needs is compiled, and the wait is explained."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from commands import KNIGHTFALL, environment, run

import knightfall as kf
from knightfall.agents.budget import Budget
from knightfall.arena.executors import is_tiny, make_executor
from knightfall.arena.prepare import prepare
from knightfall.arena.request import Request
from knightfall.work.executor import InProcess
from knightfall.work.workers import Workers

STUDENT = Path(__file__).parent / "student"
SMALL = "alphabeta(open, depth=2, tt=off, order=plain, window=full)"


def compiled_functions(cache: Path) -> set[str]:
    return {file.name.partition("-")[0] for file in cache.glob("*/*.machine")}


def python(script: str, cache: Path) -> str:
    """What a script prints, run with a cache of its own; nothing may go to standard error."""
    env = environment(KNIGHTFALL_CACHE_DIR=str(cache))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, timeout=900)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_list_of_heuristics_compiles_nothing(tmp_path: Path) -> None:
    done = run("heuristics", env={"KNIGHTFALL_CACHE_DIR": str(tmp_path)})
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1 + len(kf.heuristics)
    rows = json.loads(run("heuristics", "--json", env={"KNIGHTFALL_CACHE_DIR": str(tmp_path)}).stdout)["heuristics"]
    assert [row["name"] for row in rows] == list(kf.heuristics)
    assert not any("ns" in row for row in rows)
    assert list(tmp_path.iterdir()) == []


def test_time_is_for_the_list_only() -> None:
    done = run("heuristics", "open", "--time")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--time is for the list; to measure one heuristic, use --check" in done.stderr


LOADS_NO_SCIPY = f"""
import sys, knightfall as kf
kf.agent({SMALL!r}).choose(kf.Position.from_fen("N4/5/1*3/4n/5 w"))
print(*sorted(name for name in ("scipy.linalg", "statsmodels", "numba.np.arraymath") if name in sys.modules))
"""


def test_an_agent_compiles_its_own_search_and_a_second_process_only_loads_it(tmp_path: Path) -> None:
    python(LOADS_NO_SCIPY, tmp_path)
    assert compiled_functions(tmp_path) == {"search_move", "alphabeta", "_kf_entry"}
    # Machine code is loaded without what is needed to compile it.
    assert python(LOADS_NO_SCIPY, tmp_path).split() == []


BOTH = """
from knightfall.agents.ready import Compilation, unit
work = Compilation([unit(name, 64) for name in ("heuristic:open", "heuristic:improved", "search:random")], 64, cores=2)
work.run()
print(len(work._helpers), *[item.name for item in work.units if item.is_cached()])
"""


def test_helpers_compile_into_the_cache_of_this_process(tmp_path: Path) -> None:
    helpers, *cached = python(BOTH, tmp_path).split()
    assert helpers == "1"
    assert cached == ["heuristic:open", "heuristic:improved", "search:random"]


def test_the_board_stands_there_before_anything_is_compiled(tmp_path: Path) -> None:
    """At a terminal: the board and the prompt first; after the move, a line about what is waited for."""
    env = {"KNIGHTFALL_CACHE_DIR": str(tmp_path)}
    command = [*KNIGHTFALL, "play", "--board", "5x5", "--second", SMALL, "--ascii"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**env))
    os.close(theirs)
    shown, at = "", 0
    for awaited, answer in (("first to move>", "c3\n"), ("second plays", ""), ("first to move>", "quit\n")):
        while awaited not in shown[at:]:
            shown += os.read(ours, 4096).decode(errors="replace")
        at = shown.index(awaited, at) + len(awaited)
        os.write(ours, answer.encode())
    assert process.wait(timeout=900) == 0
    os.close(ours)
    prompt, waiting, played = (shown.index(text) for text in ("first to move>", "compiling", "second plays"))
    assert prompt < waiting < played
    assert "compiling, only once, about" in shown
    assert "the search and the heuristic open" in " ".join(shown.split())
    assert "+---+" in shown[:prompt]


def test_leaving_while_it_compiles_is_in_order(tmp_path: Path) -> None:
    env = {"KNIGHTFALL_CACHE_DIR": str(tmp_path)}
    done = run("play", "--board", "5x5", "--second", SMALL, stdin="quit\n", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert "resume with: knightfall play" in done.stdout


PIECES = """
import numba, knightfall as kf
from knightfall.native.state import State, is_over, moves_from
position = kf.Position.from_fen("N4/5/1*3/4n/5 w")
state = State.of(position)
assert not is_over(state)  # compiles moves_from as a piece of itself

@numba.njit
def count(state):
    found = 0
    for square in moves_from(state):
        found += 1
    return found

print(count(state), len(position.legal_moves()))
"""


def test_other_compiled_code_may_call_what_was_compiled_as_a_piece(tmp_path: Path) -> None:
    counted, legal = python(PIECES, tmp_path).split()
    assert counted == legal


def request(*candidates: str, nodes: int = 100, pairs: int = 5) -> Request:
    return Request(list(candidates), ["Random"], pairs, budget=Budget(nodes=nodes), baseline=None)


def test_a_tiny_tournament_is_played_here() -> None:
    prepared = prepare(request("open"))
    assert is_tiny(prepared)
    with make_executor(prepared) as executor:
        assert isinstance(executor, InProcess)
    with make_executor(prepared, workers=1) as executor:
        assert isinstance(executor, Workers)


@pytest.mark.parametrize(
    "large",
    [
        request("open", nodes=100_000, pairs=50),
        request("perfect"),
        request(f"{STUDENT}/weight_table.py"),  # what a user wrote may crash: a worker is lost, not the tournament
    ],
)
def test_others_have_workers(large: Request) -> None:
    assert not is_tiny(prepare(large))


def test_results_do_not_depend_on_where_a_tiny_tournament_is_played() -> None:
    here = kf.tournament("open", ["Random"], pairs=3, nodes=50, baseline=None)
    workers = kf.tournament("open", ["Random"], pairs=3, nodes=50, baseline=None, workers=2)
    assert str(here) == str(workers)


REGION = """
from knightfall.catalogue.loader import load
from knightfall.rules import Position

made = load({path!r}, trial=False)
print(made.compiled, made.value(Position.from_fen("7/7/3n3/7/7/2N4/7 w"), 1))
"""


def test_machine_code_is_loaded_while_its_caller_is_compiled(tmp_path: Path) -> None:
    """`game.region` calls a function that the first process leaves in the cache and the second loads."""
    for factor in (1, 2):
        path = tmp_path / f"h{factor}.py"
        path.write_text(f"def custom_score(game, player):\n    return {factor} * len(game.region(player))\n")
        assert python(REGION.format(path=str(path)), tmp_path / "cache") == f"True {factor * 47.0}\n"
