"""Processes of a Dask cluster are killed or stopped at a random moment of a tournament."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from clusters import DaskCluster, dask_cluster
from commands import KNIGHTFALL, environment
from ledgers import ask, content, is_sound
from test_tournament_crash import wait_for_pairs

TITLE = "processes of a Dask cluster killed or stopped while a tournament plays"
PROMISE = "ends or stops in one line; after resuming, the rows of an undisturbed run"
FULL = 14
REDUCED = 2

_MINE = "def mine(game, player):\n    return 1.5 * len(game.get_legal_moves(player))\n"
_PLAY = ["tournament", "mine.py:mine", "--panel", "AB_Open;MM_Open", "--pairs", "150", "--nodes", "2000"]
_SECONDS = 900


def torture(tries: int, chance: random.Random, folder: Path) -> list[str]:
    """Play on a cluster, provoke a fault, resume on this machine if necessary, and compare."""
    (folder / "mine.py").write_text(_MINE)
    expected = folder / "undisturbed.db"
    code, errors = _run([*_PLAY, "--workers", "2", "--db", str(expected)], folder)
    broken = [] if code == 0 else [f"undisturbed: exit code {code}: {errors[-300:]!r}"]
    kinds = list(_FAULTS)
    chance.shuffle(kinds)
    for number in range(tries):
        kind = kinds[number % len(kinds)]
        place = folder / str(number)
        place.mkdir()
        line = _one(kind, folder, place, expected, chance)
        broken += [f"try {number}, {kind}: {line}"] if line else []
    return broken


def _one(kind: str, folder: Path, place: Path, expected: Path, chance: random.Random) -> str:
    """Make one try, and return the problem, or an empty string."""
    path = place / "ledger.db"
    with dask_cluster(place) as cluster:
        command = [*KNIGHTFALL, *_PLAY, "--cluster", cluster.address, "--db", str(path)]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment(), cwd=folder
        ) as process:
            try:
                wait_for_pairs(path, chance.randrange(1, 100))
                with contextlib.suppress(ProcessLookupError):
                    _FAULTS[kind](cluster, chance)
                _, errors = process.communicate(timeout=_SECONDS)
            except subprocess.TimeoutExpired:
                return f"it did not end within {_SECONDS} s"
            finally:
                process.kill()
    if "Traceback" in errors or process.returncode not in (0, 2):
        return f"exit code {process.returncode}: {errors[-300:]!r}"
    if process.returncode == 2:
        found = re.search(r"resume with: knightfall (.*)", errors)
        if found is None:
            return f"it does not say how to resume: {errors[-300:]!r}"
        code, errors = _run([*shlex.split(found[1]), "--workers", "2"], folder)
        if code != 0:
            return f"it cannot be resumed: {errors[-300:]!r}"
    if not is_sound(path):
        return "the ledger is damaged"
    if ask(path, "SELECT count(*) FROM pair WHERE state = 'left out'") != [(0,)]:
        return "pairs were left out"
    return "" if content(path) == content(expected) else "the rows are not those of an undisturbed run"


def _run(arguments: list[str], folder: Path) -> tuple[int, str]:
    command = [*KNIGHTFALL, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), cwd=folder, timeout=_SECONDS)
    return done.returncode, done.stderr


def _signal_one(number: signal.Signals) -> Callable[[DaskCluster, random.Random], None]:
    def fault(cluster: DaskCluster, chance: random.Random) -> None:
        cluster.signal_worker(chance.randrange(2), number)

    return fault


def _signal_all(cluster: DaskCluster, chance: random.Random) -> None:
    for index in range(2):
        cluster.kill_worker(index)
        time.sleep(chance.uniform(0, 1))


def _stop_for_a_while(cluster: DaskCluster, chance: random.Random) -> None:
    worker = cluster.workers[chance.randrange(2)]
    worker.send_signal(signal.SIGSTOP)
    timer = threading.Timer(chance.uniform(1, 10), worker.send_signal, [signal.SIGCONT])
    timer.daemon = True
    timer.start()


def _kill_scheduler(cluster: DaskCluster, chance: random.Random) -> None:
    cluster.scheduler.kill()


def _kill_what_plays(cluster: DaskCluster, chance: random.Random) -> None:
    for _ in range(3):
        for index in range(2):
            with contextlib.suppress(OSError):
                for child in cluster.playing(index):
                    os.kill(child, signal.SIGKILL)
        time.sleep(chance.uniform(0, 1))


_FAULTS: dict[str, Callable[[DaskCluster, random.Random], None]] = {
    "a worker killed": _signal_one(signal.SIGKILL),
    "a worker terminated": _signal_one(signal.SIGTERM),
    "a worker stopped": _signal_one(signal.SIGSTOP),
    "a worker stopped for a while": _stop_for_a_while,
    "all workers killed": _signal_all,
    "the processes that play killed": _kill_what_plays,
    "the scheduler killed": _kill_scheduler,
}
