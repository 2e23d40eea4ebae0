"""Errors of the library as the command line shows them: parameters are options."""

from __future__ import annotations

from knightfall.rules.errors import KnightfallError, ParameterError

_OPTIONS = {"path": "-o"}
"""Options that do not have the name of their parameter."""


def message_of(error: KnightfallError) -> str:
    """Return the message of an error, with options instead of parameters.

    >>> message_of(ParameterError("{truth} goes with {goal=accuracy} only"))
    '--truth goes with --goal accuracy only'
    """
    return error.text(option) if isinstance(error, ParameterError) else str(error)


def option(parameter: str) -> str:
    """Return the option for a parameter, which may have a value.

    >>> option("fresh=True"), option("max_plies=3"), option("path")
    ('--fresh', '--max-plies 3', '-o')
    """
    name, _, value = parameter.partition("=")
    words = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
    return words if value in ("", "True") else f"{words} {value}"
