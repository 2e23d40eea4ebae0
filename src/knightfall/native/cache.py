"""Where compiled machine code is kept between runs.

Numba's own cache looks only at the file a function stands in: change a helper in another file and stale machine
code is used. So ours lives in a folder named by a hash of everything the code can depend on (all sources of the
layers that are compiled, the versions of Python, Numba and llvmlite), and each entry is one file named by a hash of
the function, its signature and the processor. There is no index file, so that processes that compile at
the same time cannot mix up each other's entries.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import shutil
import sys
import time
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

from knightfall.rules.files import write_whole

PACKAGE = Path(__file__).resolve().parent.parent
COMPILED_LAYERS = ("rules", "native")
"""The layers whose sources can change what is compiled here: this one and those above it."""

PIECEWISE = ("create_library", "create_cpython_wrapper", "create_cfunc_wrapper", "get_executable")
"""What Numba does in another way while something is compiled in pieces."""

_DAYS_KEPT = 30


def cache_root() -> Path:
    """The folder that holds all of Knightfall's compiled code; KNIGHTFALL_CACHE_DIR overrides it."""
    chosen = os.environ.get("KNIGHTFALL_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "knightfall"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "knightfall" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "knightfall"


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
    return cache_root() / hash_of_sources(files)


def prepare_folder(folder: Path) -> None:
    """Make the folder; when it is new, remove those that no one has used for a month."""
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    oldest = time.time() - _DAYS_KEPT * 86400
    for other in folder.parent.iterdir():
        with contextlib.suppress(OSError):
            if other.is_dir() and other != folder and other.stat().st_mtime < oldest:
                shutil.rmtree(other, ignore_errors=True)


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
        for file in self._folder.glob(f"{self._function.__qualname__}-*.machine"):
            file.unlink(missing_ok=True)

    def _file(self, signature: Any, codegen: Any) -> Path:
        code = self._function.__code__
        key = (self._function.__qualname__, code.co_firstlineno, code.co_code, str(signature), codegen.magic_tuple())
        name = hashlib.blake2b(repr(key).encode(), digest_size=12).hexdigest()
        return self._folder / f"{self._function.__qualname__}-{name}.machine"

    def holds(self, signature: Any) -> bool:
        """Whether machine code for this signature is there."""
        return self._file(signature, cpu_target.target_context.codegen()).is_file()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if not self._enabled:
            return None
        file = self._file(sig, target_context.codegen())
        try:
            payload = pickle.loads(file.read_bytes())
        except Exception:
            # No file yet, or a damaged one: that costs a compilation, never a failure.
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
            prepare_folder(self._folder)
            write_whole(file, dumps(data._reduce()))
        except OSError:
            # A full disk or a read-only home costs a compilation in the next process, nothing else.
            self._enabled = False
