"""`knightfall compare`: the verdict, its statistics, and that the same command resumes."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
from pathlib import Path

import pytest
from commands import KNIGHTFALL, run, started

from knightfall.arena import compare as arena
from knightfall.arena.compare_words import sentence, verdict_word
from knightfall.arena.statistics.anytime import anytime_elo, anytime_rate
from knightfall.arena.statistics.elo import elo_interval
from knightfall.arena.statistics.pairs import Interval, PairCounts
from knightfall.arena.statistics.sprt import Sprt, StatisticsError
from knightfall.arena.verdicts import HEAD_TO_HEAD, OVER_THE_PANEL, UNDECIDED, Verdict, sequential
from knightfall.cli import compare as command
from knightfall.cli import main
from knightfall.cli.options import DEFAULT_PANEL

OLD = "def custom_score(game, player):\n    return float(len(game.get_legal_moves(player)))\n"
NEW = OLD.replace("))\n", ") - len(game.get_legal_moves(game.get_opponent(player))))\n")
TEST = Sprt(0, 20, 0.025, 0.05, two_sided=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(NEW)
    monkeypatch.chdir(tmp_path)
    return tmp_path


SMALL = ["--panel", "Random;greedy(open)", "--pairs", "3", "--most", "12", "--nodes", "40", "--workers", "0"]


def rows(db: Path, question: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(db) as connection:
        return connection.execute(question).fetchall()


def test_two_files_with_one_function_name_are_told_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "old.py", "new.py", *SMALL]) == 0
    text = capsys.readouterr().out
    assert text.startswith("head to head: new.py against old.py\n")
    assert "opponent       old.py   new.py  difference, 95% interval\n" in text
    assert "experiments 1 and 2 in knightfall.db, seed 1\n" in text
    assert rows(folder / "knightfall.db", "SELECT DISTINCT candidate FROM pair ORDER BY 1") == [
        ("AB_new.py",),
        ("AB_old.py",),
    ]
    # The same command reads what is there, and says the same.
    games = rows(folder / "knightfall.db", "SELECT count(*) FROM game")
    assert main(["compare", "old.py", "new.py", *SMALL, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["sentence"] in text
    assert facts["head_to_head"]["pairs"] == 12
    assert [entry["opponent"] for entry in facts["panel"]["opponents"]] == ["Random", "greedy(open)"]
    assert rows(folder / "knightfall.db", "SELECT count(*) FROM game") == games
    # A file that was edited is another one.
    (folder / "new.py").write_text(NEW.replace(" - ", " - 2 * "))
    assert main(["compare", "old.py", "new.py", *SMALL, "--panel", "none"]) == 0
    assert "experiment 3 in knightfall.db" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["old.py", "./old.py"], "old.py and ./old.py are the same agent"),
        (["imprved", "new.py"], "heuristic or agent 'imprved' not found; did you mean improved?"),
        (["open", "open(x=1)"], "'open(x=1)': character 1: open has no parameter 'x'"),
        (["old.py", "missing.py"], "missing.py: No such file or directory"),
        (["old.py", "new.py", "--panel", ""], "--panel: opponents are expected"),
        (["old.py", "new.py", "--panel", "gn2"], "panel 'gn2' not found; did you mean gen2?"),
        (["old.py", "new.py", "--db", "."], ".: Is a directory"),
        (["old.py", "new.py", "--nodes", "3", "--ms", "3"], "nodes and ms exclude each other"),
        (["old.py", "new.py", "--elo", "0.5"], "a number from 1 to 400 is expected"),
        (["old.py"], "Missing argument 'NEW'"),
        (["human", "open"], "a human cannot play in a tournament"),
    ],
)
def test_what_cannot_be_compared_is_refused_and_leaves_no_trace(
    folder: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *arguments]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert message in line
    assert not (folder / "knightfall.db").exists()


def test_a_function_that_fails_loses_games_and_the_exit_code_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = NEW.replace("    return", "    if game.move_count > 9:\n        raise ValueError('late')\n    return")
    (folder / "bad.py").write_text(bad)
    assert main(["compare", "old.py", "bad.py", *SMALL, "--panel", "none"]) == 3
    assert "faults: AB_bad.py lost" in capsys.readouterr().out


def test_ctrl_c_keeps_what_was_played_and_the_same_command_resumes(folder: Path) -> None:
    arguments = ["compare", "open", "improved", "--panel", "none", "--nodes", "3000", "--most", "400", "--elo", "2"]
    db = folder / "knightfall.db"
    with started([*KNIGHTFALL, *arguments, "--workers", "1"]) as process:
        while not (db.exists() and _done(db)):
            assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=900)
    assert (process.returncode, out) == (130, "")
    assert f"resume with: knightfall {' '.join(arguments)}" in error
    kept = _done(db)
    assert 0 < kept < 400
    more = run(*arguments, "--json")
    assert more.returncode == 0, more.stderr
    assert json.loads(more.stdout)["head_to_head"]["experiment"] == 1
    assert _done(db) == 400


def _done(db: Path) -> int:
    try:
        [(count,)] = rows(db, "SELECT count(*) FROM pair WHERE state = 'done'")
    except sqlite3.OperationalError:  # it is just being made
        return 0
    return int(str(count))


# --- statistics


def test_the_defaults_of_the_command_are_those_of_the_arena() -> None:
    assert (command.DEFAULT_PAIRS, command.DEFAULT_MOST) == (arena.PAIRS, arena.MOST_PAIRS)
    assert (command.DEFAULT_ELO, DEFAULT_PANEL) == (arena.ELO, arena.PANEL)


def test_a_two_sided_test_says_better_worse_or_neither() -> None:
    assert TEST.decision((10, 100, 150)) == "elo1"
    assert TEST.decision((150, 100, 10)) == "-elo1"
    assert TEST.decision((200, 1200, 200)) == "elo0"
    assert TEST.decision((5, 30, 6)) is None
    words = [sequential("b", "a", PairCounts(*bins), TEST).word for bins in ((10, 100, 150), (150, 100, 10))]
    assert words == ["better", "worse"]
    even = sequential("b", "a", PairCounts(200, 1200, 200), TEST)
    assert even.sentence.startswith(
        "b is within 20 Elo of a head to head: 50.0% of games won; an Elo difference of 0 is"
    )
    with pytest.raises(StatisticsError, match="begins at an Elo difference of 0"):
        Sprt(-5, 5, two_sided=True)


@pytest.mark.parametrize(("rate", "split"), [(0.5, 0.5), (0.56, 0.5), (0.6, 0.2), (0.54, 0.8)])
def test_the_interval_holds_the_truth_although_the_match_stops_when_it_is_decided(rate: float, split: float) -> None:
    generator = random.Random(f"{rate} {split}")
    won = (1 - split + 2 * rate - 1) / 2
    held = 0
    for _ in range(40):
        bins = [0, 0, 0]
        for pair in range(1, 1001):
            draw = generator.random()
            bins[2 if draw < won else 1 if draw < won + split else 0] += 1
            if pair % 20 == 0 and TEST.decision(bins) is not None:
                break
        interval = anytime_rate(PairCounts(*bins))
        held += interval.low <= rate <= interval.high
    assert held >= 36  # 40 · 0.95 = 38; fewer than 36 would be rarer than one in twenty


def test_the_interval_is_wider_than_that_of_a_fixed_sample_and_narrows() -> None:
    widths = []
    for pairs in (12, 120, 1200):
        counts = PairCounts(pairs // 4, pairs // 2, pairs // 4)
        anytime, fixed = anytime_elo(counts), elo_interval(counts)
        assert anytime.low < fixed.low < 0 < fixed.high < anytime.high
        widths.append(anytime.high - anytime.low)
    assert widths == sorted(widths, reverse=True)
    assert anytime_rate(PairCounts()) == Interval(0.5, 0.0, 1.0)


ELO, POINTS = "+34 Elo [+12, +55]", "+2.0 points [+1.0, +3.0]"


def _head(word: str) -> Verdict:
    return Verdict("n", "o", HEAD_TO_HEAD, word, None, (0.5, 0.5), 1)


def _panel(word: str) -> Verdict:
    return Verdict("n", "o", OVER_THE_PANEL, word, Interval(0.02, 0.01, 0.03), (0.7, 0.68), 700)


@pytest.mark.parametrize(
    ("head", "panel", "word", "said"),
    [
        (
            "better",
            "better",
            "better",
            "new is better than old: +34 Elo [+12, +55] head to head after 1 pair; over gen2 as",
        ),
        ("better", UNDECIDED, "better", f"after 1 pair; over gen2 no difference is shown: {POINTS}"),
        (
            "worse",
            "better",
            "mixed",
            f"new is worse than old: {ELO} head to head after 1 pair; but over gen2 it is better",
        ),
        (
            UNDECIDED,
            "worse",
            "worse",
            f"new is worse than old over gen2: {POINTS}; no difference is shown",
        ),
        ("within 20 Elo", UNDECIDED, "no difference", "no difference shown between new and old after 1 pair: +34 Elo"),
        (
            UNDECIDED,
            None,
            "no difference",
            f"no difference shown between new and old after 1 pair: {ELO} head",
        ),
        ("better", None, "better", f"new is better than old: {ELO} head to head after 1 pair"),
    ],
)
def test_one_sentence_for_both_parts(head: str, panel: str | None, word: str, said: str) -> None:
    other = None if panel is None else _panel(panel)
    assert verdict_word(_head(head), other) == word
    assert said in sentence("old", "new", _head(head), Interval(34.2, 11.6, 55.1), other, "gen2")
