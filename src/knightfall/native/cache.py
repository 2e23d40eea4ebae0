"""Where compiled machine code is kept between runs.

Numba's own cache looks only at the file a function stands in: change a helper in another file and stale machine
code is used. So ours lives in a folder named by a hash of everything the code can depend on (all sources of the
layers that are compiled, the versions of Python, Numba and llvmlite), and each entry is one file named by a hash of
the function, its signature and the processor. There is no index file, so that processes that compile at
the same time cannot mix up each other's entries. How a file is read and written is told in
:mod:`knightfall.native.store`.
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
"""The layers whose sources can change what is compiled here: this one and those above it."""

PIECEWISE = ("create_library", "create_cpython_wrapper", "create_cfunc_wrapper", "get_executable")
"""What Numba does in another way while something is compiled in pieces."""


def hash_of_sources(files: Iterable[Path], extra: str = "") -> str:
    """A name for machine code compiled from these files, and what ``extra`` says, by this Python and this Numba."""
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
    """The folder for code compiled from the package as it is now. It need not exist yet."""
    files = [file for layer in COMPILED_LAYERS for file in (PACKAGE / layer).rglob("*.py")]
    return real_root() / hash_of_sources(files)


def _calls_elsewhere(library: Any) -> bool:
    """Whether code calls a function that is not in it, as mutual recursion does.

    Numba links such a call when both sides are compiled, but not when one is loaded: the process would be aborted.
    """
    return any(variable.name.startswith(RuntimeLinker.PREFIX) for variable in library._final_module.global_variables)


@contextlib.contextmanager
def _as_a_whole(context: Any) -> Iterator[None]:
    """Load machine code as it is, also while a caller of it is compiled in pieces (:mod:`knightfall.native.pieces`)."""
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
        """Whether what the function calls may be compiled as a part of it; see :mod:`knightfall.native.pieces`."""

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
        """Whether machine code for this signature is there, sound and safe."""
        return read_sealed(self._file(signature, cpu_target.target_context.codegen())) is not None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if not self._enabled:
            return None
        content = read_sealed(self._file(sig, target_context.codegen()))
        if content is None:
            # No file yet, or a damaged one: that costs a compilation, never a failure.
            return None
        try:
            payload = pickle.loads(content)
        except Exception:
            return None
        with contextlib.suppress(OSError):
            # The folder's age says when it was last of use.
            os.utime(self._folder)
        # Numba would first import everything it can compile, and SciPy with it. Machine code needs the runtime only.
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
            # A full disk or a read-only home costs a compilation in the next process, nothing else.
            self._enabled = False
