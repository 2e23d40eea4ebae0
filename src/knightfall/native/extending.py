"""Numba's ways to give compiled code new words, for functions with type annotations.

Numba wants an implementation's signature to equal that of its typing function to the letter, annotations included; a
lambda has none. ``strict=False`` leaves the names to us.
"""

from __future__ import annotations

from typing import Any

from numba import extending


def overload(function: Any) -> Any:
    """As :func:`numba.extending.overload`."""
    return extending.overload(function, strict=False)


def overload_method(kind: Any, name: str) -> Any:
    """As :func:`numba.extending.overload_method`."""
    return extending.overload_method(kind, name, strict=False)


def overload_attribute(kind: Any, name: str) -> Any:
    """As :func:`numba.extending.overload_attribute`."""
    return extending.overload_attribute(kind, name, strict=False)
