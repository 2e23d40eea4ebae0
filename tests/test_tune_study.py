"""Studies: the file survives anything, complaints are one line, what is resumed is what would have been."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from clusters import dask_cluster
from commands import KNIGHTFALL, environment, started
from studies import CENTRAL, games, write_folder

from knightfall.cli import main
from knightfall.cli.run.tune import study_text
from knightfall.lab.tuning.study import read_study
from knightfall.lab.tuning.words import conclusion


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("tune"))


def arguments(folder: Path, path: Path, *more: str) -> list[str]:
    return ["tune", CENTRAL, "--truth", str(folder / "truth.txt"), "--trials", "14", "-o", str(path), *more]


@pytest.fixture(scope="module")
def finished(folder: Path) -> Path:
    path = folder / "finished.jsonl"
    assert main(arguments(folder, path)) == 0
    return path


def test_the_file_has_a_line_for_each_trial(folder: Path, finished: Path) -> None:
    head, *trials, confirmation = [json.loads(line) for line in finished.read_text().splitlines()]
    assert head["knightfall_study"] == 1
    assert {"sources", "tuning", "optuna", "numba"} <= set(head["code"])
    assert [trial["trial"] for trial in trials] == list(range(14))
    assert [trial["how"] for trial in trials] == ["start"] + 9 * ["screening"] + 4 * ["search"]
    assert confirmation["word"] in ("better", "worse", "not distinguishable")
    study = read_study(finished)
    assert study.best == max(study.trials[1:], key=lambda trial: trial.score)


def test_the_same_command_tells_a_finished_study_again(
    folder: Path, finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = finished.read_bytes()
    capsys.readouterr()
    assert main(arguments(folder, finished)) == 0
    text = capsys.readouterr().out
    assert finished.read_bytes() == before
    assert text == study_text(read_study(finished), str(finished)) + "\n"
    assert main(arguments(folder, finished, "--json")) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["conclusion"] == conclusion(read_study(finished))
    assert len(facts["trials_done"]) == 14
    assert {effect["parameter"] for effect in facts["effects"]} == {"peak", "opponent"}
    assert facts["winner"].startswith("central_mobility(")


@pytest.mark.parametrize("kept", [1, 2, 5, 11, 15])
def test_a_study_cut_off_anywhere_goes_on_as_if_nothing_had_happened(
    folder: Path, finished: Path, tmp_path: Path, kept: int
) -> None:
    lines = finished.read_bytes().splitlines(keepends=True)
    path = tmp_path / "cut.jsonl"
    path.write_bytes(b"".join(lines[:kept]) + lines[kept][: len(lines[kept]) // 2])
    assert main(arguments(folder, path)) == 0
    assert path.read_bytes().splitlines()[1:] == finished.read_bytes().splitlines()[1:]


def test_a_study_of_other_settings_is_refused(
    folder: Path, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = finished.read_bytes()
    for more, words in (
        (["--seed", "2"], "seed was 1, now 2"),
        (["--start", "peak=1"], "start peak was 6.0, now 1.0"),
        (["--stage", "24-27"], "goal stage was none, now 24-27"),
        (["--depth", "2"], "goal depth was 0, now 2"),
        (["--screening", "5"], "other settings: screening was 32, now 5; -o names"),
    ):
        assert main(arguments(folder, finished, *more)) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert "it is a study of other settings: " in error
        assert words in error
    assert finished.read_bytes() == before
    copy = tmp_path / "other.jsonl"
    copy.write_bytes(before.replace(b'"sources": "', b'"sources": "0'))
    assert main(arguments(folder, copy)) == 2
    assert "code sources was 0" in capsys.readouterr().err
    assert main(arguments(folder, copy, "--fresh")) == 0
    assert copy.read_bytes().splitlines()[1:] == before.splitlines()[1:]


def test_what_is_no_study_is_refused(
    folder: Path, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = finished.read_text().splitlines(keepends=True)
    for name, text, words in (
        ("text", "hello\n", "its first line is not that of one"),
        ("empty", "", "it is empty"),
        ("list", "[1]\n", "its first line is not that of one"),
        ("damaged", "".join([*lines[:3], "x\n", *lines[4:]]), "line 4 is damaged"),
        ("gap", "".join([*lines[:3], *lines[4:]]), "it is damaged: trials are missing"),
        ("headless", '{"knightfall_study": 1, "seed": "1"}\n', "its first line does not tell 'heuristic'"),
        ("newer", lines[0].replace('"knightfall_study": 1', '"knightfall_study": 2'), "another Knightfall"),
    ):
        (tmp_path / name).write_text(text)
        capsys.readouterr()
        assert main(arguments(folder, tmp_path / name)) == 2
        assert words in capsys.readouterr().err
        assert (tmp_path / name).read_text() == text
    assert main(arguments(folder, tmp_path / "none" / "x")) == 2
    assert "No such file or directory" in capsys.readouterr().err


# --- the command


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--goal", "fame"], "--goal: one of accuracy, tournament is expected"),
        (["--against", "Random"], "kinds of play (random, weak, strong, perfect, directed) are expected, not 'Random'"),
        (["--stage", "soon"], "--stage: one of early, middle, late or plies as in 10-20 are expected, not 'soon'"),
        (["--start", "k"], "--start: "),
        (["--depth", "20"], "--depth: for accuracy, from 0 to 12"),
        (["--pairs", "5"], "--pairs goes with --goal tournament only"),
        (["--workers", "2"], "--workers goes with --goal tournament only"),
        (["--truth", "nowhere.txt"], "nowhere.txt"),
        (["--stage", "48"], "too few critical positions"),
        (["--goal", "tournament", "--truth", "x"], "--truth goes with --goal accuracy only"),
        (["--goal", "tournament", "--nodes", "5", "--ms", "5"], "exclude each other"),
        (["--goal", "tournament", "--against", "Nobody"], "Nobody"),
        (["--goal", "tournament", "--against", "human"], "a human cannot play"),
        (["--goal", "tournament", "--cluster", "x", "--workers", "1"], "--cluster and --workers exclude each other"),
        (["--goal", "tournament", "--cluster", "nowhere"], "no address of a scheduler"),
        (["--goal", "tournament", "--board", "2x2"], "openings"),
        (["--trials", "1"], "--trials"),
    ],
)
def test_complaints_are_one_line_and_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], more: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tune", CENTRAL, *more]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert words in error
    assert list(tmp_path.iterdir()) == []


def test_without_optuna_there_is_the_screening(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)  # so that it cannot be imported
    path = tmp_path / "x.jsonl"
    assert main(arguments(folder, path)) == 2
    error = capsys.readouterr().err
    assert "needs optuna: pip install 'knightfall[tune]'; --trials 10 is the screening alone" in error
    assert not path.exists()
    assert main(arguments(folder, path, "--trials", "10")) == 0
    assert {trial.how for trial in read_study(path).trials} == {"start", "screening"}


def wait_for(path: Path, lines: int, process: subprocess.Popen[Any]) -> None:
    deadline = time.monotonic() + 900
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") >= lines:
            return
        time.sleep(0.005)
    raise AssertionError("it ended before it could be disturbed")


def test_killed_and_resumed_it_is_the_study_that_it_would_have_been(folder: Path, tmp_path: Path) -> None:
    common = ["tune", CENTRAL, "--truth", str(folder / "truth.txt"), "--trials", "90", "-o"]
    path, undisturbed = tmp_path / "killed.jsonl", tmp_path / "undisturbed.jsonl"
    for lines in (20, 50):
        with started([*KNIGHTFALL, *common, str(path)]) as process:
            wait_for(path, lines, process)
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
    assert b"confirmation" not in path.read_bytes().splitlines()[-1]
    assert main([*common, str(path)]) == 0
    assert main([*common, str(undisturbed)]) == 0
    assert path.read_bytes().splitlines()[1:] == undisturbed.read_bytes().splitlines()[1:]


def test_ctrl_c_keeps_what_was_finished_and_says_how_to_go_on(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "stopped.jsonl"
    command = ["tune", CENTRAL, "--goal", "tournament", "--against", "Random; MM_Open", "--nodes", "30"]
    command += ["--workers", "0", "--pairs", "10", "-o", str(path)]
    with started([*KNIGHTFALL, *command]) as process:
        wait_for(path, 3, process)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=900)
    assert process.returncode == 130
    assert out == ""
    first, *_, last = error.strip().splitlines()
    assert first.startswith("completed trials are saved; resume with: knightfall tune 'central_mobility(")
    assert last == "interrupted"
    assert len(read_study(path).trials) >= 2
    assert read_study(path).confirmation is None


def test_two_processes_do_not_write_to_one_study(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "both.jsonl"
    with started([*KNIGHTFALL, *arguments(folder, path, "--trials", "400")]) as process:
        wait_for(path, 3, process)
        assert main(arguments(folder, path, "--trials", "400")) == 2
        assert process.poll() is None
        assert capsys.readouterr() == ("", f"knightfall: {path}: another process is at this study\n")


@pytest.mark.long
def test_a_study_in_games_that_is_killed_goes_on(tmp_path: Path) -> None:
    common = ["tune", CENTRAL, "--goal", "tournament", "--pairs", "10", "--nodes", "200", "--workers", "2"]
    common += ["--trials", "20", "--start", "peak=0", "-o"]
    path = tmp_path / "killed.jsonl"
    with subprocess.Popen(
        [*KNIGHTFALL, *common, str(path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        start_new_session=True,
    ) as process:
        wait_for(path, 12, process)
        os.killpg(process.pid, signal.SIGKILL)
    assert main([*common, str(path)]) == 0
    assert main([*common, str(tmp_path / "undisturbed.jsonl")]) == 0
    assert path.read_bytes().splitlines()[1:] == (tmp_path / "undisturbed.jsonl").read_bytes().splitlines()[1:]
    assert read_study(path).confirmation is not None


@pytest.mark.long
def test_a_cluster_makes_the_same_study_of_a_users_file(folder: Path, tmp_path: Path) -> None:
    text = f"{folder / 'mine.py'}:weighted(weight=?)"
    games(text, "weight=-1", path=tmp_path / "here", trials=5)
    with dask_cluster(tmp_path) as cluster:
        games(text, "weight=-1", path=tmp_path / "there", trials=5, workers=None, cluster=cluster.address)
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()
