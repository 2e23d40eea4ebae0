"""A user's file, or one that it imports, changes at a random moment of a tournament, and a worker may be killed."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from pathlib import Path

from commands import KNIGHTFALL, environment
from ledgers import ask, content
from test_tournament_crash import await_experiment, children_of

TITLE = "edits of a user's file while a tournament plays"
PROMISE = "all games are those of the text that was hashed"
FULL = 20
REDUCED = 3

_PLAY = ["tournament", "mine.py:mine", "--panel", "Random;MM_Open", "--pairs", "150", "--nodes", "300"]
_PLAY += ["--baseline", "none", "--workers", "2"]
_MINE = "from helper import weight\n\n\ndef mine(game, player):\n    return weight(len(game.get_legal_moves(player)))\n"
_HELPER = "def weight(x):\n    return 2.0 * x\n"
_EDITS = {
    "mine.py": ["def mine(game, player):\n    return -1.0 * len(game.get_legal_moves(player))\n", "def mine(", ""],
    "helper.py": ["def weight(x):\n    return -3.0 * x\n", "raise SystemExit\n", ""],
}
_SECONDS = 600


def torture(tries: int, chance: random.Random, folder: Path) -> list[str]:
    """Play, edit a file at some moment, and compare with a tournament without edits."""
    expected = folder / "undisturbed.db"
    broken = [f"undisturbed: {line}" for line in _played(folder, expected, None)]
    for number in range(tries):
        path = folder / f"{number}.db"
        name = chance.choice(sorted(_EDITS))
        text = chance.choice([*_EDITS[name], None])
        words = f"try {number}, {name} {'removed' if text is None else 'edited'}"
        lines = _played(folder, path, (folder / name, text, chance.uniform(0, 3), chance.random() < 0.5))
        if not lines and content(path) != content(expected):
            lines = [f"other games than those of the hashed text: {_differences(path, expected)}"]
        broken += [f"{words}: {line}" for line in lines[:1]]
    return broken


def _played(folder: Path, path: Path, edit: tuple[Path, str | None, float, bool] | None) -> list[str]:
    """Run the tournament, and return its problems.

    ``edit`` contains a file, its new text (None removes it), the delay in seconds, and whether to kill a worker.
    """
    (folder / "mine.py").write_text(_MINE)
    (folder / "helper.py").write_text(_HELPER)
    command = [*KNIGHTFALL, *_PLAY, "--db", str(path)]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment(), cwd=folder
    ) as process:
        try:
            if edit is not None:
                file, text, seconds, kills = edit
                await_experiment(path)
                time.sleep(seconds)
                if text is None:
                    file.unlink()
                else:
                    file.write_text(text)
                if kills and process.poll() is None:
                    _kill_a_worker(process)
            _, errors = process.communicate(timeout=_SECONDS)
        finally:
            process.kill()
    return [] if process.returncode == 0 else [f"exit code {process.returncode}: {errors[-300:]!r}"]


def _kill_a_worker(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(OSError):
        for worker in children_of(process.pid)[:1]:
            os.kill(worker, signal.SIGKILL)


def _differences(path: Path, expected: Path) -> str:
    question = "SELECT pair, game, moves FROM game ORDER BY pair, game"
    there, here = ask(expected, question), ask(path, question)
    return f"{sum(a != b for a, b in zip(there, here, strict=False))} of {len(there)} differ, {len(here)} were played"
