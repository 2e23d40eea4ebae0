"""The files of ledgers: read where nothing may be written, made by many at once, taken away while they are in use."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from commands import KNIGHTFALL, environment, run, started
from ledgers import ask, content, is_sound
from tournaments import hold

from knightfall.arena.ledger import Ledger, LedgerError, LedgerMoved
from knightfall.arena.play import PairResult
from knightfall.arena.prepare import prepare
from knightfall.arena.request import Request
from knightfall.arena.run import begin, conduct

NOBODY = 65_534

SMALL = ["open", "--panel", "Random", "--pairs", "40", "--nodes", "50", "--baseline", "none", "--workers", "0"]


# --- only reading is allowed


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A folder in which nobody but root can write, with a ledger whose last games are in the log only."""
    shared = Path("/tmp") / f"knightfall-test-{os.getpid()}-{time.monotonic_ns()}"
    shared.mkdir()
    path = shared / "ledger.db"
    hold("open", panel=["Random"], pairs=3, nodes=50, baseline=None, db=path)
    with Ledger(path) as ledger:
        # While this connection is open, the second experiment is in the log.
        hold("open", panel=["Random"], pairs=5, nodes=50, baseline=None, db=path, seed=2)
        assert ledger.experiments()
        assert Path(f"{path}-wal").stat().st_size > 0
        copy = shared / "copy"
        copy.mkdir()
        shutil.copy(path, copy)
        shutil.copy(f"{path}-wal", copy)
        for folder in (copy, shared):
            for file in folder.iterdir():
                file.chmod(0o444 if file.is_file() else 0o555)
            folder.chmod(0o555)
        yield shared
    shared.chmod(0o755)
    (shared / "copy").chmod(0o755)
    shutil.rmtree(shared)


READ = """
import os, sys
os.environ["HOME"] = "/nonexistent"
from pathlib import Path
from knightfall.arena.ledger import Ledger, LedgerError
from knightfall.arena.results import Results
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
for name in sys.argv[1:]:
    try:
        with Ledger(Path(name), create=False) as ledger:
            print([Results.read(ledger, e.id).games_played for e in ledger.experiments()])
            try:
                ledger.leave(1)
            except LedgerError as error:
                print(str(error).partition(": ")[2])
    except LedgerError as error:
        print(error)
"""


def read_as_somebody(*paths: Path) -> list[str]:
    """What somebody without rights reads of ledgers: the numbers of games, and what happens when it writes."""
    command = [sys.executable, "-c", READ, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_committed_games_are_read_from_the_log(closed: Path) -> None:
    before = {path: path.read_bytes() for path in closed.rglob("*") if path.is_file()}
    expected = ["[6, 10]", "it cannot be written"]
    # Beside a running writer, with SQLite's index of the log; and a copy of ledger and log without it.
    assert read_as_somebody(closed / "ledger.db", closed / "copy" / "ledger.db") == expected * 2
    assert {path: path.read_bytes() for path in closed.rglob("*") if path.is_file()} == before


def test_a_log_that_may_not_be_read_is_told_in_one_line(closed: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("files can only be closed to others")
    (closed / "copy" / "ledger.db-wal").chmod(0)
    [line] = read_as_somebody(closed / "copy" / "ledger.db")
    assert "ledger.db-wal" in line


def test_a_file_that_may_not_be_written_in_a_folder_that_may(closed: Path) -> None:
    folder = closed / "copy"
    folder.chmod(0o777)
    assert read_as_somebody(folder / "ledger.db") == ["[6, 10]", "it cannot be written"]
    for log in folder.glob("ledger.db-*"):
        log.unlink()
    assert read_as_somebody(folder / "ledger.db")[-1] == "it cannot be written"


def test_a_finished_ledger_without_a_log_is_read(closed: Path) -> None:
    shutil.rmtree(closed / "copy")
    (closed / "copy").mkdir()
    hold("open", panel=["Random"], pairs=2, nodes=50, baseline=None, db=closed / "copy" / "ledger.db")
    (closed / "copy").chmod(0o555)
    assert read_as_somebody(closed / "copy" / "ledger.db") == ["[4]", "it cannot be written"]


# --- several at once

OPEN = """
import sys
from pathlib import Path
from knightfall.arena.ledger import Ledger
print("ready", flush=True)
for line in sys.stdin:
    with Ledger(Path(line.strip())) as ledger:
        print(len(ledger.experiments()), flush=True)
"""


def open_at_once(folder: Path, processes: int, rounds: int) -> list[str]:
    """Let processes make one ledger after the other, all at once; what they say."""
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(started([sys.executable, "-c", OPEN])) for _ in range(processes)]
        for process in running:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        found = []
        for number in range(rounds):
            for process in running:
                assert process.stdin is not None
                process.stdin.write(f"{folder / f'{number}.db'}\n")
                process.stdin.flush()
            for process in running:
                assert process.stdout is not None
                found.append(process.stdout.readline())
        for process in running:
            _, errors = process.communicate(timeout=300)
            assert errors == ""
    assert all(is_sound(path) for path in folder.glob("*.db"))
    return found


def test_many_may_make_one_ledger(tmp_path: Path) -> None:
    assert open_at_once(tmp_path, 3, 10) == ["0\n"] * 30


@pytest.mark.long
def test_very_many_may_make_one_ledger(tmp_path: Path) -> None:
    assert open_at_once(tmp_path, 10, 50) == ["0\n"] * 500


def test_a_ledger_that_is_being_played_is_read_as_of_one_moment(tmp_path: Path) -> None:
    """Pairs and games are read one after the other: what is written between must not look like damage."""
    from knightfall.arena.results import Results

    path = tmp_path / "ledger.db"
    prepared = prepare(Request(["open"], ["Random"], pairs=150, baseline=None))
    with Ledger(path) as ledger:
        number = begin(ledger, prepared)
        player = threading.Thread(target=conduct, args=(ledger, number, prepared), kwargs={"workers": 0})
        player.start()
        reads = 0
        while player.is_alive() or not reads:
            with Ledger(path, create=False) as other:
                results = Results.read(other, number)
                assert results.games_played == 2 * results.pairs_done
                reads += 1
        player.join()


# --- taken away


def replace_by_a_copy(path: Path) -> None:
    other = path.with_name("new.db")
    shutil.copy(path, other)
    other.replace(path)


def delete_with_log(path: Path) -> None:
    for file in path.parent.glob("ledger.db*"):
        file.unlink()


TAKEN: dict[str, Callable[[Path], object]] = {
    "deleted": os.unlink,
    "moved": lambda path: path.rename(path.with_name("elsewhere.db")),
    "replaced": replace_by_a_copy,
    "deleted with its log": delete_with_log,
    "deleted with its folder": lambda path: shutil.rmtree(path.parent),
}


class TakenLedger(Ledger):
    """A ledger that is taken away when the first games are in it."""

    def __init__(self, path: Path, how: str) -> None:
        super().__init__(path)
        self.how = [TAKEN[how]]

    def write(self, experiment: int, results: Iterable[PairResult]) -> None:
        super().write(experiment, results)
        if self.how:
            self.how.pop()(self.path)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("undisturbed") / "ledger.db"
    with Ledger(path) as ledger:
        prepared = prepare(Request(["open"], ["Random"], pairs=60, baseline=None))
        conduct(ledger, begin(ledger, prepared), prepared, workers=0)
    return path


@pytest.mark.parametrize("how", TAKEN)
def test_a_ledger_that_is_taken_away_is_kept_in_another_file(
    how: str, tmp_path: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    path = folder / "ledger.db"
    taken = folder / "ledger.rescued.db"
    taken.write_text("mine")
    with TakenLedger(path, how) as ledger:
        prepared = prepare(Request(["open"], ["Random"], pairs=60, baseline=None))
        number = begin(ledger, prepared)
        with pytest.raises(LedgerMoved, match="it was deleted, moved or replaced while it was in use") as raised:
            conduct(ledger, number, prepared, workers=0)
    rescued = tmp_path / "ledger.rescued.db" if "folder" in how else folder / "ledger.rescued-2.db"
    assert str(rescued) in str(raised.value)
    assert is_sound(rescued)
    assert content(rescued) == content(undisturbed)
    assert "folder" in how or taken.read_text() == "mine"
    assert run("experiments", "verify", "--db", str(rescued)).returncode == 0


def test_the_command_says_where_everything_is(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    command = [*KNIGHTFALL, "tournament", *SMALL, "--pairs", "2000", "--db", str(path)]
    with started(command) as process:
        deadline = time.monotonic() + 300
        while not is_begun(path):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        path.unlink()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    assert process.returncode == 3
    line = errors.strip().splitlines()[-1]
    rescued = tmp_path / "ledger.rescued.db"
    assert line.startswith(f"knightfall: {path}: it was deleted, moved or replaced while it was in use; everything")
    assert line.endswith(f"to see or resume it: knightfall tournament --experiment 1 --db {rescued}")
    assert "Traceback" not in errors
    assert ask(rescued, "SELECT 2 * count(*) FROM pair WHERE state = 'done'") == ask(
        rescued, "SELECT count(*) FROM game"
    )


def is_begun(path: Path) -> bool:
    try:
        return bool(ask(path, "SELECT 1 FROM pair WHERE state = 'done' LIMIT 1"))
    except sqlite3.OperationalError:
        return False


def test_what_cannot_be_rescued_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from knightfall.arena import ledger_files

    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.setattr(ledger_files, "_RESCUES", 0)
    monkeypatch.setattr(ledger_files, "_rescue_names", lambda *_: iter(()))
    with Ledger(folder / "ledger.db") as ledger:
        (folder / "ledger.db").unlink()
        with pytest.raises(LedgerError, match="its content cannot be saved elsewhere"):
            ledger.leave(1)


def test_an_empty_database_is_no_ledger_to_read_but_one_to_begin(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    with pytest.raises(LedgerError, match="it is empty, not a ledger"):
        Ledger(path, create=False)
    with Ledger(path) as ledger:
        assert ledger.experiments() == []
