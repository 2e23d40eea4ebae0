"""Calls by address and recursive calls. With them, each part of the search is compiled and cached separately.

A function that is called by name is compiled together with its caller. The search has several kinds of agents. With
calls by name, a user who needs one of them would have to wait until all of them are compiled.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from knightfall.native.bits import BitsType
from knightfall.native.control import control_type
from knightfall.native.itself import call_of_itself, emit_call
from knightfall.native.search.block import Field
from knightfall.native.state import StateType

_REAL, _WORD = types.float64, types.int64


def move_signature(width: int) -> Any:
    """Return the signature of the move function of all agents: address of the block and state; the square, or -1."""
    return _WORD(_WORD, StateType(width))


def minimax_signature(width: int) -> Any:
    """Return the signature of minimax: block, empty squares, mover, other, depth."""
    return _REAL(control_type, BitsType(width), _WORD, _WORD, _WORD)


def alphabeta_signature(width: int) -> Any:
    """Return the signature of alpha-beta: block, empty squares, mover, other, depth, alpha, beta."""
    return _REAL(control_type, BitsType(width), _WORD, _WORD, _WORD, _REAL, _REAL)


def refined_signature(width: int) -> Any:
    """Return the signature of ``refined``: as for alpha-beta, followed by the empty squares at the root."""
    return _REAL(control_type, BitsType(width), _WORD, _WORD, _WORD, _REAL, _REAL, BitsType(width))


def address_of(dispatcher: Any, signature: Any) -> int:
    """Return the address of a function's machine code. The function is compiled if necessary."""
    result = dispatcher.get_compile_result(signature)
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def _by_address(signature: Any, field: int) -> Any:
    """Return an intrinsic that calls the function whose address is in ``field`` of its first argument, the block."""

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        address = b.load(b.gep(args[0], [ir.Constant(ir.IntType(64), int(field))]))
        kind = c.call_conv.get_function_type(sig.return_type, sig.args)
        return emit_call(c, b, b.inttoptr(address, kind.as_pointer()), sig, args)

    return signature, codegen


@intrinsic
def minimax_at(context: Any, block: Any, empty: Any, mover: Any, other: Any, depth: Any) -> Any:
    """Call the kernel of a block whose kind is MINIMAX."""
    return _by_address(minimax_signature(empty.width), Field.KERNEL)


@intrinsic
def minimax_again(context: Any, block: Any, empty: Any, mover: Any, other: Any, depth: Any) -> Any:
    """Call minimax recursively."""
    return call_of_itself(minimax_signature(empty.width))


@intrinsic
def alphabeta_at(
    context: Any, block: Any, empty: Any, mover: Any, other: Any, depth: Any, alpha: Any, beta: Any
) -> Any:
    """Call the kernel of a block whose kind is ALPHABETA."""
    return _by_address(alphabeta_signature(empty.width), Field.KERNEL)


@intrinsic
def alphabeta_again(
    context: Any, block: Any, empty: Any, mover: Any, other: Any, depth: Any, alpha: Any, beta: Any
) -> Any:
    """Call plain alpha-beta recursively."""
    return call_of_itself(alphabeta_signature(empty.width))


@intrinsic
def refined_at(
    context: Any, block: Any, empty: Any, mover: Any, other: Any, depth: Any, alpha: Any, beta: Any, root_empty: Any
) -> Any:
    """Call the kernel of a block whose kind is REFINED."""
    return _by_address(refined_signature(empty.width), Field.KERNEL)


@intrinsic
def refined_again(
    context: Any, block: Any, empty: Any, mover: Any, other: Any, depth: Any, alpha: Any, beta: Any, root_empty: Any
) -> Any:
    """Call the project's own alpha-beta recursively."""
    return call_of_itself(refined_signature(empty.width))


@intrinsic
def move_at(context: Any, address: Any, state: Any) -> Any:
    """Request a move from the agent whose block is at an address."""
    if not isinstance(state, StateType):
        return None

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        word = ir.IntType(64)
        block = b.inttoptr(args[0], word.as_pointer())
        address = b.load(b.gep(block, [ir.Constant(word, int(Field.ENTRY))]))
        kind = c.call_conv.get_function_type(sig.return_type, sig.args)
        return emit_call(c, b, b.inttoptr(address, kind.as_pointer()), sig, args)

    return move_signature(state.width), codegen
