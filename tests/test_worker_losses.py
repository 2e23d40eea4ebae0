"""Workers that die: whether the machine is to blame or a user's function, and what becomes of their pairs."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest
from commands import KNIGHTFALL, run, started
from fault_tasks import Do, Faults
from ledgers import ask

import knightfall as kf
from knightfall.agents.budget import Budget
from knightfall.arena.executors import make_executor
from knightfall.arena.ledger import Ledger
from knightfall.arena.prepare import prepare
from knightfall.arena.request import Request
from knightfall.arena.run import begin
from knightfall.arena.runner import Conductor
from knightfall.work.executor import Event, ExecutorError, Lost
from knightfall.work.process import WorkerProcess
from knightfall.work.workers import Workers


@pytest.fixture(autouse=True)
def _workers_find_this_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


def first_loss(executor: Workers, batch: list[Do]) -> tuple[list[Event], Lost]:
    """What is heard until a worker has died."""
    executor.submit(batch)
    events: list[Event] = []
    while not events or not isinstance(events[-1], Lost):
        events += executor.wait(0.1)
    loss = events.pop()
    assert isinstance(loss, Lost)
    return events, loss


CASES = [
    ("SIGKILL", True, True, "signal 9 (SIGKILL)"),
    ("self SIGKILL", True, False, "signal 9 (SIGKILL)"),
    ("SIGSEGV", True, False, "signal 11 (SIGSEGV)"),
]
MORE_CASES = [
    ("SIGTERM", True, True, "signal 15 (SIGTERM)"),
    ("SIGHUP", True, True, "signal 1 (SIGHUP)"),
    ("SIGABRT", True, False, "signal 6 (SIGABRT)"),
    ("exit", True, False, "exit code 3"),
    ("exit", False, True, "exit code 3"),
    ("SIGSEGV", False, True, "signal 11 (SIGSEGV)"),
]


@pytest.mark.parametrize("cases", [CASES, pytest.param(MORE_CASES, marks=pytest.mark.long)])
def test_only_a_crash_in_a_users_function_is_charged_to_its_task(cases: list[tuple[str, bool, bool, str]]) -> None:
    with Workers(Faults(), 1) as executor:
        for what, foreign, by_host, why in cases:
            events, loss = first_loss(executor, [Do(0, ""), Do(1, what, foreign), Do(2, "")])
            done = [event.number for event in events if not isinstance(event, Lost)]
            assert loss.suspects == (Do(1, what, foreign),)
            assert (loss.by_host, loss.why) == (by_host, why)
            assert [task.number for task in loss.tasks] == [number for number in range(3) if number not in done]
        executor.submit([Do(3, "")])  # another worker has taken its place
        events = []
        while not events:
            events = executor.wait(0.1)
        assert events == [Do(3, "")]


def test_a_worker_that_is_killed_before_its_first_task_has_no_suspects() -> None:
    worker = WorkerProcess(Faults())
    assert worker._read_place() == (-1, False)  # a fresh word is no task, not even the first
    worker.process.kill()
    worker.give([Do(0, "")])
    loss = worker.loss()
    worker.kill()
    assert loss == Lost((Do(0, ""),), (), "signal 9 (SIGKILL)", by_host=True)


def test_a_stopped_worker_is_not_taken_for_an_endless_function() -> None:
    with Workers(Faults(), 1, patience=1.0) as executor:
        executor.submit([Do(0, "")])
        while not executor.wait(0.1):
            pass
        [worker] = executor._team
        os.kill(worker.process.pid, signal.SIGSTOP)
        _, loss = first_loss(executor, [Do(1, "")])
        assert (loss.by_host, loss.why) == (True, "it was stopped from outside")
        _, loss = first_loss(executor, [Do(2, "wait")])
        assert (loss.suspects, loss.by_host) == ((Do(2, "wait"),), False)
        assert loss.why == "it did not come to an end"


def test_a_stop_does_not_wait_for_what_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knightfall.work.workers.FINISH_SECONDS", 0.5)
    with Workers(Faults(), 2) as executor:
        executor.submit([Do(0, "wait")])
        executor.submit([Do(1, "")])
        while not executor.wait(0.1):
            pass
        executor.finish()
        while executor.is_busy:
            assert executor.wait(0.1) == []


def test_a_disk_that_is_full_stops_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that a worker needs lies in a temporary folder: it need not even exist."""
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with Workers(Faults(), 1) as executor:
        executor.submit([Do(0, "")])
        events: list[Event] = []
        while not events:
            events = executor.wait(0.1)
    assert events == [Do(0, "")]


def test_a_worker_that_cannot_be_started_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(ExecutorError, match=r"^a worker cannot be started: No such file or directory$"):
        Workers(Faults(), 1)


# --- tournaments

DEADLY = """
import os


def deadly(game, player):
    if os.path.exists({flag!r}) and game.move_count == 3:
        os._exit(7)
    return float(len(game.get_legal_moves(player)))
"""


@pytest.mark.long
def test_what_was_left_out_is_played_with_retry(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    (tmp_path / "deadly.py").write_text(DEADLY.format(flag=str(flag)))
    path = tmp_path / "ledger.db"
    prepared = prepare(
        Request([f"{tmp_path}/deadly.py:deadly"], ["Random"], pairs=4, baseline=None, budget=Budget(nodes=60))
    )
    with Ledger(path) as ledger:
        number = begin(ledger, prepared)
        flag.touch()
        with make_executor(prepared, 1) as executor:
            assert Conductor(ledger, number, prepared.plan, executor).run()
        assert len(kf.Results.read(ledger, number).left_out) == 4
    flag.unlink()
    arguments = ["--db", str(path), "--workers", "1"]
    done = run("tournament", "--resume", *arguments)
    assert done.returncode == 2
    assert "experiment 1 has pairs that were left out: knightfall tournament --experiment 1 --retry" in done.stderr
    shown = run("tournament", "--experiment", "1", *arguments)
    assert shown.returncode == 3
    command = re.search(r"to play the pairs again that were left out: (.*)", shown.stderr)
    assert command is not None
    assert shlex.split(command[1])[1:] == ["tournament", "--experiment", "1", "--retry", "--db", str(path)]
    again = run("tournament", "--resume", "--retry", *arguments)
    assert again.returncode == 0, again.stderr
    assert "left out" not in again.stdout + again.stderr
    assert ask(path, "SELECT DISTINCT state, note FROM pair") == [("done", "")]
    assert ask(path, "SELECT count(*) FROM game") == [(8,)]


def test_retry_alone_is_refused() -> None:
    done = run("tournament", "improved", "--retry")
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "knightfall: --retry needs --resume or --experiment: it plays pairs again that were left out"
    )


@pytest.mark.long
def test_killing_every_worker_stops_the_tournament_and_leaves_nothing_out(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def mine(game, player):\n    return float(len(game.get_legal_moves(player)))\n")
    path = tmp_path / "ledger.db"
    play = ["tournament", f"{tmp_path}/mine.py:mine", "--panel", "AB_Open", "--pairs", "400", "--nodes", "20000"]
    with started([*KNIGHTFALL, *play, "--workers", "2", "--db", str(path)]) as process:
        from test_tournament_crash import children_of, wait_for_pairs

        wait_for_pairs(path, 1)
        while process.poll() is None:
            for child in children_of(process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            time.sleep(0.05)
        _, err = process.communicate()
    assert process.returncode == 2, err
    [line] = err.strip().splitlines()[-1:]
    assert re.search(r"(the workers do not start|died one after another and no pair was finished)", line), line
    assert "signal 9 (SIGKILL)" in line
    assert "resume with: knightfall tournament --experiment 1" in line
    assert ask(path, "SELECT count(*) FROM pair WHERE state = 'left out'") == [(0,)]
    assert ask(path, "SELECT ended FROM experiment") == [(None,)]
