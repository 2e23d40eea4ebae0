"""Everything the games depend on besides the plan: Knightfall's code, users' heuristics, Python and Numba."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from knightfall import __version__
from knightfall.arena.players import Player
from knightfall.compiler.errors import HeuristicError
from knightfall.native.cache import PACKAGE

_PLAYING = ("rules", "native", "compiler", "catalogue", "agents")
_PLAYING_FILES = ("referee.py", "play.py", "openings.py", "plan.py")


@cache
def source_hash() -> str:
    """Return a hash of all Knightfall sources that affect the moves; tables and statistics do not."""
    arena = Path(__file__).parent
    files = [file for layer in _PLAYING for file in (PACKAGE / layer).rglob("*.py")]
    digest = hashlib.blake2b(digest_size=8)
    for file in [*sorted(files), *(arena / name for name in _PLAYING_FILES)]:
        content = file.read_bytes()
        digest.update(f"{file.relative_to(PACKAGE).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def code_of(players: Iterable[Player]) -> dict[str, Any]:
    """Return the versions and source hashes that the games of these players depend on."""
    import numba
    import numpy

    heuristics: dict[str, str] = {}
    for player in players:
        heuristic = getattr(player.agent, "heuristic", None)
        program = None if heuristic is None else heuristic.code.program
        if heuristic is not None and program is not None and not _is_ours(heuristic.code.path):
            digest = program.digest()
            if heuristics.setdefault(heuristic.text, digest) != digest:
                raise HeuristicError(f"{heuristic.code.shown}: the file was edited while it was read; start again")
    return {
        "knightfall": __version__,
        "sources": source_hash(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": numpy.__version__,
        "heuristics": heuristics,
    }


def _is_ours(path: Path | None) -> bool:
    return path is not None and path.is_relative_to(PACKAGE)


def machine() -> dict[str, Any]:
    """Return the properties of this machine that affect the speed of the games."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "processor": processor(),
        "cores": os.cpu_count(),
    }


def processor() -> str:
    """Return the name of the processor; if the system does not provide it, the machine type."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
