"""Knightfall: a laboratory for knight-move Isolation.

>>> import knightfall as kf
>>> position = kf.Position.from_fen("7/7/3n3/7/7/2N4/7 w")
>>> position.to_move, len(position.legal_moves()), kf.perft(position, 4)
(1, 6, 736)

The public names are listed in `__init__.pyi`, for type checkers and for this module. Each is loaded when it is first
used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

_LINE = re.compile(r"^from \.([\w.]+) import (\w+) as \2$", re.MULTILINE)
_HOME = {name: home for home, name in _LINE.findall(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'knightfall' has no attribute {name!r}")
    value = getattr(import_module(f"knightfall.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
