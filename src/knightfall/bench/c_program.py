"""C programs for comparison, compiled when they are needed."""

from __future__ import annotations

import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

FLAGS = ("-O3", "-march=native")


def compiler() -> str | None:
    """Return the path of the C compiler, or None if there is none."""
    return shutil.which("gcc") or shutil.which("cc")


def build(source: str, folder: Path, *defines: str) -> Path | None:
    """Compile one of this package's C files into ``folder``.

    Return the path of the program, or None without a C compiler.
    """
    found = compiler()
    if found is None:
        return None
    code = folder / source
    code.write_text(files("knightfall.bench").joinpath(source).read_text(encoding="utf-8"), encoding="utf-8")
    program = folder / "-".join((code.stem, *defines))
    subprocess.run(
        [found, *FLAGS, *(f"-D{name}" for name in defines), "-o", str(program), str(code)],
        check=True,
        capture_output=True,
    )
    return program
