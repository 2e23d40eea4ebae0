"""Tournaments that cannot be held are refused in one line."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import knightfall as kf
from knightfall.arena.prepare import prepare
from knightfall.arena.request import Request
from knightfall.cli import main


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (Request([], "gen2"), "at least one candidate"),
        (Request(["improved", "improved"], "gen2"), "named twice"),
        (Request(["improved"], ["Random", "Random"]), "named twice"),
        (Request(["human"], "gen2"), "a human cannot play in a tournament"),
        (Request(["improved"], "gen2", plies=49), "from 0 to 48 plies"),
        (Request(["improved"], "gen2", balanced=True, openings="all"), "exclude each other"),
        (Request(["improved"], [], round_robin=True), "at least two players"),
        (Request(["improved", "AB_Improved"], "gen2"), "AB_Improved is the same agent as AB_improved"),
        (Request(["open", "center"], [], round_robin=True, baseline="reach"), "does not play in this round robin"),
        (Request(["improved"], "gen2", balanced=True, board="8x8", pairs=4), "those of 8x8 are not known"),
        (Request(["improved"], "gen2", balanced=True, plies=4), "--balanced and --plies exclude each other"),
        (Request(["improved"], "gen2", openings="all", board="5x5", pairs=9_999), "has only 600 openings"),
        (Request(["improved"], "gen2", board="1x128", pairs=2), "has only 0 openings"),
    ],
)
def test_what_cannot_be_held_is_refused(wanted: Request, words: str) -> None:
    with pytest.raises(kf.KnightfallError, match=words):
        prepare(wanted)


@pytest.mark.parametrize(
    "options",
    [
        {"pairs": "10"},
        {"pairs": 0},
        {"nodes": 0},
        {"nodes": 1.5},
        {"ms": math.nan},
        {"ms": 0},
        {"depth": 0},
        {"nodes": 5, "depth": 2},
        {"seed": -1},
        {"seed": 2**70},
        {"board": (5, 5)},
        {"sprt": (0,)},
        {"sprt": "0,5"},
        {"workers": -1},
        {"openings": ["7/7/7/7/7/7/7 w"]},
        {"plies": -1},
        {"db": "/nowhere/ledger.db"},
        {"candidates": lambda game, player: 1.0},
    ],
)
def test_the_api_refuses_what_makes_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(kf.KnightfallError):
        kf.tournament(options.pop("candidates", "open"), ["Random"], **{"workers": 0, **options})


def test_bad_options_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments, words in (
        (["improved", "--nodes", "5", "--ms", "5"], "nodes and ms exclude each other"),
        (["improved", "--sprt", "five"], "two Elo differences are expected"),
        (["improved", "--sprt", "5,0"], "the first Elo of a test must be the smaller one"),
        (["improved", "--model", "normalized"], "--model goes with --sprt only"),
        (["imprved"], "heuristic or agent 'imprved' not found; did you mean improved?"),
        (["improved", "--panel", "nobody"], "panel 'nobody' not found"),
        (["improved", "--board", "7by7"], "7by7"),
        (["improved", "--openings", "nowhere.txt"], "nowhere.txt: No such file"),
        (["improved", "--json", "--csv"], "exclude each other"),
        (["improved", "--cluster", "tcp://x:1", "--workers", "2"], "exclude each other"),
        ([], "name at least one candidate"),
        (["--resume"], "there is no such ledger"),
        (["--resume", "--experiment", "1"], "exclude each other"),
        (["improved", "--cluster", "foo"], "is no address of a scheduler"),
        (["--experiment", "3"], "there is no such ledger"),
    ):
        assert main(["tournament", *arguments]) == 2, arguments
        [line] = capsys.readouterr().err.strip().splitlines()
        assert words in line, line
    assert list(tmp_path.iterdir()) == []  # and nothing was written
