"""Every row of the accuracy table states how many positions it was graded on, and the columns are explained below."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from knightfall.cli import main
from knightfall.compiler.errors import HeuristicWarning

INTERPRETED = """
import fractions

def slow(game, player):
    return float(fractions.Fraction(len(game.get_legal_moves(player)), 3))
"""


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    (tmp_path / "slow.py").write_text(INTERPRETED)
    return ["accuracy", f"{tmp_path / 'slow.py'}:slow", "improved", "knightfall", "--depths", "0,2", "--plies", "24-27"]


def test_each_row_states_its_own_number(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HeuristicWarning)
        assert main([*arguments, "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert main(arguments) == 0
    text = capsys.readouterr().out
    slow, improved, own = facts["heuristics"]
    assert not slow["compiled"]
    assert slow["positions"] == {"0": 200, "2": 200}
    assert slow["valued_positions"] < facts["positions"]
    assert improved["positions"]["0"] == own["positions"]["0"] == facts["critical"] > 200
    assert improved["valued_positions"] == own["valued_positions"] == facts["positions"]
    # Its evaluations are searches themselves, so that a search at depth 2 gets fewer positions.
    assert own["positions"]["2"] < improved["positions"]["2"]
    head, *rows = text.splitlines()
    assert head.split()[-5:] == ["positions", "AUC", "wrong", "valued", "ns"]
    for entry in facts["heuristics"]:
        [row] = [line for line in rows if line.startswith(f"{entry['heuristic']} ")]
        cells = row.removesuffix(" interpreted").split()
        assert cells[-5] == f"{entry['positions']['0']:,}/{entry['positions']['2']:,}"
        assert cells[-2] == f"{entry['valued_positions']:,}"


def test_the_columns_are_explained_below_the_table(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accuracy", "improved", *arguments[4:], "--worst", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for column in ("AUC", "wrong", "positions", "valued"):
        [line] = [line for line in lines if line.startswith(f"{column} ")]
        assert len(line) < 80
