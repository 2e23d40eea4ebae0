"""A process that has imported the heavy libraries and forks, so that each child is `knightfall` without import time.

As a script it serves one socket, given by its file descriptor. A request is a JSON object (arguments, environment,
folder, whether it gets its own terminal) together with the three standard streams. The answers are the process id of
the child and then its exit code. With `package` as its second argument it has also imported Knightfall. That is right
for requests whose environment does not change anything that is read at import, such as the folder of the cache.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
import termios

LIBRARIES = ("numba", "numba.core.dispatcher", "numba.extending", "numpy", "scipy.stats", "typer")
SELDOM = (
    *("knightfall.reporting", "knightfall.lab.tuning", "knightfall.work.cluster", "knightfall.bench"),
    *("knightfall.cli.run.report", "knightfall.cli.run.tune", "knightfall.cli.run.bench"),
)
_MOST = 1 << 20


def serve(fd: int) -> list[str] | None:
    """Fork for each request. Return the arguments in the child, and None in the server when the socket is closed."""
    with socket.socket(fileno=fd) as asked:
        while True:
            message, streams, _, _ = socket.recv_fds(asked, _MOST, 3)
            if not message:
                return None
            child = os.fork()
            if child == 0:
                break
            for stream in streams:
                os.close(stream)
            asked.sendall(f"{child}\n".encode())
            _, status = os.waitpid(child, 0)
            asked.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    request = json.loads(message)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    if request.get("terminal"):
        os.setsid()
        fcntl.ioctl(2, termios.TIOCSCTTY, 0)
    sys.stdin, sys.stdout, sys.stderr = (_stream(number) for number in range(3))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return [str(argument) for argument in request["arguments"]]


def _stream(number: int) -> io.TextIOWrapper:
    """Return a standard stream as Python opens it on a pipe or a terminal. Standard error is line-buffered."""
    raw = os.fdopen(number, "rb" if number == 0 else "wb", closefd=False)
    return io.TextIOWrapper(raw, encoding="utf-8", line_buffering=number == 2 or os.isatty(number))


def import_package() -> None:
    """Import every module of Knightfall except its programs and modules that are seldom needed."""
    import knightfall

    for module in pkgutil.walk_packages(knightfall.__path__, "knightfall."):
        if not module.name.startswith(SELDOM) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)


if __name__ == "__main__":
    for library in LIBRARIES:
        importlib.import_module(library)
    if "package" in sys.argv[2:]:
        import_package()
    gc.collect()
    gc.freeze()  # the garbage collector of a child need not examine existing objects
    arguments = serve(int(sys.argv[1]))
    if arguments is not None:
        sys.argv = ["knightfall", *arguments]
        runpy.run_module("knightfall", run_name="__main__", alter_sys=True)
