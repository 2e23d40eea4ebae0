"""Every kind of agent is used by four threads at once."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from commands import environment

TITLE = "positions that every kind of agent answers in four threads at once"
PROMISE = "no crash; the moves of one thread"
FULL = 2_000
REDUCED = 100

_SCRIPT = Path(__file__).parents[1] / "thread_stress.py"


def torture(tries: int, chance: random.Random, folder: Path) -> list[str]:
    """Run the stress program once for all positions."""
    command = [sys.executable, str(_SCRIPT), str(tries), str(chance.randrange(2**30))]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), cwd=folder, timeout=3600)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or lines[-1:] != ["done"]:
        return [f"exit code {done.returncode}: {line}" for line in done.stderr.splitlines()[-1:] or ["no message"]]
    return lines[:-1]
