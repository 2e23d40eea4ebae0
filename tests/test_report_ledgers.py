"""Reports of whatever may stand in a ledger: odd names, faults, sequential tests, what is not finished."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ledgers import CRASH, rename
from report_pages import Tables, change, copy, page_of

from knightfall.arena.ledger import Ledger
from knightfall.arena.results import Results
from knightfall.arena.tournament import tournament
from knightfall.cli import main
from knightfall.reporting.output.markdown import escape

EVIL = '<img src=x onerror="alert(1)">&$_|*\'</script>'


def test_names_are_escaped(db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = copy(db, tmp_path)
    rename(path, "AB_central_mobility", EVIL)
    page = page_of(path, tmp_path)
    assert "<img" not in page
    assert page.count("</script>") == 1
    assert EVIL in Tables(page).text
    capsys.readouterr()
    assert main(["report", "--db", str(path), "--markdown"]) == 0
    text = capsys.readouterr().out
    assert "<img" not in text
    assert escape(EVIL) in text


def test_a_sequential_test_has_no_intervals(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    found = tournament("central_mobility", ["AB_null"], pairs=60, nodes=40, sprt=(0, 100), db=path, workers=0)
    page = page_of(path, tmp_path)
    tables, text = Tables(page).found, Tables(page).text
    assert found.verdicts[0].sentence in text
    assert "95% interval" not in text
    assert tables["Standings"][0] == ["candidate", "games won", "won", "lost", "LL / WL / WW", "losing records"]
    for name in ("Standings", "Verdicts", "Games won by the attacker", "Pairs by match"):
        for row in tables[name]:
            assert not re.search(r"\[[-+\d.]+, [-+\d.]+\]", " ".join(row))
    assert "Elo of all players together" not in tables


def test_faults_and_pairs_left_out_are_told(db: Path, tmp_path: Path) -> None:
    path = copy(db, tmp_path)
    change(
        path,
        f"UPDATE game SET {CRASH}, message = 'it fell <over>' WHERE pair = 2 AND game = 2",
        "DELETE FROM game WHERE pair = 5",
        "UPDATE pair SET state = 'left out', score = NULL, note = 'it killed three workers' WHERE number = 5",
    )
    with Ledger(path) as ledger:
        results = Results.read(ledger, 1)
    ((name, reason),) = results.faults
    page = page_of(path, tmp_path)
    tables, text = Tables(page).found, Tables(page).text
    assert tables["Games lost by a fault"][1] == [name, reason, "1", "it fell <over>", "1"]
    assert tables["Pairs left out"][1][0] == "1/5"
    assert tables["Pairs left out"][1][-1] == "it killed three workers"
    assert "1 game ended by a fault, which counts as lost" in text
    assert "1 by crash" in text


def test_an_unfinished_experiment_says_so(db: Path, tmp_path: Path) -> None:
    path = copy(db, tmp_path)
    change(
        path,
        "UPDATE experiment SET ended = NULL",
        "DELETE FROM game WHERE pair >= 40",
        "UPDATE pair SET state = 'planned', score = NULL WHERE number >= 40",
    )
    text = Tables(page_of(path, tmp_path)).text
    assert "Experiment 1 is not finished: 40 of 88 pairs are played." in text
    assert "each look is another chance to be wrong" in text
    change(path, "DELETE FROM game", "UPDATE pair SET state = 'planned', score = NULL")
    assert main(["report", "--db", str(path), "-o", str(tmp_path / "none.html")]) == 2
    assert not (tmp_path / "none.html").exists()


def test_openings_without_knights_and_large_boards(tmp_path: Path) -> None:
    path = tmp_path / "y.db"
    options: dict[str, Any] = {"nodes": 30, "baseline": None, "workers": 0, "db": path}
    tournament(["open", "null"], ["Random"], pairs=1, plies=0, board="5x5", **options)
    tournament("open", ["Random"], pairs=3, board="11x9", **options)
    tournament(["open", "null", "improved"], [], pairs=4, round_robin=True, **options)
    text = Tables(page_of(path, tmp_path, "--experiment", "1", "--experiment", "2", "--experiment", "3")).text
    assert "Experiments 1, 2 and 3" in text
    assert "AB_open was measured alone: there is nothing to choose from." in text
    assert "of 99 squares were used" in text
