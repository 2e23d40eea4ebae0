"""What is told of a tournament: tables, formats, verdicts on little."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import run
from tournaments import hold

from knightfall.arena.statistics.pairs import PairCounts
from knightfall.arena.statistics.sprt import Sprt
from knightfall.arena.verdicts import sequential
from knightfall.cli import main


def test_a_sequential_test_says_no_more_than_it_shows() -> None:
    for elos, counts, words in (
        ((0, 50), PairCounts(0, 10, 60), "is better than"),
        ((-50, 50), PairCounts(0, 10, 60), "is not worse by 50 Elo than"),
        ((-50, 50), PairCounts(60, 10, 0), "is not better by 50 Elo than"),
        ((-50, 0), PairCounts(60, 10, 0), "is worse than"),
        ((400, 900), PairCounts(0, 20, 80), "is not better by 900 Elo than"),
        ((0, 5), PairCounts(1, 1, 1), "is not distinguishable from"),
    ):
        assert words in sequential("x", "y", counts, Sprt(*elos)).sentence


def test_what_a_heuristic_prints_does_not_spoil_the_output(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("def loud(game, player):\n    print('hello')\n    return 1.0\n")
    arguments = ["loud.py", "--panel", "Random", "--pairs", "1", "--nodes", "20", "--workers", "0", "--json"]
    done = run("tournament", *arguments, cwd=tmp_path)
    assert json.loads(done.stdout)["complete"], done.stderr


def test_the_table_of_the_second_generation() -> None:
    results = hold("central_mobility", panel=["Random", "MM_Open"], pairs=5)
    lines = results.table.splitlines()
    assert lines[0].split() == ["Match", "#", "Opponent", "AB_improved", "AB_central_mobility"]
    assert lines[1].split() == ["Won", "|", "Lost", "Won", "|", "Lost"]
    for number, (line, opponent) in enumerate(zip(lines[2:4], ("Random", "MM_Open"), strict=True), start=1):
        cells = re.findall(r"(\d+) \| (\d+)", line)
        assert line.split()[:2] == [str(number), opponent]
        for (won, lost), candidate in zip(cells, results.plan.candidates, strict=True):
            played = [game for game in results.games if set(game.players) == {candidate, opponent}]
            wins = sum(g.outcome is not None and g.players[(g.outcome.winner or 0) - 1] == candidate for g in played)
            assert (int(won), int(lost)) == (wins, 10 - wins)
    assert lines[-1].split()[:2] == ["Win", "Rate:"]


def test_every_format_tells_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--db", str(tmp_path / "ledger.db")]

    def told(*more: str) -> str:
        assert main(["tournament", *more, *arguments]) == 0
        return capsys.readouterr().out

    text = told("open", "--panel", "gen1", "--pairs", "2", "--nodes", "50", "--workers", "0")
    facts = json.loads(told("--experiment", "1", "--json"))
    rows = [line.split(",") for line in told("--experiment", "1", "--csv").splitlines()][1:]
    markdown = told("--experiment", "1", "--markdown")
    assert [(m["candidate"], m["opponent"], m["won"]) for m in facts["matches"]] == [
        (row[0], row[1], int(row[3])) for row in rows
    ]
    for verdict in facts["verdicts"]:
        assert verdict["sentence"] in text
        assert verdict["sentence"] in markdown
    assert re.search(r"Match 1: ID_open vs Random +Result: \d to \d", text)


def test_small_and_one_sided_samples_tell_nothing_absurd() -> None:
    results = hold("improved", panel=["Random"], pairs=1, baseline=None)
    told = json.dumps(results.to_dict(), allow_nan=False)
    assert "Infinity" not in told
    for interval in results.ratings.agents.values():
        assert interval.high - interval.low > 300
