"""Names that no file can have: one clear error wherever a file is named."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import knightfall as kf
from knightfall.cli import main
from knightfall.lab.tuning.tune import tune

BAD = "a\0b"

CALLS: dict[str, Callable[[], object]] = {
    "ledger": lambda: kf.tournament("open", ["Random"], pairs=1, nodes=5, db=BAD, workers=0),
    "openings": lambda: kf.tournament("open", ["Random"], pairs=1, nodes=5, openings=BAD, workers=0),
    "panel": lambda: kf.tournament("open", BAD, pairs=1, nodes=5, workers=0),
    "candidate": lambda: kf.tournament(f"{BAD}.py:f", ["Random"], pairs=1, nodes=5, workers=0),
    "agent": lambda: kf.agent(f"alphabeta({BAD}.py:f, nodes=5)"),
    "game": lambda: kf.play(f"AB_{BAD}.py", "random"),
    "study": lambda: tune("reach(k=?)", stage="late", path=BAD),
    "truth": lambda: tune("reach(k=?)", truth=BAD),
}


@pytest.mark.parametrize("place", CALLS)
def test_a_null_character_in_python(place: str) -> None:
    """It is refused as any other bad name."""
    with pytest.raises(kf.KnightfallError):
        CALLS[place]()


@pytest.mark.parametrize("command", [["tournament", "open", "--openings"], ["review"], ["play", "--load"]])
def test_a_null_character_in_a_command(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and exit code 2."""
    assert main([*command, BAD]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
