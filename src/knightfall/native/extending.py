"""Numba's decorators that extend compiled code, usable with type annotations.

Numba requires the signatures of an implementation and of its typing function to be identical, including annotations,
but a lambda cannot have annotations. ``strict=False`` disables this check.
"""

from __future__ import annotations

from typing import Any

from numba import extending


def overload(function: Any) -> Any:
    """Do the same as :func:`numba.extending.overload`, without the check."""
    return extending.overload(function, strict=False)


def overload_method(kind: Any, name: str) -> Any:
    """Do the same as :func:`numba.extending.overload_method`, without the check."""
    return extending.overload_method(kind, name, strict=False)


def overload_attribute(kind: Any, name: str) -> Any:
    """Do the same as :func:`numba.extending.overload_attribute`, without the check."""
    return extending.overload_attribute(kind, name, strict=False)
