"""The names of `kf.` that do the work of whole commands: accuracy, tune, replicate, report."""

from __future__ import annotations

from pathlib import Path

import pytest

import knightfall as kf
from knightfall.rules import KnightfallError


def test_accuracy_grades_a_heuristic_or_its_name() -> None:
    by_name = kf.accuracy("open", depths=[0], board="8x8")
    again = kf.accuracy(kf.heuristics["open"], depths=[0], board="8x8")
    assert (by_name.kept, by_name.auc) == (again.kept, again.auc)
    with pytest.raises(KnightfallError, match="no truth set of 5x5"):
        kf.accuracy("open", board="5x5")


def test_a_replication_is_played_once(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    first = kf.replicate("D", pairs=4, nodes=30, workers=0, db=db)
    again = kf.replicate("D", pairs=4, nodes=30, workers=0, db=db)
    assert isinstance(first, kf.Replication)
    assert first.to_dict() == again.to_dict()
    with pytest.raises(KnightfallError, match="paper 'X' not found; available: A, B, C, D, E"):
        kf.replicate("X")


def test_a_report_is_written_as_a_page_or_as_markdown(db: Path, tmp_path: Path) -> None:
    page = kf.report(db, tmp_path / "x.html")
    assert page.read_text(encoding="utf-8").lstrip().startswith("<!doctype html>")
    assert kf.report(db, tmp_path / "x.md", experiments=[1]).read_text(encoding="utf-8").startswith("# ")
    with pytest.raises(KnightfallError, match="name a ledger or studies"):
        kf.report(output=tmp_path / "y.html")
    with pytest.raises(KnightfallError):
        kf.report(tmp_path / "none.db")


def test_a_study_is_tuned_and_reported(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    study = kf.tune("reach(k=?)", stage="late", path=file)
    assert isinstance(study, kf.Study)
    assert study.winner is not None
    assert "reach" in kf.report(studies=[file], output=tmp_path / "x.md").read_text(encoding="utf-8")
