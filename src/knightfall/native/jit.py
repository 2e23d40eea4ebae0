"""How every function of the engine is compiled."""

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
    """Compile on first call, once per board width, without the GIL; kept in our own cache folder."""
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function)
    dispatcher._cache = FolderCache(function, engine_folder())
    return cast("Callable[P, R]", dispatcher)


def kernel(function: Callable[..., Any]) -> Any:
    """For functions that compiled code calls by their address; Python cannot call them."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    dispatcher._cache = FolderCache(function, engine_folder())
    return dispatcher


def part(function: Callable[P, R]) -> Callable[P, R]:
    """For functions that only compiled code calls: compiled once for all their callers, and cached within them."""
    return cast("Callable[P, R]", numba.njit(nogil=True, error_model="numpy")(function))


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """For small functions on a hot path: their code is put wherever they are called, without a call."""
    return cast("Callable[P, R]", numba.njit(nogil=True, error_model="numpy", forceinline=True)(function))


def outlined(function: Callable[..., Any]) -> Any:
    """For what is rarely done on a hot path: always a call, so that it takes no registers from what surrounds it.

    All arguments are numbers, sets or pointers; the function takes two or five of them.
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
