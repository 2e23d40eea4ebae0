"""The cache of compiled machine code between runs.

Numba's own cache checks only the file that defines a function. If a helper in another file changes, it uses stale
machine code. So this cache uses a folder named by a hash of everything that the code can depend on: all sources of the
compiled layers and the versions of Python, Numba and llvmlite. Each entry is one file, named by a hash of the
function, its signature and the processor. There is no index file, so processes that compile at the same time cannot
mix up each other's entries. :mod:`knightfall.native.store` explains how files are read and written.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import _Cache
from numba.core.codegen import RuntimeLinker
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from knightfall.native.store import is_safe, read_sealed, real_root, write_sealed

PACKAGE = Path(__file__).resolve().parent.parent
COMPILED_LAYERS = ("rules", "native")
"""The layers whose sources affect the machine code of the engine: this layer and the one that it imports."""

PIECEWISE = ("create_library", "create_cpython_wrapper", "create_cfunc_wrapper", "get_executable")
"""The Numba methods that are replaced while something is compiled in pieces."""


def hash_of_sources(files: Iterable[Path], extra: str = "") -> str:
    """Return a name for machine code compiled from these files and ``extra`` by this Python and this Numba."""
    digest = hashlib.blake2b(digest_size=12)
    for version in (sys.version, numba.__version__, llvmlite.__version__, extra):
        digest.update(version.encode() + b"\0")
    for file in sorted(files):
        content = _content(file)
        digest.update(f"{file.name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


@cache
def _content(file: Path) -> bytes:
    return file.read_bytes()


@cache
def engine_folder() -> Path:
    """Return the folder for code compiled from the current sources. The folder may not exist yet."""
    files = [file for layer in COMPILED_LAYERS for file in (PACKAGE / layer).rglob("*.py")]
    return real_root() / hash_of_sources(files)


def _calls_elsewhere(library: Any) -> bool:
    """Return whether code calls a function outside its own library, as mutual recursion does.

    Numba links such a call when both functions are compiled, but not when one is loaded: the process would abort.
    """
    return any(variable.name.startswith(RuntimeLinker.PREFIX) for variable in library._final_module.global_variables)


@contextlib.contextmanager
def _as_a_whole(context: Any) -> Iterator[None]:
    """Load machine code unchanged, even while its caller is compiled in pieces (:mod:`knightfall.native.pieces`)."""
    codegen = context.codegen()
    changed = [(owner, name) for owner in (context, codegen) for name in PIECEWISE if name in vars(owner)]
    kept = [vars(owner).pop(name) for owner, name in changed]
    try:
        yield
    finally:
        for (owner, name), value in zip(changed, kept, strict=True):
            setattr(owner, name, value)


class FolderCache(_Cache):
    """A Numba function cache with one file per function, signature and processor."""

    def __init__(self, function: Any, folder: Path, *, in_pieces: bool = True) -> None:
        self._function = function
        self._folder = folder
        self._enabled = True
        self.in_pieces = in_pieces
        """Whether the functions that it calls may be compiled as parts of it; see :mod:`knightfall.native.pieces`."""

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        if is_safe(self._folder):
            for file in self._folder.glob(f"{self._function.__qualname__}-*.machine"):
                file.unlink(missing_ok=True)

    def _file(self, signature: Any, codegen: Any) -> Path:
        code = self._function.__code__
        key = (self._function.__qualname__, code.co_firstlineno, code.co_code, str(signature), codegen.magic_tuple())
        name = hashlib.blake2b(repr(key).encode(), digest_size=12).hexdigest()
        return self._folder / f"{self._function.__qualname__}-{name}.machine"

    def holds(self, signature: Any) -> bool:
        """Return whether the cache has valid and safe machine code for this signature."""
        return read_sealed(self._file(signature, cpu_target.target_context.codegen())) is not None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if not self._enabled:
            return None
        content = read_sealed(self._file(sig, target_context.codegen()))
        if content is None:
            # The file is missing or damaged. This costs a compilation but is never an error.
            return None
        try:
            payload = pickle.loads(content)
        except Exception:
            return None
        with contextlib.suppress(OSError):
            # The folder's modification time says when it was last used.
            os.utime(self._folder)
        # Numba would first import everything that it can compile, including SciPy. Machine code needs only the runtime.
        rtsys.initialize(target_context)
        with _as_a_whole(target_context):
            return CompileResult._rebuild(target_context, *payload)

    def save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled or data.lifted or data.library.has_dynamic_globals or _calls_elsewhere(data.library):
            return
        file = self._file(sig, data.codegen)
        try:
            self._enabled = write_sealed(file, dumps(data._reduce()))
        except OSError:
            # A full disk or a read-only home folder costs a compilation in the next process and has no other effect.
            self._enabled = False
