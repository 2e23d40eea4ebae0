"""Helpers shared by several commands: reading positions and agents, adapting output to the terminal, writing files."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from knightfall.cli.json_output import print_json as print_json  # re-exported for the commands
from knightfall.cli.layout import Page, clipped, fit_table, wrapped
from knightfall.cli.outputs import write_bytes

if TYPE_CHECKING:
    from knightfall.agents.agent import Agent
    from knightfall.rules import Position

DEFAULT_BOARD = "7x7"

GivenPosition = Annotated[str | None, typer.Argument(metavar="FEN", help="Position, as in '7/7/3n3/7/7/2N4/7 w'.")]
FenOption = Annotated[str | None, typer.Option("--fen", metavar="FEN", help="Position to start from.")]
BoardOption = Annotated[
    str | None, typer.Option("--board", metavar="WxH", help=f"Size of an empty board (default {DEFAULT_BOARD}).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
AsciiOption = Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")]


def read_position(fen: str | None, board: str | None) -> Position:
    """Return the position given by `--fen` or `--board`."""
    from knightfall.rules import Geometry, KnightfallError, Position

    if fen is not None and board is not None:
        raise KnightfallError("--fen and --board exclude each other: a position says how large its board is")
    if fen is not None:
        return Position.from_fen(fen)
    return Position.start(Geometry.parse(DEFAULT_BOARD if board is None else board))


def read_given_position(given: str | None, fen: str | None, board: str | None) -> Position:
    """Return the position given as an argument, by `--fen` or by `--board`."""
    from knightfall.rules import KnightfallError

    if given is not None and fen is not None:
        raise KnightfallError("the position is given twice, once with --fen")
    return read_position(given if fen is None else fen, board)


class AgentFailure(Exception):
    """An agent that failed while thinking: its heuristic raised an error, or memory ran out."""


def read_agent(text: str, seed: int = 0, where: str = "") -> Agent:
    """Return the agent that a string describes.

    Errors begin with ``where``, the place of the string, such as an option.
    """
    from knightfall.agents.errors import AgentError
    from knightfall.agents.make import agent

    try:
        return agent(text, seed)
    except AgentError as error:
        raise AgentError(f"{where}: {error}" if where else str(error)) from None


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Show all warnings, each in one line, without Python's decoration."""
    with plain_warnings():
        warnings.simplefilter("always")
        yield


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Show the warnings that Python would show, each in one line."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_args, **_more: warn(str(message))
        yield


def warn(text: str) -> None:
    """Print a warning in one line."""
    print(prose(f"warning: {text}", stream=sys.stderr), file=sys.stderr)


def can_show_unicode(stream: TextIO) -> bool:
    """Return whether a stream can encode the characters of the board."""
    try:
        "♘♞░│┼·".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def wants_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal on which colours are allowed."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def prose(text: str, indent: str = "  ", stream: TextIO | None = None) -> str:
    """Return text for people: on a terminal it is wrapped between words, elsewhere it is unchanged."""
    page = Page.of(stream or sys.stdout)
    if page is None:
        return text
    return "\n".join(line for part in text.split("\n") for line in wrapped(part, page.width, indent))


def fitted(text: str, stream: TextIO) -> str:
    """Return a line that fits on a terminal; elsewhere it is unchanged."""
    page = Page.of(stream)
    return text if page is None else clipped(text, page.width)


def fitted_table(text: str) -> str:
    """Return a table that fits on the terminal; if standard output is not a terminal, it is unchanged."""
    page = Page.of(sys.stdout)
    return text if page is None else "\n".join(fit_table(page, text))


def write_file(path: Path, text: str) -> None:
    """Write a file completely or not at all."""
    write_bytes(path, text.encode())


def read_file(path: Path) -> str:
    """Return the text of a file.

    Raise an error if it is not UTF-8.
    """
    from knightfall.rules import KnightfallError
    from knightfall.rules.files import file_path

    try:
        return file_path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise KnightfallError(f"{path}: byte {error.start + 1} is not UTF-8 text") from None


def draw(
    position: Position,
    ascii: bool,
    *,
    stream: TextIO | None = None,
    last_move: int | None = None,
    dots: Iterable[int] = (),
    marks: Mapping[int, str] | None = None,
) -> str:
    """Return the board as the stream can show it.

    ``dots`` are squares to mark with a dot. ``marks`` contains up to three characters for a square.
    """
    from knightfall.rules import draw_text

    stream = stream or sys.stdout
    plain = ascii or not can_show_unicode(stream)
    all_marks = {**dict.fromkeys(dots, "." if plain else "·"), **(marks or {})}
    return draw_text(position, ascii=plain, colour=wants_colour(stream), last_move=last_move, marks=all_marks)
