"""A job whose tasks end their worker in a given way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Do:
    """A task that names what happens to its worker."""

    number: int
    what: str
    foreign: bool = True


@dataclass(frozen=True)
class Faults:
    """The job that a worker receives."""

    def check(self) -> None:
        """Do nothing: the job can run everywhere."""

    def is_foreign(self, task: Do) -> bool:
        return task.foreign

    def ready(self) -> Callable[[Do], Do]:
        return _perform


def _perform(task: Do) -> Do:
    if task.what == "wait":
        time.sleep(1e6)
    elif task.what == "exit":
        os._exit(3)
    elif task.what.startswith("SIG"):
        number = getattr(signal, task.what)
        # Sent by another process, as signals of the system or a user are. The next branch sends one to itself.
        subprocess.run([sys.executable, "-c", f"import os; os.kill({os.getpid()}, {int(number)})"])
        time.sleep(1e6)
    elif task.what.startswith("self "):
        os.kill(os.getpid(), getattr(signal, task.what.removeprefix("self ")))
    return task
