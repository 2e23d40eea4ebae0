"""Positions and files that the command line names."""

from __future__ import annotations

from pathlib import Path

from knightfall.cli.options import DEFAULT_BOARD
from knightfall.rules import Geometry, KnightfallError, Position
from knightfall.rules.files import file_path


def read_position(fen: str | None, board: str | None) -> Position:
    """Return the position given by `--fen` or `--board`."""
    if fen is not None and board is not None:
        raise KnightfallError("--fen and --board exclude each other: a position says how large its board is")
    if fen is not None:
        return Position.from_fen(fen)
    return Position.start(Geometry.parse(DEFAULT_BOARD if board is None else board))


def read_given_position(given: str | None, fen: str | None, board: str | None) -> Position:
    """Return the position given as an argument, by `--fen` or by `--board`."""
    if given is not None and fen is not None:
        raise KnightfallError("the position is given twice, once with --fen")
    return read_position(given if fen is None else fen, board)


def read_file(path: Path) -> str:
    """Return the text of a file.

    Raise an error if it is not UTF-8.
    """
    try:
        return file_path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise KnightfallError(f"{path}: byte {error.start + 1} is not UTF-8 text") from None
