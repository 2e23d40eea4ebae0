"""Several processes do the same thing at once: create a ledger, play into it, resume an experiment, compile."""

from __future__ import annotations

import contextlib
import json
import random
import re
import subprocess
import sys
from pathlib import Path

from commands import KNIGHTFALL, environment, run
from ledgers import ask, content, is_sound

TITLE = "races between processes for a ledger or a cache"
PROMISE = "each process gets its result or one line; nothing is lost, played twice or wrong"
FULL = 30
REDUCED = 3

_LEAVES = 11_280  # perft 3 of the empty 7x7 board
_PROCESSES = 4
_PLAYED = [
    "tournament",
    "open",
    "--panel",
    "Random;greedy(open)",
    "--nodes",
    "50",
    "--baseline",
    "none",
    "--pairs",
    "40",
]

_OPEN = """
import sys
from pathlib import Path
from knightfall.arena.ledger import Ledger
print("ready", flush=True)
sys.stdin.readline()
for number in range(20):
    with Ledger(Path(sys.argv[1]) / f"{number}.db") as ledger:
        assert ledger.experiments() == []
"""


def torture(tries: int, chance: random.Random, folder: Path) -> list[str]:
    """Run the kinds of races in turn."""
    broken: list[str] = []
    for number in range(tries):
        place = folder / str(number)
        place.mkdir()
        race = (_make, _play, _resume, _compile)[number % 4]
        broken += [f"{race.__name__.strip('_')} {number}: {problem}" for problem in race(place, chance)][:1]
    return broken


def _make(folder: Path, _: random.Random) -> list[str]:
    """Create twenty ledgers, each in all processes at the same time."""
    with contextlib.ExitStack() as stack:
        running = []
        for _number in range(2 * _PROCESSES):
            process = subprocess.Popen(
                [sys.executable, "-c", _OPEN, str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment(),
            )
            running.append(stack.enter_context(process))
        for process in running:
            assert process.stdout is not None
            process.stdout.readline()
        ended = [(process, process.communicate("go\n", timeout=600)[1]) for process in running]
    found = [errors[-300:] for process, errors in ended if process.returncode != 0]
    return found + [f"{path.name} is damaged" for path in folder.glob("*.db") if not is_sound(path)]


def _play(folder: Path, chance: random.Random) -> list[str]:
    """Play one tournament in each process, all into one new ledger."""
    seed = str(chance.randrange(2**32))
    path, alone = folder / "ledger.db", folder / "alone.db"
    commands = [[*_PLAYED, "--seed", seed, "--workers", "1", "--db", str(path)]] * _PROCESSES
    found = [f"exit code {code}: {errors}" for code, _, errors in _at_once(commands) if code != 0]
    run(*_PLAYED, "--seed", seed, "--workers", "0", "--db", str(alone))
    return found or _compare(path, alone, _PROCESSES)


def _resume(folder: Path, chance: random.Random) -> list[str]:
    """Resume one experiment in all processes: one plays, the others report that, or find it finished."""
    from knightfall.arena.ledger import Ledger

    seed = str(chance.randrange(2**32))
    path, alone = folder / "ledger.db", folder / "alone.db"
    for target in (path, alone):
        run(*_PLAYED, "--seed", seed, "--workers", "0", "--db", str(target))
    with Ledger(path) as ledger, ledger._transaction() as connection:
        connection.execute("DELETE FROM game WHERE pair >= 10")
        connection.execute("UPDATE pair SET state = 'planned', score = NULL WHERE number >= 10")
        connection.execute("UPDATE experiment SET ended = NULL")
    commands = [["tournament", "--experiment", "1", "--workers", "1", "--db", str(path)]] * _PROCESSES
    ended = _at_once(commands)
    allowed = re.compile(r"knightfall: .*experiment 1 is being played by .*process")
    found = [
        f"exit code {code}: {errors}"
        for code, _, errors in ended
        if code != 0 and not (code == 2 and allowed.match(errors))
    ]
    if all(code != 0 for code, _, _ in ended):
        found.append("nobody played")
    return found or _compare(path, alone, 1)


def _compile(folder: Path, _: random.Random) -> list[str]:
    """Compile the same functions into one new cache."""
    ended = _at_once([["perft", "3", "--json"]] * _PROCESSES, KNIGHTFALL_CACHE_DIR=str(folder / "cache"))
    return [
        f"exit code {code}: {out}{errors}"
        for code, out, errors in ended
        if code != 0 or json.loads(out)["leaves"] != _LEAVES
    ]


def _at_once(commands: list[list[str]], **variables: str) -> list[tuple[int, str, str]]:
    """Run commands at the same time, and return their exit codes and outputs."""
    with contextlib.ExitStack() as stack:
        running = [
            stack.enter_context(
                subprocess.Popen(
                    [*KNIGHTFALL, *command],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    env=environment(**variables),
                )
            )
            for command in commands
        ]
        ended = []
        for process in running:
            out, errors = process.communicate(timeout=600)
            ended.append((process.returncode, out, errors))
    return ended


def _compare(path: Path, alone: Path, experiments: int) -> list[str]:
    """Compare every experiment of a ledger with an undisturbed one."""
    if not is_sound(path):
        return ["SQLite finds the file damaged"]
    if ask(path, "SELECT count(*) FROM experiment") != [(experiments,)]:
        return ["an experiment is missing"]
    expected_pairs, expected_games = content(alone)
    for number in range(1, experiments + 1):
        pairs, games = content(path, number)
        if [row[1:] for row in pairs] != [row[1:] for row in expected_pairs] or games != expected_games:
            return [f"experiment {number} differs from one that was played alone"]
    return []
