"""Agents and solvers can be used from several threads at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from commands import environment

import knightfall as kf
from knightfall.rules import KnightfallError


@pytest.mark.parametrize("positions", [60, pytest.param(2_000, marks=pytest.mark.long)])
def test_every_kind_of_agent_in_four_threads(positions: int) -> None:
    script = Path(__file__).with_name("thread_stress.py")
    done = subprocess.run(
        [sys.executable, script, str(positions), "1"], capture_output=True, text=True, env=environment(), timeout=1800
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("threads", [-1, 0, 65, 1.5, True, "2"])
def test_an_impossible_number_of_threads_is_refused(threads: object) -> None:
    with pytest.raises(KnightfallError, match="threads must be a whole number from 1 to 64"):
        kf.solve(kf.Position.from_fen("N2/3/2n w"), threads=threads)  # type: ignore[arg-type]
