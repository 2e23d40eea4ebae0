"""Code that runs inside a worker of a Dask cluster: it performs a batch of tasks in a separate process.

If a user's function hangs or crashes, only that process is lost, not the cluster's worker. The process is kept for the
next batch of the same job. It ends with the cluster's worker, or when it has been idle for a while.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from knightfall.work.executor import Event, ExecutorError, Job, Lost, Numbered
from knightfall.work.process import WorkerProcess

_IDLE_SECONDS = 30.0
_LOOK = 0.2  # seconds between two checks whether the results are still wanted

_idle: list[tuple[str, WorkerProcess, threading.Timer]] = []
_changing = threading.Lock()


def do_batch(name: str, job: Job, batch: Sequence[Numbered], patience: float | None) -> list[Event]:
    """Perform tasks of the named job; return their results, and the lost tasks if the process died."""
    try:
        worker = _take(name) or WorkerProcess(job)
    except ExecutorError as error:  # this machine cannot start a worker, another one may
        return [Lost(tuple(batch), (), str(error), by_host=True)]
    is_wanted = _wanted_by_dask()
    events: list[Event] = []
    try:
        worker.give(batch)
        while worker.tasks and is_wanted():
            worker.lose_patience(patience)
            try:
                if worker.connection.poll(_LOOK):
                    events += worker.hear()
            except (EOFError, OSError):
                lost = worker.loss()
                assert lost is not None
                events.append(lost)
                break
    except BaseException:
        worker.kill()
        raise
    if worker.tasks:
        worker.kill()
    else:
        _put_back(name, worker)
    return events


def _take(name: str) -> WorkerProcess | None:
    """Return an idle process for this job; None if there is none."""
    with _changing:
        for entry in _idle:
            known, worker, timer = entry
            if known == name:
                _idle.remove(entry)
                timer.cancel()
                if worker.process.poll() is None:
                    return worker
                worker.kill()
                break
    return None


def _put_back(name: str, worker: WorkerProcess) -> None:
    timer = threading.Timer(_IDLE_SECONDS, _retire, [worker])
    timer.daemon = True
    with _changing:
        _idle.append((name, worker, timer))
    timer.start()


def _retire(worker: WorkerProcess) -> None:
    with _changing:
        kept = [entry for entry in _idle if entry[1] is not worker]
        if len(kept) == len(_idle):  # it is already in use again
            return
        _idle[:] = kept
    worker.kill()


def _wanted_by_dask() -> Callable[[], bool]:
    """Return a function that checks whether the current Dask task is still wanted."""
    from distributed import get_worker

    try:
        dask = get_worker()
        key = dask.get_current_task()
    except ValueError:  # not called by Dask
        return lambda: True

    def is_wanted() -> bool:
        task = dask.state.tasks.get(key)
        return task is not None and task.state != "cancelled" and dask.status.name not in ("closing", "closed")

    return is_wanted
