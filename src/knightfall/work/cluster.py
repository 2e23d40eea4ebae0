"""Executor for a Dask cluster: the same ids, seeds and results as on one machine."""

from __future__ import annotations

import logging
import re
import socket
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import CancelledError
from queue import Empty, SimpleQueue
from typing import Any

from knightfall.rules import KnightfallError
from knightfall.work.contained import do_batch
from knightfall.work.executor import FINISH_SECONDS, Event, Executor, ExecutorError, Job, Lost, Numbered

_CONNECT_SECONDS = 5
_ANSWER_SECONDS = 5  # limit for an answer of the scheduler; all other events wait meanwhile
_LOOK_SECONDS = 2.0  # seconds between two checks of the cluster's workers
_QUEUE = 2  # batches per thread of the cluster
_ALONE = 60.0  # seconds without any worker until the executor gives up
_SILENT = 30.0  # seconds without a heartbeat until a worker's batches are reassigned

_ADDRESS = re.compile(r"(?:tcp://|tls://)?(\[[0-9a-fA-F:]+\]|[^:/\s]+):([0-9]{1,5})")


def check_address(address: str) -> None:
    """Raise ExecutorError unless the address accepts connections, before an experiment starts."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise ExecutorError(f"{address!r} is no address of a scheduler: tcp://HOST:PORT is expected")
    try:
        socket.create_connection((found[1].strip("[]"), int(found[2])), timeout=_CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ExecutorError(f"{address}: there is no Dask scheduler that answers ({error})") from None


class Cluster(Executor):
    """The workers of a Dask scheduler."""

    batch_seconds = 1.5

    def __init__(self, job: Job, address: str, patience: float | None = None) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise ExecutorError("--cluster needs Dask: pip install 'knightfall[cluster]'") from None
        # We report lost connections ourselves, in one line. Each Dask logger has its own level.
        for name in [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self._address = address
        check_address(address)
        try:
            self._client: Any = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            told = " ".join(str(error).split())
            raise ExecutorError(f"{address}: there is no Dask scheduler that answers ({told:.120})") from None
        self._job, self._patience = job, patience
        self._name = uuid.uuid4().hex
        self._batches: dict[str, tuple[Any, tuple[Numbered, ...]]] = {}
        self._heard: SimpleQueue[str] = SimpleQueue()
        self._deadline: float | None = None
        self._last_look = self._last_seen = time.monotonic()
        self._heartbeats: dict[str, tuple[object, float]] = {}  # the scheduler's time, and our time on receipt
        self._silent: set[str] = set()
        self._threads: dict[str, int] = {}
        self._read_heartbeats(self._ask(self._client.scheduler.identity, n_workers=-1) or {"workers": {}})
        if not self._threads:
            self.close()
            raise ExecutorError(f"{address}: the cluster has no workers")
        self.workers = sum(self._threads.values())

    def _ask(self, question: Any, **more: object) -> Any:
        """Return the scheduler's answer; None if it does not answer."""
        try:
            return self._client.sync(question, callback_timeout=_ANSWER_SECONDS, **more)
        except (OSError, CancelledError):  # Dask's connection errors and timeouts are subclasses of these
            return None

    @property
    def room(self) -> int:
        return 0 if self._deadline is not None else max(_QUEUE * self.workers - len(self._batches), 0)

    @property
    def is_busy(self) -> bool:
        return bool(self._batches)

    def submit(self, batch: Sequence[Numbered]) -> None:
        key = f"knightfall-{uuid.uuid4().hex}"
        only = {"workers": list(self._threads)} if self._silent else {}
        arguments = (self._name, self._job, list(batch), self._patience)
        future = self._client.submit(do_batch, *arguments, key=key, pure=False, **only)
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
        now = time.monotonic()
        if self._deadline is not None and now > self._deadline:
            self._give_up(list(self._batches))
        elif now - self._last_look > _LOOK_SECONDS:
            found += self._look_after_workers()
            self._last_look = time.monotonic()
        return found

    def _cut_off(self) -> ExecutorError:
        return ExecutorError(f"{self._address}: the connection to the scheduler was lost")

    def _taken(self, key: str) -> list[Event]:
        """Return the results of a batch that has ended."""
        future, batch = self._batches.pop(key, (None, ()))
        if future is None:
            return []
        try:
            if future.status == "finished":
                return list(future.result(timeout=_ANSWER_SECONDS))
            error = future.exception(timeout=_ANSWER_SECONDS) if future.status == "error" else None
        except TimeoutError:
            return [Lost(batch, (), "its results could not be fetched", by_host=True)]
        except (OSError, CancelledError):
            raise self._cut_off() from None
        if future.status == "cancelled":
            raise self._cut_off()
        if error is None or type(error).__name__ == "KilledWorker":  # Dask has tried several times
            return [Lost(batch, batch, "workers of the cluster died", by_host=True)]
        if isinstance(error, KnightfallError):
            raise ExecutorError(f"{self._address}: {error}")
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise ExecutorError(f"{self._address}: a worker failed: {told:.300}")

    def _look_after_workers(self) -> list[Event]:
        """Check which workers are alive; return the batches of silent workers as lost."""
        if self._client.status != "running":
            raise self._cut_off()
        told = self._ask(self._client.scheduler.identity, n_workers=-1)
        alone = time.monotonic() - self._last_seen
        if told is None:
            if alone > _ALONE:
                raise ExecutorError(f"{self._address}: the scheduler does not answer any more")
            return []
        self._read_heartbeats(told)
        if self._threads:
            self.workers = sum(self._threads.values())
            self._last_seen = time.monotonic()
        elif alone > _ALONE:
            raise ExecutorError(f"{self._address}: the cluster has no workers any more")
        if not self._silent or not self._threads:
            return []
        having = self._ask(self._client.scheduler.processing, workers=list(self._silent)) or {}
        keys = [key for keys in having.values() for key in keys if key in self._batches]
        batches = [self._batches[key][1] for key in keys]
        self._give_up(keys)
        return [Lost(batch, (), "a worker of the cluster does not answer", by_host=True) for batch in batches]

    def _read_heartbeats(self, told: Any) -> None:
        """Record which workers exist, and which have sent no heartbeat for a while."""
        now = time.monotonic()
        workers = told["workers"]
        for address, worker in workers.items():
            if self._heartbeats.get(address, (None, now))[0] != worker["last_seen"]:
                self._heartbeats[address] = (worker["last_seen"], now)
        self._silent = {address for address in workers if now - self._heartbeats[address][1] > _SILENT}
        self._threads = {
            address: int(workers[address]["nthreads"]) for address in workers if address not in self._silent
        }

    def _give_up(self, keys: list[str]) -> None:
        """Withdraw batches; running ones are aborted."""
        for key in keys:
            self._batches.pop(key)[0].release()

    def finish(self) -> None:
        self._deadline = time.monotonic() + FINISH_SECONDS
        having = self._ask(self._client.scheduler.processing, workers=None)
        # Batches that no worker has started are withdrawn. If the scheduler does not answer, all are.
        begun = {str(key) for keys in (having or {}).values() for key in keys}
        self._give_up([key for key in self._batches if key not in begun])

    def close(self) -> None:
        self._give_up(list(self._batches))
        self._client.close(timeout=2)
