"""Tournaments that are killed, stopped, starved of disk and locked out: nothing is lost and nothing played twice."""

from __future__ import annotations

import os
import random
import re
import shlex
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from commands import KNIGHTFALL, environment, run, started
from ledgers import ask, content, is_sound

ARGUMENTS = ["tournament", "improved", "central_mobility", "--panel", "AB_Open;MM_Open", "--pairs", "80"]
ARGUMENTS += ["--nodes", "3000", "--seed", "5", "--workers", "2"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger of a run that nothing has disturbed."""
    path = tmp_path_factory.mktemp("undisturbed") / "ledger.db"
    done = run(*ARGUMENTS, "--db", str(path))
    assert done.returncode == 0, done.stderr
    return path


def pairs_done(path: Path) -> int:
    try:
        return int(ask(path, "SELECT count(*) FROM pair WHERE state = 'done'")[0][0])
    except sqlite3.OperationalError:
        return 0


def await_experiment(path: Path) -> None:
    deadline = time.monotonic() + 900
    while not path.exists() or not is_planned(path):
        assert time.monotonic() < deadline, "no experiment was begun"
        time.sleep(0.02)


def is_planned(path: Path) -> bool:
    try:
        return bool(ask(path, "SELECT id FROM experiment"))
    except sqlite3.OperationalError:
        return False


def wait_for_pairs(path: Path, count: int) -> None:
    deadline = time.monotonic() + 900
    while pairs_done(path) < count:
        assert time.monotonic() < deadline, "no pair was finished"
        time.sleep(0.02)


def children_of(process: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def await_end(processes: list[int]) -> None:
    deadline = time.monotonic() + 900
    while any(is_running(process) for process in processes):
        assert time.monotonic() < deadline, "a worker outlives its parent"
        time.sleep(0.05)


def kill_at_random_moments(path: Path, kills: int, seed: int) -> None:
    """Kill -9 of the whole process group again and again, with resumption after each; then let it end."""
    generator = random.Random(seed)
    for _ in range(kills):
        command = ["tournament", "--resume"] if path.exists() else ARGUMENTS
        with subprocess.Popen(
            [*KNIGHTFALL, *command, "--db", str(path)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment(),
            start_new_session=True,
        ) as process:
            await_experiment(path)
            time.sleep(generator.uniform(0.0, 2.5))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    done = run("tournament", "--experiment", "1", "--db", str(path))
    assert done.returncode == 0, done.stderr


def test_kill_9_at_random_moments_changes_nothing(tmp_path: Path, undisturbed: Path) -> None:
    path = tmp_path / "ledger.db"
    kill_at_random_moments(path, 3, seed=1)
    assert is_sound(path)
    assert content(path) == content(undisturbed)


@pytest.mark.long
def test_ten_kills_change_nothing(tmp_path: Path, undisturbed: Path) -> None:
    path = tmp_path / "ledger.db"
    kill_at_random_moments(path, 10, seed=2)
    assert is_sound(path)
    assert content(path) == content(undisturbed)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_signals_finish_what_was_begun_and_tell_how_to_go_on(
    tmp_path: Path, undisturbed: Path, number: signal.Signals
) -> None:
    path = tmp_path / "ledger.db"
    with started([*KNIGHTFALL, *ARGUMENTS, "--db", str(path)]) as process:
        wait_for_pairs(path, 5)
        workers = children_of(process.pid)
        process.send_signal(number)
        out, err = process.communicate(timeout=900)
    assert process.returncode == 130, err
    assert "Win Rate:" in out
    assert " of 400 pairs" in out
    assert "Traceback" not in err
    await_end(workers)
    assert ask(path, "SELECT count(*) FROM game") == [(2 * pairs_done(path),)]
    command = re.search(r"resume with: (.*)", err)
    assert command is not None
    done = run(*shlex.split(command[1])[1:])
    assert done.returncode == 0, done.stderr
    assert content(path) == content(undisturbed)


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with started([*KNIGHTFALL, *ARGUMENTS, "--db", str(path)]) as process:
        wait_for_pairs(path, 1)
        workers = children_of(process.pid)
        assert len(workers) == 2
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        await_end(workers)


@pytest.mark.long
def test_a_worker_that_is_killed_costs_nothing_but_its_batch(tmp_path: Path, undisturbed: Path) -> None:
    path = tmp_path / "ledger.db"
    with started([*KNIGHTFALL, *ARGUMENTS, "--db", str(path)]) as process:
        for count in (5, 40):
            wait_for_pairs(path, count)
            os.kill(children_of(process.pid)[0], signal.SIGKILL)
        out, err = process.communicate(timeout=900)
    assert process.returncode == 0, err
    assert "left out" not in out
    assert content(path) == content(undisturbed)


# --- the disk and the file


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of half a megabyte, where there are the rights to make one."""
    mount = tmp_path / "small"
    mount.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(mount)], capture_output=True)
    if done.returncode != 0:
        pytest.skip("no rights to mount a small file system")
    yield mount
    subprocess.run(["umount", "-l", str(mount)], check=True)


@pytest.mark.long
def test_a_full_disk_loses_nothing(small_disk: Path, tmp_path: Path, undisturbed: Path) -> None:
    path = small_disk / "ledger.db"
    done = run(*ARGUMENTS, "--db", str(path))
    assert done.returncode == 2
    [line] = done.stderr.strip().splitlines()
    assert "the disk is full" in line
    assert "resume with: knightfall tournament --experiment 1" in line
    kept = pairs_done(path)
    assert kept > 0
    assert is_sound(path)
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    again = run("tournament", "--resume", "--db", str(path))
    assert again.returncode == 0, again.stderr
    assert content(path) == content(undisturbed)


def test_a_ledger_that_may_not_grow_loses_nothing(tmp_path: Path) -> None:
    """The same without any rights: SQLite itself says that there is no more room."""
    from knightfall.arena.ledger import Ledger, LedgerError
    from knightfall.arena.prepare import prepare
    from knightfall.arena.request import Request
    from knightfall.arena.run import begin, conduct

    prepared = prepare(Request(["improved"], ["Random", "MM_Open"], pairs=40))
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        number = begin(ledger, prepared)
        [pages] = ledger._connection.execute("PRAGMA page_count").fetchone()
        ledger._connection.execute(f"PRAGMA max_page_count = {pages + 8}")
        with pytest.raises(LedgerError, match="the disk is full"):
            conduct(ledger, number, prepared, workers=0)
    assert is_sound(path)
    with Ledger(path) as ledger:
        results = conduct(ledger, number, prepared, workers=0)
    assert results.is_complete
    assert ask(path, "SELECT count(*) FROM game") == [(160,)]


def test_a_locked_ledger_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from knightfall.arena import ledger as module

    path = tmp_path / "ledger.db"
    with module.Ledger(path):
        pass
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.2)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        from knightfall.arena.prepare import prepare
        from knightfall.arena.request import Request
        from knightfall.arena.run import begin

        with (
            module.Ledger(path) as ledger,
            pytest.raises(module.LedgerError, match=r"ledger\.db: it is locked by another process"),
        ):
            begin(ledger, prepare(Request(["improved"], ["Random"], pairs=2)))
        other.execute("ROLLBACK")
    assert ask(path, "SELECT count(*) FROM experiment") == [(0,)]


@pytest.mark.long
def test_the_command_says_that_the_ledger_is_locked(tmp_path: Path, undisturbed: Path) -> None:
    path = tmp_path / "ledger.db"
    with started([*KNIGHTFALL, *ARGUMENTS, "--db", str(path)]) as process:
        wait_for_pairs(path, 3)
        with closing(sqlite3.connect(path, isolation_level=None, timeout=20)) as other:
            other.execute("BEGIN IMMEDIATE")
            _, err = process.communicate(timeout=900)
            assert process.returncode == 2
            [line] = err.strip().splitlines()[-1:]
            assert "it is locked by another process" in line
            assert "resume with: knightfall tournament --experiment 1" in line
            other.execute("ROLLBACK")
    done = run("tournament", "--resume", "--db", str(path))
    assert done.returncode == 0, done.stderr
    assert content(path) == content(undisturbed)


def test_files_that_are_no_ledger_are_refused_and_left_alone(tmp_path: Path) -> None:
    small = ["tournament", "improved", "--panel", "Random", "--pairs", "1", "--nodes", "50"]
    text = tmp_path / "text.db"
    text.write_text("Dear diary, today I was mistaken for a database. " * 100)
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
        connection.commit()
    newer = tmp_path / "newer.db"
    assert run(*small, "--db", str(newer)).returncode == 0
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 7")
    for path, words in (
        (text, "not even an SQLite database"),
        (other, "it is an SQLite database, but not a ledger"),
        (newer, r"it was written by a newer Knightfall \(format 7; this one knows 1\)"),
        (tmp_path, "Is a directory"),
        (tmp_path / "no" / "where.db", "No such file or directory"),
    ):
        before = path.read_bytes() if path.is_file() else None
        done = run(*small, "--db", str(path))
        assert done.returncode == 2
        [line] = done.stderr.strip().splitlines()
        assert re.search(words, line), line
        assert before == (path.read_bytes() if path.is_file() else None)
