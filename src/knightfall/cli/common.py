"""Helpers shared by all commands: warnings and errors, and text that fits on the terminal."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from knightfall.cli.layout import Page, clipped, fit_table, wrapped


class AgentFailure(Exception):
    """An agent that failed while thinking: its heuristic raised an error, or memory ran out."""


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
