"""Compile helper functions as parts of the functions that call them, and to machine code only there.

For every helper, Numba makes a complete program: wrappers to call it from Python, optimised LLVM code and machine code.
But it also copies the helper's code into the callers and optimises it again there. For the engine this was more than
half of the compilation time. While a function with a :class:`~knightfall.native.cache.FolderCache` is compiled, the
functions that it calls remain LLVM code, without wrappers, optimisation or machine code. This does not affect other
users of Numba in the same process. Users' heuristics are not affected either, because Numba's sets and lists in
recursive functions need the helpers in the form that Numba makes.
"""

from __future__ import annotations

import ctypes
from typing import Any

from numba import _dynfunc
from numba.core import event
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.environment import lookup_environment
from numba.core.registry import cpu_target

from knightfall.native.cache import FolderCache

_ENVIRONMENT = "_ZN08NumbaEnv"


class Piece(JITCodeLibrary):
    """The LLVM code of a function, to be linked into other functions. It becomes machine code only on request."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._is_whole = False

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        if self._is_whole:
            super()._optimize_functions(ll_module)

    def _optimize_final_module(self) -> None:
        if self._is_whole:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if self._is_whole or any(
            variable.name.startswith(RuntimeLinker.PREFIX) for variable in self._final_module.global_variables
        ):
            self._is_whole = True
            super()._finalize_final_module()
        else:
            self._finalize_dynamic_globals()
            self._finalized = True

    def make_whole(self) -> None:
        """Compile this piece to machine code."""
        if not self._is_whole:
            self._is_whole = True
            self._get_module_for_linking()
            JITCodeLibrary._optimize_final_module(self)
            JITCodeLibrary._finalize_final_module(self)
            set_environments(self)

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        self.make_whole()
        return int(super().get_pointer_to_function(name))

    def _get_module_for_linking(self) -> Any:
        self._ensure_finalized()
        if not _mode.is_on:
            self.make_whole()
        return super()._get_module_for_linking()


def set_environments(library: Any) -> None:
    """Set where the machine code of a library finds the constants of its functions."""
    for variable in library._final_module.global_variables:
        if variable.name.startswith(_ENVIRONMENT):
            environment = lookup_environment(variable.name)
            if environment is not None:
                library.codegen.set_env(variable.name, environment)


@ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
def _not_callable(closure: Any, arguments: Any, keywords: Any) -> Any:
    raise TypeError("this function was compiled as a part of another; it cannot be called from Python")


_POINTER = ctypes.cast(_not_callable, ctypes.c_void_p).value


class PieceMode(event.Listener):
    """Changes how Numba compiles while a function of the engine is compiled."""

    def __init__(self) -> None:
        self._stack: list[bool] = []
        self.is_on = False

    @property
    def _is_piece(self) -> bool:
        """Whether the function that is being compiled is called by compiled code only."""
        return self.is_on and not self._stack[-1]

    def on_start(self, event: Any) -> None:
        cache = getattr(event.data["dispatcher"], "_cache", None)
        is_root = isinstance(cache, FolderCache) and cache.in_pieces
        self._stack.append(is_root)
        if is_root and not self.is_on:
            self._switch_on()
            self._depth = len(self._stack)

    def on_end(self, event: Any) -> None:
        self._stack.pop()
        if self.is_on and len(self._stack) < self._depth:
            self._switch_off()

    def _switch_on(self) -> None:
        self.is_on = True
        context = cpu_target.target_context
        codegen = context.codegen()
        plain = type(context)

        def create_library(name: str, **options: Any) -> Any:
            kind = JITCodeLibrary if self._stack[-1] else Piece
            return kind(codegen, name, **options)

        def create_cpython_wrapper(*arguments: Any, **options: Any) -> None:
            if not self._is_piece:
                plain.create_cpython_wrapper(context, *arguments, **options)

        def create_cfunc_wrapper(*arguments: Any, **options: Any) -> None:
            if not self._is_piece:
                plain.create_cfunc_wrapper(context, *arguments, **options)

        def get_executable(library: Any, fndesc: Any, env: Any) -> Any:
            if not self._is_piece:
                made = plain.get_executable(context, library, fndesc, env)
                set_environments(library)
                return made
            library._ensure_finalized()
            if library._is_whole:
                library.codegen.set_env(context.get_env_name(fndesc), env)
            name = fndesc.qualname.split(".")[-1]
            return _dynfunc.make_function(fndesc.lookup_module(), name, "", _POINTER, env, (library,))

        codegen.create_library = create_library
        context.create_cpython_wrapper = create_cpython_wrapper
        context.create_cfunc_wrapper = create_cfunc_wrapper
        context.get_executable = get_executable

    def _switch_off(self) -> None:
        self.is_on = False
        context = cpu_target.target_context
        del context.create_cpython_wrapper, context.create_cfunc_wrapper, context.get_executable
        del context.codegen().create_library


_mode = PieceMode()


def compile_in_pieces() -> None:
    """From now on, compile the functions that the engine's functions call as parts of them."""
    event.register("numba:compile", _mode)
