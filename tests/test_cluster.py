"""Tournaments on a real Dask cluster: the same games as on one machine, and none lost with a worker."""

from __future__ import annotations

import json
import re
import shlex
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clusters import DaskCluster, dask_cluster
from commands import KNIGHTFALL, run, started
from fault_tasks import Do, Faults
from ledgers import ask, content, is_sound
from test_tournament_crash import wait_for_pairs

from knightfall.lab.truth.building import build_truth
from knightfall.lab.truth.sets import TruthJob
from knightfall.work.cluster import Cluster
from knightfall.work.executor import Event, Lost

ARGUMENTS = ["tournament", "improved", "central_mobility", "--panel", "gen2", "--pairs", "60", "--nodes", "1000"]
ARGUMENTS += ["--seed", "1", "--json"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger of the same tournament on this machine."""
    path = tmp_path_factory.mktemp("here") / "ledger.db"
    assert run(*ARGUMENTS, "--workers", "2", "--db", str(path)).returncode == 0
    return path


def test_a_cluster_plays_the_same_games(cluster: DaskCluster, here: Path, tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    done = run(*ARGUMENTS, "--cluster", cluster.address, "--db", str(path))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["complete"]
    assert content(path) == content(here)


def test_a_cluster_builds_the_same_truth_set(cluster: DaskCluster, tmp_path: Path) -> None:
    job = TruthJob("5x5", 12)
    build_truth(tmp_path / "here.txt", job, 300, 3, workers=0)
    build_truth(tmp_path / "there.txt", job, 300, 3, cluster=cluster.address)
    assert (tmp_path / "there.txt").read_bytes() == (tmp_path / "here.txt").read_bytes()


@pytest.mark.long
def test_a_users_file_travels_to_the_cluster(cluster: DaskCluster, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from helper import twice\n\n\ndef cautious(game, player):\n"
        "    return twice(len(game.get_legal_moves(player))) - len(game.get_legal_moves(game.get_opponent(player)))\n"
    )
    (tmp_path / "helper.py").write_text("def twice(x):\n    return 2.0 * x\n")
    arguments = ["tournament", "mine.py:cautious", "--panel", "MM_Open", "--pairs", "10", "--nodes", "300", "--json"]
    there = run(*arguments, "--cluster", cluster.address, "--db", "there.db", cwd=tmp_path)
    alone = run(*arguments, "--workers", "1", "--db", "alone.db", cwd=tmp_path)
    assert there.returncode == alone.returncode == 0, there.stderr + alone.stderr
    assert json.loads(there.stdout)["moves_hash"] == json.loads(alone.stdout)["moves_hash"]
    assert not list((cluster.folder / "tmp").glob("knightfall*"))  # nothing of it is ever written there


@pytest.mark.long
def test_a_worker_of_the_cluster_that_is_killed_costs_nothing(here: Path, tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with dask_cluster(tmp_path) as cluster:
        command = [*KNIGHTFALL, *ARGUMENTS, "--cluster", cluster.address, "--db", str(path)]
        with started(command) as process:
            wait_for_pairs(path, 1)
            cluster.kill_worker(0)
            _, err = process.communicate(timeout=900)
    assert process.returncode == 0, err
    assert is_sound(path)
    assert content(path) == content(here)


@pytest.mark.long
def test_a_scheduler_that_dies_loses_nothing(here: Path, tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with dask_cluster(tmp_path) as cluster:
        command = [*KNIGHTFALL, *ARGUMENTS, "--cluster", cluster.address, "--db", str(path)]
        with started(command) as process:
            wait_for_pairs(path, 1)
            cluster.scheduler.kill()
            _, err = process.communicate(timeout=900)
    assert process.returncode == 2
    assert "Traceback" not in err
    [line] = err.strip().splitlines()[-1:]
    message = json.loads(line)["error"]
    assert "the connection to the scheduler was lost" in message
    found = re.search(r"resume with: (.*)", message)
    assert found is not None
    assert run(*shlex.split(found[1])[1:], "--json").returncode == 0
    assert content(path) == content(here)


def events_of(executor: Cluster, *batches: list[Do]) -> list[Event]:
    """Everything that is heard of some batches."""
    for batch in batches:
        executor.submit(batch)
    events: list[Event] = []
    while executor.is_busy:
        events += executor.wait(0.1)
    return events


def await_nothing_is_done(cluster: DaskCluster) -> None:
    deadline = time.monotonic() + 300
    while any(map(cluster.playing, range(2))):
        assert time.monotonic() < deadline, "a process outlives its batch"
        time.sleep(0.05)


def test_what_hangs_or_crashes_on_a_cluster_ends_a_process_and_no_worker(cluster: DaskCluster) -> None:
    with Cluster(Faults(), cluster.address, patience=1.0) as executor:
        for what, by_host, why in (
            ("wait", False, "it did not come to an end"),
            ("exit", False, "exit code 3"),
            ("SIGKILL", True, "signal 9 (SIGKILL)"),
        ):
            found = events_of(executor, [Do(0, ""), Do(1, what), Do(2, "")])
            losses = [event for event in found if isinstance(event, Lost)]
            assert [(loss.suspects, loss.by_host, loss.why) for loss in losses] == [((Do(1, what),), by_host, why)]
            assert Do(0, "") in found or Do(0, "") in losses[0].tasks
        assert events_of(executor, [Do(4, "")]) == [Do(4, "")]
    assert [worker.poll() for worker in cluster.workers] == [None, None]


@pytest.mark.long
def test_a_stop_does_not_wait_for_an_endless_task_on_a_cluster(
    cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knightfall.work.cluster.FINISH_SECONDS", 0.5)
    with Cluster(Faults(), cluster.address) as executor:
        for number in range(6):
            executor.submit([Do(number, "wait")])
        deadline = time.monotonic() + 300
        while not all(map(cluster.playing, range(2))):
            assert time.monotonic() < deadline, "nothing was begun"
            executor.wait(0.1)
        executor.finish()
        while executor.is_busy:
            assert executor.wait(0.1) == []
        await_nothing_is_done(cluster)


@pytest.mark.long
def test_ctrl_c_ends_a_tournament_with_an_endless_function_on_a_cluster(cluster: DaskCluster, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    (tmp_path / "mine.py").write_text(
        "import os\nimport time\n\n\ndef mine(game, player):\n"
        f"    while game.move_count > 20 and os.path.exists({str(flag)!r}):\n        time.sleep(1000)\n"
        "    return float(len(game.get_legal_moves(player)))\n"
    )
    path = tmp_path / "ledger.db"
    play = ["tournament", f"{tmp_path}/mine.py:mine", "--panel", "Random", "--pairs", "500", "--nodes", "100"]
    with started([*KNIGHTFALL, *play, "--cluster", cluster.address, "--db", str(path)]) as process:
        wait_for_pairs(path, 1)
        flag.touch()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "resume with: knightfall tournament --experiment 1" in err
    assert ask(path, "SELECT count(*) FROM pair WHERE state = 'left out'") == [(0,)]
    await_nothing_is_done(cluster)


def test_no_scheduler_is_told_in_one_line(tmp_path: Path) -> None:
    done = run(*ARGUMENTS, "--cluster", "tcp://127.0.0.1:9", "--db", str(tmp_path / "ledger.db"))
    assert done.returncode == 2
    [line] = done.stderr.strip().splitlines()
    assert "there is no Dask scheduler that answers" in line
    assert list(tmp_path.iterdir()) == []  # no experiment was begun
