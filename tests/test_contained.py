"""Functions from users' files crash, hang, print and start processes in processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from commands import environment, run

from knightfall.catalogue.check import MOST_DEATHS, check
from knightfall.catalogue.loader import load
from knightfall.compiler.errors import HeuristicError
from knightfall.rules import Position

FEN = "7/7/3n3/7/7/2N4/7 w"
WIDE = "11/11/3n7/11/11/2N8/11/11/11 w"
MOVES = "    return float(len(game.get_legal_moves(player)))\n"
HEAD = "import os, subprocess, sys, threading, time\n\n\ndef f(game, player):\n"
ON_WIDE = f"{HEAD}    if game.width == 11 and game.move_count == 17:\n        {{}}\n{MOVES}"
"""Says nothing in the trial, which is on 7x7, but in a few positions of the check."""

LEAVES_PROCESSES = f"""
import os, subprocess, time
from pathlib import Path

def f(game, player):
    own = subprocess.Popen(["sleep", "10000"]).pid
    far = subprocess.Popen(["sleep", "10000"], start_new_session=True).pid
    Path("begun").write_text(f"{{os.getpid()}} {{os.getppid()}} {{own}} {{far}}\\n")
    time.sleep(10_000)
{MOVES}"""


def write(folder: Path, text: str) -> str:
    (folder / "bad.py").write_text(text)
    return str(folder / "bad.py")


def wait_until(is_so: Callable[[], bool], seconds: float = 300) -> bool:
    """Whether that came true in time."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def is_running(process: int) -> bool:
    """Whether there is such a process, and it has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """A check whose trial hangs, and the processes that this has started."""
    write(tmp_path, LEAVES_PROCESSES)
    (tmp_path / "random.py").write_text("open('executed', 'w').write('x')\n")
    command = [sys.executable, "-P", "-m", "knightfall", "heuristics", "bad.py", "--check"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(_KNIGHTFALL_PATIENCE="300"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            begun = tmp_path / "begun"
            assert wait_until(lambda: begun.exists() and begun.read_text().endswith("\n"))
            yield process, [int(number) for number in begun.read_text().split()]
        finally:
            process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at in /proc")
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_nothing_of_a_trial_survives_its_command(
    sign: signal.Signals, trial: tuple[subprocess.Popen[bytes], list[int]], tmp_path: Path
) -> None:
    process, started = trial
    assert all(map(is_running, started))
    process.send_signal(sign)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == (-9 if sign == signal.SIGKILL else 130)
    assert b"Traceback" not in out
    assert wait_until(lambda: not any(map(is_running, started)))
    assert not (tmp_path / "executed").exists(), "random.py of the current folder was executed"


REFUSED = {
    "exits": ("os._exit(0)", "in its trial it ended the process with exit code 0; player "),
    "uses memory": ("x = bytearray(2 ** 30)", "MemoryError: it needs more than 0.5 GiB of memory (line 5); player "),
    "starts processes": ("subprocess.Popen(['sleep', '10000'])", "in its trial it starts too many processes; player "),
    "closes files": ("os.closerange(0, 200)", "in its trial it closed files that are not its own"),
    "does not return": ("time.sleep(10_000)", "in its trial it did not return within 1 seconds; player "),
    "kills its guard": ("os.kill(os.getppid(), 9)", "in its trial it ended the process that supervises it"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_contained_in_a_trial_is_refused_by_name(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement, message = REFUSED[case]
    monkeypatch.setenv("_KNIGHTFALL_MEMORY", "0.5" if case == "uses memory" else "4")
    if case == "does not return":
        monkeypatch.setenv("_KNIGHTFALL_PATIENCE", "1")
    file = write(tmp_path, f"{HEAD}    {statement}\n{MOVES}")
    with pytest.raises(HeuristicError) as caught:
        load(file)
    [line] = str(caught.value).splitlines()
    assert message in line


def test_a_check_goes_on_after_a_crash(tmp_path: Path) -> None:
    text = ON_WIDE.format("if not Path('crashed').exists(): Path('crashed').touch(); os._exit(0)")
    made = load(write(tmp_path, "from pathlib import Path\n" + text.replace("'crashed'", repr(str(tmp_path / "x")))))
    found = check(made)
    assert (found.positions, found.deaths, found.is_complete, found.raising) == (1_000, 1, True, 1)
    assert found.timing is not None
    assert not found.is_passed
    [failure] = found.failures
    assert failure.error == "ended the process with exit code 0"
    assert (failure.position.geometry.width, failure.position.ply) == (11, 17)


@pytest.mark.long
def test_a_check_gives_up_after_a_few_crashes(tmp_path: Path) -> None:
    write(tmp_path, ON_WIDE.format("os._exit(0)"))
    done = run("heuristics", "bad.py", "--check", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == ""
    assert f"ended the process with exit code 0: {MOST_DEATHS} positions" in done.stdout
    assert f"of 1,000 positions: it crashed or did not return {MOST_DEATHS} times" in " ".join(done.stdout.split())


@pytest.mark.long
def test_a_check_says_where_a_function_does_not_return(tmp_path: Path) -> None:
    """Compiled: no clock and no count of ticks is asked in a `for`."""
    write(tmp_path, ON_WIDE.format("for i in range(10 ** 17): x = (i * 7 + game.move_count) % 1_000_003"))
    done = run("heuristics", "bad.py", "--check", "--json", cwd=tmp_path, env={"_KNIGHTFALL_PATIENCE": "1"})
    assert done.returncode == 1, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["deaths"], facts["complete"]) == (MOST_DEATHS, False)
    [error] = facts["raises"]["errors"]
    assert error["error"] == "did not return within 1 seconds"
    assert Position.from_fen(error["fen"]).ply == 17


@pytest.mark.long
def test_one_bad_heuristic_does_not_stop_the_grading_of_others(tmp_path: Path) -> None:
    """It crashes in few positions, and in none of the trial."""
    (tmp_path / "good.py").write_text(f"def good(game, player):\n{MOVES}")
    write(tmp_path, f"{HEAD}    if game.move_count == 31: os._exit(0)\n{MOVES}")
    text = (tmp_path / "bad.py").read_text()
    (tmp_path / "bad.py").write_text(text.replace("31", "31 and game.get_player_location(1) == (0, 3)"))
    done = run("accuracy", "bad.py", "missing.py", "good.py", "--depths", "0", "--json", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    found = json.loads(done.stdout)
    assert [entry["heuristic"] for entry in found["heuristics"]] == ["good.py:good"]
    assert [entry["heuristic"] for entry in found["failed"]] == ["missing.py", "bad.py:f"]
    assert "Traceback" not in done.stderr
    [missing, bad] = [line for line in done.stderr.splitlines() if line.startswith("knightfall: ")]
    assert missing == "knightfall: missing.py: No such file or directory"
    assert "bad.py: f: it ended the process with exit code 0; " in bad


def test_other_commands_tell_how_a_function_ended_their_process(tmp_path: Path) -> None:
    write(tmp_path, f"{HEAD}    if game.width == 11: os._exit(0)\n{MOVES}")
    for command in (
        ["heuristics", "bad.py:f", "--fen", WIDE],
        ["analyze", WIDE, "--agent", "alphabeta(bad.py:f, depth=2)", "--json"],
    ):
        done = run(*command, cwd=tmp_path)
        assert done.returncode in (2, 3), done.stderr
        assert "ended the process with exit code 0" in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr


LOUD = f"""{HEAD}    print("heard")
    sys.stderr.write("heard")
    sys.__stdout__.write("heard")
    os.write(1, b"heard")
    os.write(2, b"heard")
    if game.move_count == 17:
        os.system("echo heard; echo heard >&2")
    thread = threading.Thread(target=print, args=("heard",))
    thread.start()
    thread.join()
{MOVES}"""


@pytest.mark.long
def test_what_a_function_writes_by_whatever_means_is_not_seen(tmp_path: Path) -> None:
    write(tmp_path, LOUD)
    for command in (
        ["heuristics", "bad.py:f", "--check", "--json"],
        ["heuristics", "bad.py:f", "--fen", FEN, "--json"],
        ["analyze", FEN, "--agent", "alphabeta(bad.py:f, depth=2)", "--json"],
    ):
        done = run(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        facts = json.loads(done.stdout)
        facts.pop("source", None)  # the function's own text
        assert "heard" not in json.dumps(facts) + done.stderr.replace(LOUD, "")


def test_ctrl_c_works_while_python_does_not_listen(tmp_path: Path) -> None:
    """A call that holds the interpreter's lock: no handler of Python's runs."""
    write(
        tmp_path,
        f"{HEAD}    if game.width == 11:\n        open('begun', 'w').close()\n        str(10 ** 10 ** 9)\n{MOVES}",
    )
    command = [sys.executable, "-m", "knightfall", "heuristics", "bad.py:f", "--fen", WIDE, "--interpreted"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(_KNIGHTFALL_PATIENCE="300"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            assert wait_until(lambda: (tmp_path / "begun").exists())
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=300)
        finally:
            process.kill()
    assert process.returncode == 130
    assert errors.decode().split() == ["interrupted"]


def test_a_function_that_is_too_long_to_be_compiled_runs_interpreted(tmp_path: Path) -> None:
    lines = "".join(f"    x += {number} * game.move_count\n" for number in range(4_000))
    made = load(write(tmp_path, f"def f(game, player):\n    x = 0.0\n{lines}    return x\n"))
    with pytest.warns(
        Warning, match=r"cannot be compiled \(it is so long that compiling it would take minutes\); it runs"
    ):
        assert made.value(Position.from_fen(FEN), 1) == sum(range(4_000)) * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not made.compiled


def test_a_function_is_called_in_no_other_process(tmp_path: Path) -> None:
    """Also where its two forms are compared for another size of boards, and where a warning tells what it costs."""
    log = tmp_path / "log"
    made = load(write(tmp_path, f"{HEAD}    open({str(log)!r}, 'a').write(f'{{os.getpid()}} ')\n{MOVES}"))
    assert made.code.dispatcher(64) is None
    with pytest.warns(Warning, match="it runs interpreted, "):
        made.code.warn_if_interpreted()
    assert str(os.getpid()) not in log.read_text().split()
    compiled = load(write(tmp_path, f"def g(game, player):\n{MOVES}"))
    assert compiled.code.judge is not None
    assert compiled.code.dispatcher(128) is not None
    assert set(compiled.code.verdicts) == {128}
