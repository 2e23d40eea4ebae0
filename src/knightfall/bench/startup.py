"""The time of `knightfall --help`, compared with importing two libraries of the command line."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass

HELP = [sys.executable, "-m", "knightfall", "--help"]
LIBRARIES = [sys.executable, "-c", "import typer, rich"]


@dataclass(frozen=True)
class StartupResult:
    """Seconds of the best run of each."""

    help: float
    libraries: float

    @property
    def ratio(self) -> float:
        return self.help / self.libraries

    def to_object(self) -> dict[str, float]:
        return {"help_seconds": self.help, "libraries_seconds": self.libraries, "ratio": self.ratio}


def measure(quick: bool = False) -> StartupResult:
    """Measure both, alternately."""
    times: dict[str, list[float]] = {"help": [], "libraries": []}
    for _ in range(3 if quick else 15):
        for name, command in (("help", HELP), ("libraries", LIBRARIES)):
            began = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times[name].append(time.perf_counter() - began)
    return StartupResult(min(times["help"]), min(times["libraries"]))


def table(result: StartupResult) -> str:
    """Return the result as a Markdown table."""
    return "\n".join(
        (
            "| `knightfall --help` | `import typer, rich` | ratio |",
            "|---:|---:|---:|",
            f"| {result.help * 1e3:.0f} ms | {result.libraries * 1e3:.0f} ms | {result.ratio:.2f}× |",
        )
    )
