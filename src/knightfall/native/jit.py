"""How every function of the engine is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba

from knightfall.native.announce import announce_compilation
from knightfall.native.cache import FolderCache, engine_folder

P = ParamSpec("P")
R = TypeVar("R")

announce_compilation()


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on first call, once per board width, without the GIL; kept in our own cache folder."""
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = FolderCache(function, engine_folder())
    return cast("Callable[P, R]", dispatcher)
