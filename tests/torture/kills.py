"""Tournaments are killed at random moments and resumed, many times."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

from commands import KNIGHTFALL, environment, run
from ledgers import ask, content, is_sound

TITLE = "kills and signals during tournaments"
PROMISE = "after resuming, every pair and every game is that of an undisturbed run; nothing is left running"
FULL = 100
REDUCED = 4

_ARGUMENTS = ["tournament", "improved", "central_mobility", "--panel", "AB_Open;MM_Open", "--pairs", "80"]
_ARGUMENTS += ["--nodes", "3000", "--seed", "5", "--workers", "2"]
_KILLS_OF_ONE = 5
_LONGEST = 2.5  # seconds from the start to the kill
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT, signal.SIGUSR1)
_PATIENCE = 300.0


def torture(tries: int, chance: random.Random, folder: Path) -> list[str]:
    """Kill tournaments ``tries`` times in all, several times each, and compare each with an undisturbed one."""
    undisturbed = folder / "undisturbed.db"
    done = run(*_ARGUMENTS, "--db", str(undisturbed))
    if done.returncode != 0:
        return [f"undisturbed: {done.stderr}"]
    expected = content(undisturbed)
    broken: list[str] = []
    for first in range(0, tries, _KILLS_OF_ONE):
        path = folder / f"{first}.db"
        for number in range(first, min(first + _KILLS_OF_ONE, tries)):
            broken += (f"kill {number}: {problem}" for problem in _kill(path, chance))
        broken += (f"ledger of kill {first}: {problem}" for problem in _finish(path, expected))
    return broken


def _kill(path: Path, chance: random.Random) -> list[str]:
    """Start or resume a tournament, and kill it at a random moment."""
    command = ["tournament", "--experiment", "1"] if _has_experiment(path) else _ARGUMENTS
    way = chance.choice(["all", "all", "all", "main", "worker", "signal"])
    with subprocess.Popen(
        [*KNIGHTFALL, *command, "--db", str(path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    ) as process:
        if chance.random() < 0.8:  # otherwise perhaps while the ledger is being created
            _wait(lambda: process.poll() is not None or _has_experiment(path))
        time.sleep(chance.uniform(0, _LONGEST))
        workers = _children(process.pid)
        with contextlib.suppress(ProcessLookupError):
            if way == "signal":
                process.send_signal(chance.choice(_SIGNALS))
                process.wait(_PATIENCE)
            elif way == "worker" and workers:
                os.kill(chance.choice(workers), signal.SIGKILL)
                time.sleep(chance.uniform(0, 1))
            elif way == "main":
                process.kill()
                process.wait(_PATIENCE)
                if not _wait(lambda: not any(map(_is_running, workers))):
                    os.killpg(process.pid, signal.SIGKILL)
                    return ["a worker outlives its parent"]
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        assert process.stderr is not None
        errors = process.stderr.read()
    return [f"traceback: {errors[-300:]}"] if "Traceback" in errors else []


def _finish(path: Path, expected: object) -> list[str]:
    """Resume a tournament until it is finished, and compare it."""
    command = ["tournament", "--experiment", "1"] if _has_experiment(path) else _ARGUMENTS
    done = run(*command, "--db", str(path))
    if done.returncode != 0:
        return [f"exit code {done.returncode}: {done.stderr}"]
    if not is_sound(path):
        return ["SQLite finds the file damaged"]
    checked = run("experiments", "verify", "--db", str(path))
    problems = [] if checked.returncode == 0 else [f"verify: {checked.stdout}{checked.stderr}"]
    return problems if content(path) == expected else [*problems, "it differs from an undisturbed run"]


def _has_experiment(path: Path) -> bool:
    try:
        return path.exists() and bool(ask(path, "SELECT id FROM experiment"))
    except sqlite3.OperationalError:
        return False


def _wait(is_so: object) -> bool:
    """Wait until a condition is true; return False if that takes too long."""
    assert callable(is_so)
    deadline = time.monotonic() + _PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _children(process: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
