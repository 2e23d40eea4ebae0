"""The loop that performs all tasks of a job: every task once, lost ones again, and a stop in good order."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
from fault_tasks import Do

from knightfall.work.executor import Event, ExecutorError, InProcess, Lost, Numbered
from knightfall.work.run import run_tasks
from knightfall.work.task_queue import TaskQueue


class Losing(InProcess):
    """An executor that loses some tasks so many times, with everything that waits behind them."""

    workers = 2

    def __init__(self, losses: dict[int, int], by_host: bool = True, names_suspects: bool = True) -> None:
        super().__init__(lambda task: task)
        self._losses, self._by_host, self._names_suspects = losses, by_host, names_suspects
        self.batches: list[list[int]] = []

    def submit(self, batch: Sequence[Numbered]) -> None:
        self.batches.append([task.number for task in batch])
        super().submit(batch)

    def wait(self, seconds: float) -> list[Event]:
        number = self._tasks[0].number
        if not self._losses.get(number):
            return super().wait(seconds)
        self._losses[number] -= 1
        tasks = tuple(self._tasks)
        self._tasks.clear()
        return [Lost(tasks, tasks[:1] if self._names_suspects else (), "it died", by_host=self._by_host)]


def some(count: int) -> list[Do]:
    return [Do(number, "") for number in range(count)]


def describe(task: Do) -> str:
    return f"task {task.number}"


@pytest.mark.parametrize("losses", [{}, {0: 2}, {3: 1, 4: 2, 9: 2}])
@pytest.mark.parametrize("by_host", [True, False])
def test_every_task_is_performed_once(losses: dict[int, int], by_host: bool) -> None:
    taken: list[Do] = []
    assert run_tasks(Losing(losses, by_host), some(10), taken.append, describe=describe)
    assert sorted(taken, key=lambda task: task.number) == some(10)


def test_a_task_that_is_lost_with_three_workers_ends_the_run_and_results_are_reported() -> None:
    taken: list[int] = []
    reported: list[int] = []
    with pytest.raises(ExecutorError, match=r"^task 4 was lost with 3 workers: it died$"):
        run_tasks(
            Losing({4: 9}),
            some(10),
            lambda task: taken.append(task.number),
            describe=describe,
            report=lambda: reported.extend(taken[len(reported) :]),
        )
    assert reported == taken == [0, 1, 2, 3]


def test_workers_that_die_without_a_task_end_the_run() -> None:
    with pytest.raises(ExecutorError, match=r"^6 workers died one after another and no task was finished: it died$"):
        run_tasks(Losing({0: 99}, names_suspects=False), some(3), print, describe=describe)


def test_after_a_stop_no_task_is_started() -> None:
    stop = threading.Event()
    taken: list[int] = []

    def take(task: Do) -> None:
        taken.append(task.number)
        if task.number == 4:
            stop.set()

    assert not run_tasks(Losing({}), some(10), take, describe=describe, stop=stop)
    assert taken == [0, 1, 2, 3, 4]


def test_quick_tasks_are_sent_in_larger_batches_and_suspects_alone() -> None:
    executor = Losing({})
    queue = TaskQueue(some(4_000), 1.0, "task", describe)
    queue.feed(executor)
    assert executor.batches == [[0]]
    for _ in range(200):
        queue.count_result(0.001)
    executor.finish()
    queue.feed(executor)
    assert len(executor.batches[1]) > 10
    lost = tuple(Do(number, "") for number in executor.batches[1])
    assert queue.put_back(Lost(lost, lost[:1], "it died")) == []
    executor.finish()
    queue.feed(executor)
    executor.finish()
    queue.feed(executor)
    assert executor.batches[2] == [1]
    assert executor.batches[3][0] == 2
