"""A real Dask cluster: one scheduler and several worker processes on this machine."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class DaskCluster:
    """The address and the processes of a cluster."""

    address: str
    scheduler: subprocess.Popen[bytes]
    folder: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker process with one thread, without a nanny that would restart it."""
        command = ["worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        worker = _start([*command, "--local-directory", str(self.folder)], self.folder / f"{len(self.workers)}.log")
        self.workers.append(worker)
        return worker

    def playing(self, index: int) -> list[int]:
        """Return the processes that run tasks beside a worker; any of its threads may have started them."""
        found: list[int] = []
        for children in Path(f"/proc/{self.workers[index].pid}/task").glob("*/children"):
            with contextlib.suppress(OSError):  # the thread has just ended
                found += map(int, children.read_text().split())
        return found

    def signal_worker(self, index: int, number: signal.Signals) -> None:
        """Send a signal to a worker."""
        self.workers[index].send_signal(number)

    def kill_worker(self, index: int) -> None:
        """Kill a worker, as a power failure would."""
        self.workers[index].send_signal(signal.SIGKILL)
        self.workers[index].wait()


def _start(arguments: list[str], log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
    temporary = log.parent / "tmp"  # the tests check the files that its processes leave there
    temporary.mkdir(exist_ok=True)
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, "PYTHONWARNINGS": "ignore", "PYTHONPATH": paths, "TMPDIR": str(temporary)}
    with log.open("wb") as out:
        return subprocess.Popen(command, stdout=out, stderr=out, env=env)


@contextlib.contextmanager
def dask_cluster(folder: Path, workers: int = 2) -> Iterator[DaskCluster]:
    """Yield a cluster, and end all its processes afterwards."""
    log = folder / "scheduler.log"
    scheduler = _start(["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"], log)
    made = DaskCluster("", scheduler, folder)
    try:
        made.address = _address(log, scheduler)
        for _ in range(workers):
            made.add_worker()
        _await_workers(made, workers)
        yield made
    finally:
        for process in (*made.workers, scheduler):
            process.kill()
            process.wait()


def _address(log: Path, scheduler: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + 900
    while time.monotonic() < deadline and scheduler.poll() is None:
        found = re.search(r"Scheduler at:\s+(tcp://\S+)", log.read_text(errors="replace"))
        if found:
            return found[1]
        time.sleep(0.1)
    raise AssertionError(f"no scheduler: {log.read_text(errors='replace')[-2000:]}")


def _await_workers(made: DaskCluster, count: int) -> None:
    deadline = time.monotonic() + 900
    while time.monotonic() < deadline:
        registered = made.folder.joinpath("scheduler.log").read_text(errors="replace").count("Starting worker compute")
        if registered >= count:
            return
        time.sleep(0.1)
    raise AssertionError("the workers did not come")
