"""What runs inside a worker of a Dask cluster: a batch of tasks, in a process of their own.

A user's function that does not end, or crashes, ends that process and not the cluster's worker. The process is kept for
the next batch of the same job; it ends with the cluster's worker, and when it has had nothing to do for a while.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from knightfall.work.executor import Event, ExecutorError, Job, Lost, Numbered
from knightfall.work.process import WorkerProcess

_IDLE_SECONDS = 30.0
_LOOK = 0.2  # seconds between two looks at whether the results are still wanted

_idle: list[tuple[str, WorkerProcess, threading.Timer]] = []
_changing = threading.Lock()


def do_batch(name: str, job: Job, batch: Sequence[Numbered], patience: float | None) -> list[Event]:
    """Do tasks of the job of that name; what came of them, and what was lost if the process died."""
    try:
        worker = _take(name) or WorkerProcess(job)
    except ExecutorError as error:  # this machine cannot, another may
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
    """A process that is ready for this job."""
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
        if len(kept) == len(_idle):  # it has just been taken
            return
        _idle[:] = kept
    worker.kill()


def _wanted_by_dask() -> Callable[[], bool]:
    """A question that can be asked again and again: is somebody still waiting for the task of this thread?"""
    from distributed import get_worker

    try:
        dask = get_worker()
        key = dask.get_current_task()
    except ValueError:  # it was not Dask that called
        return lambda: True

    def is_wanted() -> bool:
        task = dask.state.tasks.get(key)
        return task is not None and task.state != "cancelled" and dask.status.name not in ("closing", "closed")

    return is_wanted
