"""Tournaments on a real Dask cluster: the same games as on one machine, and none lost with a worker."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from clusters import DaskCluster, dask_cluster
from commands import KNIGHTFALL, run, started
from ledgers import content, is_sound
from test_tournament_crash import wait_for_pairs

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
    found = re.search(r"to go on: (.*)", message)
    assert found is not None
    assert run(*shlex.split(found[1])[1:], "--json").returncode == 0
    assert content(path) == content(here)


def test_no_scheduler_is_told_in_one_line(tmp_path: Path) -> None:
    done = run(*ARGUMENTS, "--cluster", "tcp://127.0.0.1:9", "--db", str(tmp_path / "ledger.db"))
    assert done.returncode == 2
    [line] = done.stderr.strip().splitlines()
    assert "there is no Dask scheduler that answers" in line
    assert list(tmp_path.iterdir()) == []  # no experiment was begun
