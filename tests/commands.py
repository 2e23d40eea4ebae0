"""Running the real command in a real process, with pipes or a terminal; see also `terminals.py`."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import pty
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

LONGEST = 900  # seconds after which a command counts as hanging and is ended
KNIGHTFALL = [sys.executable, "-m", "knightfall"]


def environment(**changes: str) -> dict[str, str]:
    """Return this process's environment with some variables changed."""
    return {**os.environ, "PYTHONIOENCODING": "utf-8", **changes}


def run(
    *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `knightfall` with these arguments, and return its output and exit code.

    The process is forked from one that has already imported the libraries. If ``env`` changes variables of Python or
    Numba, a new Python process is started instead.
    """
    if not any(name.startswith(("PYTHON", "NUMBA")) for name in env or ()):
        return forked(arguments, stdin, env or {}, cwd or Path.cwd())
    return subprocess.run(
        [*KNIGHTFALL, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        env=environment(**(env or {})),
        cwd=cwd,
        timeout=LONGEST,
        encoding="utf-8",
    )


AT_IMPORT = ("KNIGHTFALL_CACHE_DIR", "HOME", "XDG_", "TERMINAL_WIDTH", "FORCE_COLOR", "GITHUB_ACTIONS")
"""Beginnings of the names of variables that Knightfall or its libraries read at import."""


def zygote_for(changes: Mapping[str, str] | None) -> socket.socket:
    """Return the socket to a process that forks commands, suitable for an environment with these changes."""
    return _zygote("libraries" if any(name.startswith(AT_IMPORT) for name in changes or ()) else "package")


@cache
def _zygote(imported: str) -> socket.socket:
    """Start a process that forks, and return the socket to it. The process ends when the socket is closed."""
    ours, its = socket.socketpair()
    script = str(Path(__file__).with_name("zygote.py"))
    command = [sys.executable, script, str(its.fileno()), imported]
    process = subprocess.Popen(command, pass_fds=[its.fileno()], env=environment())
    its.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def forked(
    arguments: Sequence[str], stdin: str, changes: Mapping[str, str], cwd: Path
) -> subprocess.CompletedProcess[str]:
    """Run the command in a child of a process that has imported the libraries."""
    line = zygote_for(changes)
    env = environment(**changes)
    request = json.dumps({"arguments": arguments, "environment": env, "folder": str(cwd)}).encode()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        given.write(stdin.encode())
        given.seek(0)
        socket.send_fds(line, [request], [given.fileno(), out.fileno(), errors.fileno()])
        with line.makefile("rb", buffering=0) as answers:
            child = int(answers.readline())
            watch = threading.Timer(LONGEST, os.kill, (child, signal.SIGKILL))
            watch.start()
            try:
                code = int(answers.readline())
            finally:
                watch.cancel()
        out.seek(0)
        errors.seek(0)
        told, complained = out.read().decode(), errors.read().decode()
    return subprocess.CompletedProcess([*KNIGHTFALL, *arguments], code, told, complained)


@contextlib.contextmanager
def started(command: list[str], env: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """Yield a running process with three pipes, and end it afterwards.

    It obeys Ctrl-C even if this process ignores it, as processes that a shell starts in the background do.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment(**(env or {})),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def kill_when(arguments: list[str], is_time: Callable[[], bool], seconds: float = LONGEST) -> None:
    """Start `knightfall` with these arguments, and kill it with all its workers (-9) as soon as ``is_time`` says so.

    The process may also end by itself. It is killed after ``seconds`` at the latest.
    """
    with subprocess.Popen(
        [*KNIGHTFALL, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + seconds
        try:
            while time.monotonic() < deadline and process.poll() is None and not is_time():
                time.sleep(0.02)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def run_on_terminal(command: list[str], env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Return the exit code and the output of a command whose three streams are a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**(env or {})), close_fds=True
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # raised by Linux when the other side is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    return process.wait(timeout=LONGEST), shown.decode()
