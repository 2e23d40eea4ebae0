"""What can be wrong with a study."""

from __future__ import annotations

from knightfall.rules import KnightfallError
from knightfall.rules.errors import ParameterError


class TuningError(KnightfallError):
    """A study that cannot be made, read or gone on with; described in one line."""


class BadParameter(TuningError, ParameterError):
    """A parameter of a study that is invalid, or the hint that another value would help."""


class SettingFailed(TuningError):
    """A setting with which the heuristic cannot be measured, because it raises or returns no number."""


class TuningStopped(KeyboardInterrupt):
    """A study that was stopped by Ctrl-C or SIGTERM; the trials that were finished are kept."""
