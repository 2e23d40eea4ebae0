"""The decorators that compile the functions of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import types
from numba.extending import intrinsic

from knightfall.native.announce import announce_compilation
from knightfall.native.cache import FolderCache, engine_folder
from knightfall.native.pieces import compile_in_pieces

P = ParamSpec("P")
R = TypeVar("R")

announce_compilation()
compile_in_pieces()


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call, once per board width, without the GIL. Uses the package's own cache."""
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function)
    dispatcher._cache = FolderCache(function, engine_folder())
    return cast("Callable[P, R]", dispatcher)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that compiled code calls by address. Python cannot call it."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    dispatcher._cache = FolderCache(function, engine_folder())
    return dispatcher


def part(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only compiled code calls: once for all callers, and cached as a part of them."""
    return cast("Callable[P, R]", numba.njit(nogil=True, error_model="numpy")(function))


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a small function on a hot path. Its code is inserted into the callers."""
    return cast("Callable[P, R]", numba.njit(nogil=True, error_model="numpy", forceinline=True)(function))


def outlined(function: Callable[..., Any]) -> Any:
    """Compile a function that is rarely called on a hot path. It is never inlined, so it needs no registers there.

    All arguments are numbers, sets or pointers. The function must have two or five arguments.
    """
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)

    def typed(arguments: tuple[Any, ...]) -> Any:
        plain = tuple(types.unliteral(kind) for kind in arguments)
        dispatcher.compile(plain)
        result = dispatcher.overloads[plain]

        def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
            c.add_linking_libs([result.library])
            code = c.declare_function(b.module, result.fndesc)
            status, value = c.call_conv.call_function(b, code, sig.return_type, sig.args, args, attrs=("noinline",))
            with numba.core.cgutils.if_unlikely(b, status.is_error):
                c.call_conv.return_status_propagate(b, status)
            return value

        return result.signature.return_type(*plain), codegen

    if function.__code__.co_argcount == 2:

        def two(context: Any, first: Any, second: Any) -> Any:
            return typed((first, second))

        return intrinsic(two)

    def five(context: Any, first: Any, second: Any, third: Any, fourth: Any, fifth: Any) -> Any:
        return typed((first, second, third, fourth, fifth))

    return intrinsic(five)
