"""Consent to run files that a data file names: a question at a terminal, elsewhere the option --run-files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from knightfall.catalogue.consent import NamedFile, asking
from knightfall.cli.common import prose
from knightfall.cli.live import SCREEN


@contextmanager
def consent(run_files: bool) -> Iterator[None]:
    """Ask about files that data files name while the block runs. With ``run_files`` the answer is always yes."""
    with asking((lambda _: True) if run_files else _ask if _is_conversation() else None):
        yield


def _is_conversation() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


_answers: dict[tuple[str, str], bool] = {}


def _ask(file: NamedFile) -> bool:
    """Ask once for each function; only "yes" or "y" means yes."""
    key = (str(file.path), file.function)
    if key not in _answers:
        with SCREEN:  # pauses the live display
            question = f"{file.origin} names {file.function} in {file.path}. It would run with your rights."
            print(prose(question, stream=sys.stderr), file=sys.stderr)
            print("Run it? [y/N] ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            if not line.endswith("\n"):
                print(file=sys.stderr)
        _answers[key] = line.strip().lower() in ("y", "yes")
    return _answers[key]
