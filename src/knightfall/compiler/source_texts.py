"""The texts of a function's files at the time they were read.

A tournament stores a hash of each function and may run for hours, while its workers are replaced. A process that
recreates the function uses these texts, not the files: an edited file would be a different function.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from knightfall.compiler.errors import HeuristicError, shown_path
from knightfall.native.cache import PACKAGE

_Paths = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Snapshot:
    """Texts that can be sent to another process: the text of each file, and the resolved path of each import."""

    texts: _Paths = ()
    places: _Paths = ()


class SourceTexts:
    """Reads files and remembers their texts; with a snapshot, it reads only Knightfall's own files.

    Knightfall's files have the same content everywhere (a cluster's workers are asked for their hash), but maybe
    another path.
    """

    def __init__(self, snapshot: Snapshot | None = None) -> None:
        self._is_complete = snapshot is not None
        known = snapshot or Snapshot()
        self._texts = {Path(name): text for name, text in known.texts}
        self._places: dict[Path, Path | None] = {Path(name): Path(place) for name, place in known.places}

    @property
    def is_complete(self) -> bool:
        """Whether the texts came with a snapshot, so that no user file is read from the disk."""
        return self._is_complete

    def get(self, path: Path) -> str | None:
        """Return the text of a file; None if it must be read from the disk."""
        text = self._texts.get(path)
        if text is None and self._is_complete and not path.is_relative_to(PACKAGE):
            raise HeuristicError(f"{shown_path(path)}: it is not among the files that were read for this function")
        return text

    def keep(self, path: Path, text: str) -> None:
        """Remember the text of a file."""
        self._texts[path] = text

    def find(self, file: Path) -> Path | None:
        """Return the resolved path of an imported file; None if it does not exist."""
        if self._is_complete and not file.is_relative_to(PACKAGE):
            return self._places.get(file)
        if file not in self._places:
            self._places[file] = file.resolve() if file.is_file() else None
        return self._places[file]

    def snapshot(self) -> Snapshot:
        """Return everything that another process needs besides Knightfall's own files."""
        return Snapshot(
            tuple(sorted((str(path), text) for path, text in self._texts.items() if not path.is_relative_to(PACKAGE))),
            tuple(sorted((str(file), str(place)) for file, place in self._places.items() if place is not None)),
        )
