"""A reduced form of the torture suite; `make torture` makes all tries."""

from __future__ import annotations

from pathlib import Path

import pytest
from torture.suite import load, names, try_one


@pytest.mark.long
@pytest.mark.parametrize("name", names())
def test_nothing_breaks(name: str, tmp_path: Path) -> None:
    outcome = try_one(name, load(name).REDUCED, seed=1, folder=tmp_path)
    assert not outcome.broken, "\n".join(outcome.broken)
