"""Run all tasks of a job with an executor: the one loop of everything that is not a tournament."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from knightfall.work.executor import Executor, ExecutorError, InProcess, Job, Lost, Numbered
from knightfall.work.task_queue import DEATHS, TaskQueue
from knightfall.work.workers import Workers

_WAIT_SECONDS = 0.1
_REPORT_SECONDS = 0.25
_TASK_SECONDS = 1.0  # a guess until the first results: most tasks are sent one by one

Task = TypeVar("Task", bound=Numbered)


def make_executor(job: Job, workers: int, cluster: str | None = None) -> Executor:
    """Return the executor of a job: a cluster, processes on this machine or, with 0 workers, this process."""
    if cluster is not None:
        from knightfall.work.cluster import Cluster

        return Cluster(job, cluster)
    return Workers(job, workers) if workers else InProcess(job.ready())


def run_tasks(
    executor: Executor,
    tasks: Iterable[Task],
    take: Callable[[Any], None],
    *,
    describe: Callable[[Task], str],
    report: Callable[[], None] | None = None,
    stop: threading.Event | None = None,
) -> bool:
    """Perform tasks and return whether all were performed.

    ``take`` is called with each result, in the order in which they arrive. ``report`` is called every quarter of a
    second. It is also called at the end, even if an error is raised, so that no result is lost. ``describe`` names a
    task in error messages. If ``stop`` is set, running tasks are finished and no others are started.

    Tasks that were lost with a worker are performed again. Raise ExecutorError if a task was lost with several workers,
    or if many workers died without a result.
    """
    queue = TaskQueue(tasks, _TASK_SECONDS, "task", describe)
    left = len(queue)
    heard = reported = time.monotonic()
    is_stopping = False
    try:
        while True:
            if stop is not None and stop.is_set() and not is_stopping:
                is_stopping = True
                executor.finish()
            if not is_stopping:
                queue.feed(executor)
            if not executor.is_busy and (is_stopping or not queue):
                return left == 0
            events = executor.wait(_WAIT_SECONDS)
            now = time.monotonic()
            results = [event for event in events if not isinstance(event, Lost)]
            for result in results:
                take(result)
                queue.count_result((now - heard) * executor.workers / len(results))
            if results:
                left -= len(results)
                heard = now
            for loss in events:
                if isinstance(loss, Lost):
                    _put_back(queue, loss)
                    if not is_stopping:
                        queue.count_loss(loss, executor.workers)
            if report is not None and now - reported >= _REPORT_SECONDS:
                report()
                reported = now
    finally:
        if report is not None:
            report()


def _put_back(queue: TaskQueue[Task], loss: Lost) -> None:
    """Queue lost tasks again. As no task can be left out, one that is lost repeatedly ends the run."""
    for task in queue.put_back(replace(loss, by_host=False)):
        raise ExecutorError(f"{queue.describe(task)} was lost with {DEATHS} workers: {loss.why}")
