"""The command line.

``main`` is the only place where errors become exit codes: 0 success, 1 a check failed, 2 usage error or bad input
(one line that says what and where), 3 an agent failed while thinking or the ledger was deleted or moved, 130
interrupted. With ``--json`` the error line is a JSON object.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence

from knightfall.cli.common import AgentFailure, plain_warnings, prose
from knightfall.cli.json_output import is_json_wanted, only_json_on_stdout, print_json_error
from knightfall.cli.output import own_streams
from knightfall.cli.supervised import run_supervised, users_files
from knightfall.rules.errors import KnightfallError, WorkFailed

INTERNAL = 1
BAD_INPUT = 2
AGENT_FAILED = 3
WORK_FAILED = 3
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    ``arguments`` defaults to the command line of the process.
    """
    _mend_streams()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is not None:
        return _perform(given, for_good=False)
    names = users_files(given)
    if not names:
        return _perform(given, for_good=True)

    def complain(message: str, kind: str, code: int) -> int:
        with own_streams(for_good=False):
            return (_complain_as_json if is_json_wanted(given) else _complain)(message, kind, code)

    return run_supervised(names, lambda: _perform(given, for_good=True), complain)


def _perform(given: list[str], *, for_good: bool) -> int:
    with own_streams(for_good=for_good):
        if not is_json_wanted(given):
            return _run(given, _complain)
        with only_json_on_stdout():
            try:
                return _run(given, _complain_as_json)
            except Exception as error:
                # This is a bug in Knightfall. The traceback helps to find it; the last line is the JSON error that
                # programs expect.
                traceback.print_exc()
                return _complain_as_json(f"{type(error).__name__}: {error}", "internal", INTERNAL)


def _run(given: list[str], complain: Callable[[str, str, int], int]) -> int:
    from typer.exceptions import Abort, TyperException

    from knightfall.cli.app import command

    output = sys.stdout
    try:
        with plain_warnings():
            result = command().main(args=given or ["--help"], prog_name="knightfall", standalone_mode=False)
        output.flush()
        if result == INTERRUPTED:  # Typer's return value for a KeyboardInterrupt
            raise KeyboardInterrupt
        return result if isinstance(result, int) else 0
    except TyperException as error:
        return complain(error.format_message(), "usage", BAD_INPUT)
    except AgentFailure as error:
        return complain(str(error), "agent", AGENT_FAILED)
    except MemoryError as error:
        return complain(f"not enough memory: {error}", "memory", BAD_INPUT)
    except (KeyboardInterrupt, Abort):
        return complain("interrupted", "interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone (`knightfall … | head`). Print no error, neither now nor at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
        return 1
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return complain(f"{where}{error.strerror or error}", "file", BAD_INPUT)
    except ValueError as error:
        from knightfall.cli.option_words import message_of

        if isinstance(error, WorkFailed):
            return complain(str(error), "work", WORK_FAILED)
        if isinstance(error, KnightfallError):
            return complain(message_of(error), "input", BAD_INPUT)
        raise


def _mend_streams() -> None:
    """Redirect closed output streams to the null device, and escape characters that a stream cannot encode."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 (open to the end)
        elif hasattr(stream, "reconfigure") and (stream.encoding or "").lower().replace("-", "") != "utf8":
            stream.reconfigure(errors="backslashreplace")
    if sys.stdin is not None and hasattr(sys.stdin, "reconfigure"):
        # Invalid bytes must not raise: as an answer they are not understood, and in a file name they may be correct.
        sys.stdin.reconfigure(errors="surrogateescape")


def _complain(message: str, kind: str, code: int) -> int:
    if kind == "interrupted":
        print(f"\n{message}", file=sys.stderr)
    else:
        line = f"knightfall: {' '.join(message.split())}"
        print(prose(line, stream=sys.stderr), file=sys.stderr)
    return code


def _complain_as_json(message: str, kind: str, code: int) -> int:
    print_json_error(" ".join(message.split()), kind, code)
    return code
