"""Heuristics that print, crash, exit, hang, use too much memory, start processes or tamper, always or rarely."""

from __future__ import annotations

import json
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path

from commands import run

TITLE = "hostile or broken heuristics, each checked and then playing in a tournament"
PROMISE = "one line, the right exit code, nothing left behind; the other players' games are as ever"
FULL = 75
REDUCED = 6

_PATIENCE = "4"  # seconds per call; 30 by default
_GROUP = 6  # players per tournament
_RARE = "game.width == 11 and game.move_count == 17"  # never in the trial call, sometimes in the check
_LATE = "game.move_count == 40 and len(game.get_legal_moves(1)) == 2"


@dataclass(frozen=True)
class Case:
    """One heuristic: the statements before its `return`, the code above it, and the expected result of the check."""

    body: str
    codes: tuple[int, ...]
    says: str = ""
    above: str = ""
    plays: bool = True
    """Whether it also plays in a tournament.

    Heuristics that do not return would cost the patience of three workers there.
    """

    @property
    def text(self) -> str:
        """The content of the file."""
        lines = "".join(f"    {line}\n" for line in self.body.splitlines())
        return f"{self.above}\n\ndef f(game, player):\n    n = len(game.get_legal_moves(player))\n{lines}    return n\n"


def _rarely(body: str) -> str:
    return f"if {_RARE}:\n" + "\n".join(f"    {line}" for line in body.splitlines())


_ENDLESS = "did not return within"
_EXITED = "ended the process with exit code"
_KILLED = "ended the process by signal"

CASES: dict[str, Case] = {
    # It ends its process
    "os._exit(0)": Case("os._exit(0)", (2,), _EXITED, "import os"),
    "os._exit(0), rarely": Case(_rarely("os._exit(0)"), (1,), _EXITED, "import os"),
    "os._exit(0), late": Case(f"if {_LATE}:\n    os._exit(0)", (0, 1, 2), "", "import os"),
    "os._exit(7), rarely": Case(_rarely("os._exit(7)"), (1,), f"{_EXITED} 7", "import os"),
    "sys.exit": Case("sys.exit(0)", (2,), "it calls exit", "import sys"),
    "sys.exit, rarely": Case(_rarely("sys.exit('bye')"), (1,), "it calls exit", "import sys"),
    "quit": Case("quit()", (2,)),
    "raise SystemExit": Case("raise SystemExit(3)", (2,), "it calls exit"),
    "raise KeyboardInterrupt": Case("raise KeyboardInterrupt", (2,), "KeyboardInterrupt"),
    "raise KeyboardInterrupt, rarely": Case(_rarely("raise KeyboardInterrupt"), (1,), "KeyboardInterrupt"),
    "raise BaseException, rarely": Case(_rarely("raise BaseException('no')"), (1,), "BaseException"),
    "raise GeneratorExit": Case("raise GeneratorExit", (2,), "GeneratorExit"),
    "segmentation fault": Case("ctypes.string_at(0)", (2,), _KILLED, "import ctypes"),
    "segmentation fault, rarely": Case(_rarely("ctypes.string_at(0)"), (1,), "SIGSEGV", "import ctypes"),
    "abort, rarely": Case(_rarely("os.abort()"), (1,), "SIGABRT", "import os"),
    "SIGKILL to itself": Case("os.kill(os.getpid(), 9)", (2,), "SIGKILL", "import os"),
    "SIGTERM to itself, rarely": Case(_rarely("os.kill(os.getpid(), 15)\ntime.sleep(9)"), (1,), "", "import os, time"),
    "SIGKILL to its group": Case("os.killpg(0, 9)", (2,), "SIGKILL", "import os"),
    "SIGINT to itself": Case("os.kill(os.getpid(), 2)", (0, 1, 2), "", "import os"),
    "SIGALRM, rarely": Case(_rarely("signal.alarm(1)\ntime.sleep(9)"), (1,), "SIGALRM", "import signal, time"),
    "bytes as code": Case("f.__code__ = f.__code__.replace(co_code=b'\\x00' * 8)\nf(game, player)", (0, 1, 2)),
    # It does not return
    "while True": Case("while True:\n    n += 1", (2,), "does not end"),
    "while True: pass, rarely": Case(_rarely("while True:\n    pass"), (1,), "does not end"),
    "endless iterator": Case("for i in itertools.count():\n    n += i", (2,), _ENDLESS, "import itertools", False),
    "endless iterator, rarely": Case(
        _rarely("for i in itertools.count():\n    n += i"), (1,), _ENDLESS, "import itertools", False
    ),
    "endless generator": Case(
        _rarely("n = sum(ever())"), (1,), "", "def ever():\n    while True:\n        yield 1", False
    ),
    "sum of an endless iterator": Case(
        _rarely("n = sum(itertools.repeat(1))"), (1,), _ENDLESS, "import itertools", False
    ),
    "sleep": Case("time.sleep(10_000)", (2,), _ENDLESS, "import time", False),
    "sleep, rarely": Case(_rarely("time.sleep(10_000)"), (1,), _ENDLESS, "import time", False),
    "a number that is too large": Case(_rarely("n = len(str(10 ** 10 ** 9))"), (1,), "", "", False),
    "a regular expression without end": Case(
        _rarely("re.match('(a+)+$', 'a' * 60 + 'b')"), (1,), _ENDLESS, "import re", False
    ),
    "a lock that is taken": Case(
        _rarely("lock.acquire()\nlock.acquire()"), (1,), "", "import threading\n\nlock = threading.Lock()", False
    ),
    "reading standard input": Case("n += len(sys.stdin.read())", (0, 1, 2), "", "import sys"),
    "input()": Case("n += len(input())", (0, 1, 2)),
    "endless range": Case(
        _rarely("for i in range(10 ** 17):\n    n = (n * 7 + 1) % 1_000_003"), (1,), _ENDLESS, "", False
    ),
    "a process that is waited for": Case(
        _rarely("subprocess.run(['sleep', '10000'])"), (1,), _ENDLESS, "import subprocess", False
    ),
    # It uses too much
    "recursion": Case("return f(game, player)", (2,)),
    "recursion without limit, rarely": Case(
        _rarely("sys.setrecursionlimit(10 ** 9)\nf(game, player)"), (0, 1, 2), "", "import sys"
    ),
    "memory": Case("x = [bytearray(2 ** 30) for _ in range(8)]", (1, 2), "", "", False),
    "memory, rarely": Case(_rarely("x = [bytearray(2 ** 30) for _ in range(8)]"), (1,), "", "", False),
    "memory in steps, rarely": Case(_rarely("x = [0]\nfor _ in range(40):\n    x = x + x"), (1,), "", "", False),
    "memory of a child": Case(
        _rarely("subprocess.run([sys.executable, '-c', 'x = bytearray(9 * 2 ** 30)'])"),
        (0, 1),
        "",
        "import subprocess, sys",
    ),
    "ever more": Case("KEPT.append(bytearray(10 ** 5))", (0, 1, 2), "", "KEPT = []"),
    # It starts something that does not end
    "a child process": Case(
        "if os.fork() == 0:\n    time.sleep(10_000)", (2,), "too many processes", "import os, time"
    ),
    "a daemon, rarely": Case(
        _rarely(
            "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(10_000)\n    os._exit(0)"
        ),
        (0, 1),
        "",
        "import os, time",
    ),
    "a program, rarely": Case(
        _rarely("subprocess.Popen(['sleep', '10000'], start_new_session=True)"), (0, 1), "", "import subprocess"
    ),
    "a thread that stays": Case(
        _rarely("threading.Thread(target=time.sleep, args=(10_000,)).start()"), (0,), "", "import threading, time"
    ),
    "a thread that raises": Case("threading.Thread(target=lambda: 1 / 0).start()", (0, 1), "", "import threading"),
    "atexit": Case("atexit.register(print, 'bye')", (0, 1), "", "import atexit"),
    "atexit without end": Case(_rarely("atexit.register(time.sleep, 10_000)"), (0,), "", "import atexit, time"),
    "__del__ that raises": Case(
        "Loud()",
        (0, 1),
        "",
        "class Loud:\n    def __del__(self):\n        print('gone')\n        raise ValueError('gone')",
    ),
    # It prints
    "print": Case("print('heard', n)", (0,)),
    "print to standard error": Case("print('heard', file=sys.stderr)", (0, 1), "", "import sys"),
    "os.write": Case("os.write(1, b'heard\\n')\nos.write(2, b'heard\\n')", (0,), "", "import os"),
    "sys.__stdout__": Case("sys.__stdout__.write('heard')\nsys.__stdout__.flush()", (0,), "", "import sys"),
    "a shell that prints": Case(_rarely("os.system('echo heard; echo heard >&2')"), (0,), "", "import os"),
    "warnings": Case("warnings.warn('heard')", (0, 1), "", "import warnings"),
    # It tampers
    "closed streams": Case("for i in range(3):\n    try: os.close(i)\n    except OSError: pass", (0,), "", "import os"),
    "all files closed": Case("os.closerange(0, 200)", (2,), "closed files", "import os"),
    "all files written": Case(
        "for i in range(3, 60):\n    try: os.write(i, b'x' * 99)\n    except OSError: pass", (0, 1, 2), "", "import os"
    ),
    "random replaced": Case("random.random = lambda: 2.0\nrandom.seed(1)", (0, 1), "", "import random"),
    "builtins replaced": Case("builtins.len = lambda _: 1", (0, 1, 2), "", "import builtins"),
    "time replaced": Case(
        "time.monotonic = lambda: 0.0\ntime.perf_counter = lambda: 0.0", (0, 1, 2), "", "import time", False
    ),
    "the folder changed": Case("os.chdir('/')", (0, 1, 2), "", "import os"),
    "the environment emptied": Case("os.environ.clear()", (0, 1, 2), "", "import os"),
    "the guard killed": Case("os.kill(os.getppid(), 9)", (2,), "supervises", "import os", False),
    # It does not return a number
    "nan": Case("return float('nan')", (1, 2), "nan"),
    "infinity": Case("return float('inf')", (0, 1)),
    "a text": Case("return 'much'", (2,), "no number"),
    "a huge number": Case("return 10 ** 400", (1, 2)),
    "an array": Case("return numpy.zeros(3)", (2,), "", "import numpy"),
    "nothing": Case("return None", (1, 2), "None"),
    "a moved knight": Case("game._player_1 = game._player_2\nreturn game.apply_move((0, 0))", (0, 1, 2)),
    "a module of its own": Case("return antigravity_of_mine.x", (2,), "", "import antigravity_of_mine"),
    "random.py beside it": Case("n += random.random()", (0, 1), "", "import random"),
}


def torture(tries: int, chance: random.Random, folder: Path) -> list[str]:
    """Check this many of the heuristics, then let the usable ones play."""
    names = list(CASES) if tries >= len(CASES) else chance.sample(list(CASES), tries)
    mark = f"{chance.randrange(2**62):x}"
    env = {"_KNIGHTFALL_PATIENCE": _PATIENCE, "_KNIGHTFALL_MEMORY": "2", "KNIGHTFALL_TORTURE": mark}
    (folder / "random.py").write_text("open('executed', 'w').write('x')\n")
    broken = []
    players = []
    for number, name in enumerate(names):
        file = folder / f"case{number}.py"
        file.write_text(CASES[name].text)
        code, problem = _checked(file, CASES[name], env, folder)
        if problem:
            broken.append(f"{name}: {problem}")
        if code in (0, 1) and CASES[name].plays:
            players.append(file.name)
    wanted = _honest_games(folder, [], env)
    for at in range(0, len(players), _GROUP):
        group = players[at : at + _GROUP]
        found = _honest_games(folder, group, env)
        if found != wanted:
            told = ", ".join(names[int(file.removeprefix("case").removesuffix(".py"))] for file in group)
            broken.append(f"a tournament with {told}: {found}")
    if (folder / "executed").exists():
        broken.append("random.py of the current folder was executed")
    return broken + [f"process {process} is still there" for process in _left(mark)]


def _checked(file: Path, case: Case, env: dict[str, str], folder: Path) -> tuple[int, str]:
    """Run a check, and return its exit code and the problem with its output."""
    done = run("heuristics", f"{file.name}:f", "--check", "--json", env=env, cwd=folder)
    code = done.returncode
    if code not in case.codes:
        return code, f"exit code {code}, {done.stdout[-300:]!r}, {done.stderr[-300:]!r}"
    said = done.stdout if code in (0, 1) else done.stderr
    if "Traceback" in done.stderr or "heard" in done.stderr:
        return code, f"standard error has {done.stderr[-300:]!r}"
    try:
        json.loads(said)
    except ValueError:
        return code, f"not one JSON object: {said[-300:]!r}"
    return code, "" if case.says in said else f"{case.says!r} is not in {said[-300:]!r}"


def _honest_games(folder: Path, hostile: list[str], env: dict[str, str]) -> object:
    """Return the games of `open` against the panel in a tournament with hostile players."""
    db = folder / "games.db"
    db.unlink(missing_ok=True)
    candidates = ["open", *(f"{file}:f" for file in hostile)]
    options = ["--panel", "Random", "--baseline", "none", "--pairs", "2", "--nodes", "60", "--workers", "2"]
    done = run("tournament", *candidates, *options, "--seed", "1", "--db", str(db), "--json", env=env, cwd=folder)
    if done.returncode not in (0, 3) or "Traceback" in done.stderr:
        return f"exit code {done.returncode}: {done.stderr[-300:]!r}"
    listed = run("games", "--experiment", "1", "--limit", "1000", "--db", str(db), "--json", cwd=folder)
    games = json.loads(listed.stdout)["games"]
    ours = [
        game
        for game in games
        if "AB_open" in (game["first"], game["second"]) and "Random" in (game["first"], game["second"])
    ]
    return sorted((game["opening"], game["first"], game["line"]) for game in ours)


def _left(mark: str) -> list[int]:
    """Return running processes with the mark in their environment."""
    for _ in range(100):
        found = [process for process in _running() if mark.encode() in _environment(process)]
        if not found:
            break
        time.sleep(0.1)
    return found


def _running() -> list[int]:
    return [int(found.name) for found in Path("/proc").glob("[0-9]*") if int(found.name) != os.getpid()]


def _environment(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return b""
