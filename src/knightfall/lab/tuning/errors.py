"""Errors in studies."""

from __future__ import annotations

from knightfall.rules import KnightfallError
from knightfall.rules.errors import ParameterError


class TuningError(KnightfallError):
    """A study that cannot be made, read or resumed; the message is one line."""


class BadParameter(TuningError, ParameterError):
    """A parameter of a study that is invalid, or the hint that another value would help."""


class SettingFailed(TuningError):
    """A setting that cannot be measured, because the heuristic raises an exception or does not return a number."""


class TuningStopped(KeyboardInterrupt):
    """A study was stopped by Ctrl-C or SIGTERM; finished trials are saved."""
