"""A Dask cluster that does the work: the same ids, seeds and results as on one machine."""

from __future__ import annotations

import logging
import re
import socket
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from queue import Empty, SimpleQueue
from typing import Any

from knightfall.arena.executor import DEATHS, Event, Executor, ExecutorError, Job, Lost, Numbered
from knightfall.rules import KnightfallError

_CONNECT_SECONDS = 5
_QUEUE = 2  # batches per thread of the cluster
_ALONE = 60.0  # seconds without any worker after which nobody is waited for

_ADDRESS = re.compile(r"(?:tcp://|tls://)?(\[[0-9a-fA-F:]+\]|[^:/\s]+):([0-9]{1,5})")

_ready: dict[Job, Callable[[Any], Numbered]] = {}
_preparing = threading.Lock()


def do_batch(job: Job, batch: Sequence[Numbered]) -> list[Numbered]:
    """What a worker of the cluster does."""
    with _preparing:
        if job not in _ready:
            _ready[job] = job.unpacked().ready()
    return [_ready[job](task) for task in batch]


def check_address(address: str) -> None:
    """An error unless something listens there: better told before an experiment is begun."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise ExecutorError(f"{address!r} is no address of a scheduler: tcp://HOST:PORT is expected")
    try:
        socket.create_connection((found[1].strip("[]"), int(found[2])), timeout=_CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ExecutorError(f"{address}: there is no Dask scheduler that answers ({error})") from None


class Cluster(Executor):
    """The workers behind a Dask scheduler's address."""

    batch_seconds = 1.5

    def __init__(self, job: Job, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise ExecutorError("--cluster needs Dask: pip install 'knightfall[cluster]'") from None
        # Lost connections are told by us, in one line. Each of Dask's loggers has a level of its own.
        for name in [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self._address = address
        check_address(address)
        try:
            self._client: Any = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            told = " ".join(str(error).split())
            raise ExecutorError(f"{address}: there is no Dask scheduler that answers ({told:.120})") from None
        self._job = job
        self._batches: dict[str, tuple[Any, tuple[Numbered, ...]]] = {}
        self._heard: SimpleQueue[str] = SimpleQueue()
        self._finishing = False
        self._last_seen = time.monotonic()
        self.workers = max(self._threads(), 1)
        if not self._threads():
            self.close()
            raise ExecutorError(f"{address}: the cluster has no workers")

    def _threads(self) -> int:
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        return sum(int(worker["nthreads"]) for worker in workers)

    @property
    def room(self) -> int:
        return 0 if self._finishing else max(_QUEUE * self.workers - len(self._batches), 0)

    @property
    def is_busy(self) -> bool:
        return bool(self._batches)

    def submit(self, batch: Sequence[Numbered]) -> None:
        key = f"knightfall-{uuid.uuid4().hex}"
        future = self._client.submit(do_batch, self._job, list(batch), key=key, pure=False)
        self._batches[key] = (future, tuple(batch))
        future.add_done_callback(lambda done: self._heard.put(done.key))

    def wait(self, seconds: float) -> list[Event]:
        found: list[Event] = []
        try:
            key = self._heard.get(timeout=seconds)
            while True:
                found += self._taken(key)
                key = self._heard.get_nowait()
        except Empty:
            pass
        except (OSError, CancelledError):  # as Dask's own errors of connections are
            raise self._cut_off() from None
        self._look_after_workers(bool(found))
        return found

    def _cut_off(self) -> ExecutorError:
        return ExecutorError(f"{self._address}: the connection to the scheduler was lost")

    def _taken(self, key: str) -> list[Event]:
        future, batch = self._batches.pop(key, (None, ()))
        if future is None:
            return []
        if future.status == "finished":
            return list(future.result())
        if future.status == "cancelled":
            raise self._cut_off()
        error = future.exception()
        if type(error).__name__ == "KilledWorker":
            # Dask has tried several times. Which of the tasks it was shows when each is done by itself.
            return [Lost(batch, batch, "workers of the cluster died of it", DEATHS if len(batch) == 1 else 1)]
        told = str(error) if isinstance(error, KnightfallError) else f"{type(error).__name__}: {error}"
        raise ExecutorError(f"{self._address}: a worker failed: {' '.join(told.split()):.300}")

    def _look_after_workers(self, heard: bool) -> None:
        now = time.monotonic()
        if heard:
            self._last_seen = now
        elif now - self._last_seen > 1.0:  # once a second where nothing comes
            if self._client.status != "running":
                raise self._cut_off()
            threads = self._threads()
            if threads:
                self.workers = threads
                self._last_seen = now
            elif now - self._last_seen > _ALONE:
                raise ExecutorError(f"{self._address}: the cluster has no workers any more")

    def finish(self) -> None:
        self._finishing = True
        for key, (future, _) in list(self._batches.items()):
            # What no worker has begun is taken back; a batch that runs comes to its end.
            if key not in self._running():
                del self._batches[key]
                future.cancel()

    def _running(self) -> set[str]:
        return {str(key) for keys in self._client.processing().values() for key in keys}

    def close(self) -> None:
        self._client.close(timeout=2)
