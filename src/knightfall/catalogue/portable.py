"""Send a user's heuristic to another process: as the texts read here, not as the current file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knightfall.catalogue.heuristic import Code, Heuristic, Metadata
from knightfall.compiler.source_texts import Snapshot
from knightfall.native.cache import PACKAGE


@dataclass(frozen=True)
class Portable:
    """The data to recreate a heuristic of a user's file; ``failure`` is the reason not to compile it, if any."""

    path: Path
    function: str
    changes: Mapping[str, Any]
    failure: str | None
    texts: Snapshot

    @classmethod
    def of(cls, heuristic: Heuristic) -> Portable:
        """Return the data of a heuristic from a file."""
        code = heuristic.code
        assert code.path is not None
        assert code.program is not None
        return cls(code.path, code.name, heuristic.changes, code.failure, code.program.texts.snapshot())

    def make(self) -> Heuristic:
        """Create the heuristic; its file is not read."""
        code = Code(self.function, None, self.path, Metadata(report="file"), self.texts)
        code.failure = self.failure
        return Heuristic(code, self.changes)


def is_from_file(heuristic: Heuristic) -> bool:
    """Return whether a heuristic comes from a user's file, so that another process can create it."""
    path = heuristic.code.path
    return path is not None and not path.is_relative_to(PACKAGE)
