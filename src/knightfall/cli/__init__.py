"""The command line.

``main`` is the one place where errors become exit codes: 0 done, 1 a check failed, 2 usage or bad input (one
line that says what and where), 3 an agent failed while it was thinking, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

AGENT_FAILED = 3
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    from knightfall.cli.output import own_streams

    _mend_streams()
    with own_streams(for_good=arguments is None):
        return _run(list(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    from typer.exceptions import Abort, TyperException

    from knightfall.cli.app import command
    from knightfall.cli.common import AgentFailure

    try:
        result = command().main(args=arguments or ["--help"], prog_name="knightfall", standalone_mode=False)
        sys.stdout.flush()
        if result == INTERRUPTED:  # what Typer makes of a KeyboardInterrupt
            raise KeyboardInterrupt
        return result if isinstance(result, int) else 0
    except TyperException as error:
        return _complain(error.format_message())
    except AgentFailure as error:
        return _complain(str(error), AGENT_FAILED)
    except MemoryError as error:
        return _complain(f"there is not enough memory: {error}")
    except (KeyboardInterrupt, Abort):
        print("\ninterrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (`knightfall … | head`): no complaint, and none at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error}")
    except ValueError as error:
        # Imported here, because `--help` has no use for it.
        from knightfall.rules.errors import KnightfallError

        if isinstance(error, KnightfallError):
            return _complain(str(error))
        raise


def _mend_streams() -> None:
    """Output that was closed goes nowhere, and what a stream cannot write is written in another way."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 (open to the end)
        elif hasattr(stream, "reconfigure") and (stream.encoding or "").lower().replace("-", "") != "utf8":
            stream.reconfigure(errors="backslashreplace")


def _complain(message: str, code: int = 2) -> int:
    from knightfall.cli.common import prose

    line = " ".join(message.split())
    print(prose(f"knightfall: {line}", stream=sys.stderr), file=sys.stderr)
    return code
