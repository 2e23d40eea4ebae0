"""Files of compiled code are damaged at random."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

from commands import KNIGHTFALL, environment

TITLE = "damaged files of compiled code"
PROMISE = "right results, nothing damaged is loaded, the file is replaced"
FULL = 300
REDUCED = 24

_LEAVES = 11_280  # perft 3 of the empty 7x7 board


def torture(tries: int, chance: random.Random, folder: Path) -> list[str]:
    """Damage many files of a cache at once, check the results, and repeat."""
    good = folder / "good"
    broken = [] if _leaves(good) == _LEAVES else ["the undamaged cache gives another result"]
    left = tries
    while left > 0:
        cache = folder / "damaged"
        shutil.copytree(good, cache)
        files = sorted(cache.glob("*/*.machine"))
        chosen = chance.sample(files, min(left, len(files)))
        damage = {file: _damaged(file.read_bytes(), [other.read_bytes() for other in files], chance) for file in chosen}
        for file, content in damage.items():
            file.write_bytes(content)
        found = _leaves(cache)
        if found != _LEAVES:
            broken.append(f"perft 3 gives {found} with damage to {[file.name for file in chosen]}")
        broken += [f"{file.name} was not replaced" for file in chosen if file.read_bytes() == damage[file]]
        left -= len(chosen)
        shutil.rmtree(cache)
    return broken


def _leaves(cache: Path) -> object:
    env = environment(KNIGHTFALL_CACHE_DIR=str(cache))
    done = subprocess.run([*KNIGHTFALL, "perft", "3", "--json"], capture_output=True, text=True, env=env, timeout=600)
    if done.returncode != 0 or done.stderr:
        return f"exit code {done.returncode}, {done.stderr[-200:]!r}"
    return json.loads(done.stdout)["leaves"]


def _damaged(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """Return damaged content."""
    kind = chance.randrange(6)
    at = chance.randrange(len(content))
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content + chance.randbytes(chance.randrange(1, 100))
    if kind == 2:
        return content[:at] + bytes(len(content) - at + 1)
    if kind == 3:
        foreign = [other for other in others if other != content]
        if foreign:
            return chance.choice(foreign)
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]
