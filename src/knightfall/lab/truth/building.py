"""Building a truth set with workers; an interrupted build can be resumed.

The results of each finished task are appended to a file beside the output file. The set itself is written in one
step, when all tasks are done. It does not depend on which worker did a task, or in which order.
"""

from __future__ import annotations

import gzip
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

from knightfall.arena.executors import default_workers
from knightfall.lab.truth.sets import TruePosition, TruthError, TruthJob, TruthLines, TruthTask, tasks, to_text
from knightfall.rules.files import write_whole
from knightfall.work.executor import Executor
from knightfall.work.run import make_executor, run_tasks
from knightfall.work.signals import stopped_by_signals

Watch = Callable[[int, int], None]


class BuildStopped(KeyboardInterrupt):
    """Building was stopped by Ctrl-C or SIGTERM; finished tasks are saved."""


def build_truth(
    path: Path,
    job: TruthJob,
    positions: int,
    seed: int = 1,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    watch: Watch | None = None,
) -> list[TruePosition]:
    """Build a set of about ``positions`` different positions, and write it to a file.

    An interrupted build with the same settings is resumed.
    """
    if not path.parent.is_dir():
        raise TruthError(f"{path}: there is no folder {path.parent}")
    part = path.with_name(f"{path.name}.part")
    head = {"board": job.board, "most_empty": job.most_empty, "positions": positions, "seed": seed}
    wanted = tasks(positions, seed)
    done = _read_part(part, head)
    left = [task for task in wanted if task.number not in done]
    if left:
        count = default_workers() if workers is None else workers
        with make_executor(job, count, cluster) as executor, _Part(part, head, fresh=not done) as out:
            _work(executor, left, done, out, len(wanted), watch)
    found: dict[str, TruePosition] = {}
    for task in wanted:
        for line in done[task.number]:
            entry = TruePosition.read(line)
            found.setdefault(entry.position.canonical().fen(), entry)
    entries = list(found.values())
    text = to_text(entries, job.board).encode()
    # Without a timestamp, so that equal sets give equal files.
    write_whole(path, gzip.compress(text, 9, mtime=0) if path.suffix == ".gz" else text)
    part.unlink(missing_ok=True)
    return entries


class _Part:
    """The file of finished tasks."""

    def __init__(self, path: Path, head: dict[str, object], *, fresh: bool) -> None:
        self._out = path.open("w" if fresh else "a", encoding="utf-8")
        if fresh:
            self._out.write(json.dumps(head) + "\n")

    def __enter__(self) -> _Part:
        return self

    def __exit__(self, *_: object) -> None:
        self._out.close()

    def write(self, results: list[TruthLines]) -> None:
        for result in results:
            self._out.write(json.dumps({"number": result.number, "lines": list(result.lines)}) + "\n")
        self._out.flush()
        os.fsync(self._out.fileno())


def _read_part(path: Path, head: dict[str, object]) -> dict[int, tuple[str, ...]]:
    """Return the lines of the finished tasks. Ignore a last line that a crash has cut off."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    try:
        known = json.loads(lines[0]) if lines else None
    except json.JSONDecodeError:
        known = None
    if known != head:
        raise TruthError(f"{path}: unfinished part of another set; remove it to start again")
    found = {}
    for line in lines[1:]:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        found[int(entry["number"])] = tuple(entry["lines"])
    return found


def _work(
    executor: Executor,
    left: list[TruthTask],
    done: dict[int, tuple[str, ...]],
    out: _Part,
    total: int,
    watch: Watch | None,
) -> None:
    unwritten: list[TruthLines] = []
    stop = threading.Event()

    def take(result: TruthLines) -> None:
        unwritten.append(result)
        done[result.number] = result.lines

    def report() -> None:
        out.write(unwritten)
        unwritten.clear()
        if watch is not None:
            watch(len(done), total)

    with stopped_by_signals(stop.set):
        is_complete = run_tasks(executor, left, take, describe=_describe, report=report, stop=stop)
    if not is_complete:
        raise BuildStopped


def _describe(task: TruthTask) -> str:
    return f"task {task.number} ({task.kind})"
