"""Numbers that depend only on a position, not on the process, the machine or earlier calls.

splitmix64 mixes a key (from a user's seed) with the words of a position. It is implemented twice, in compiled code and
in Python, because random choices must be the same in both.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, register_jitable

from knightfall.native.bits import BitsType
from knightfall.native.board_tables import bit_width
from knightfall.rules import Position

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB


def key_of(*parts: object) -> int:
    """Return a 64-bit key that depends on all arguments, by blake2.

    >>> key_of("opening", 1) == key_of("opening", 1) != key_of("opening", 2)
    True
    """
    text = "\0".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


@intrinsic
def low_word(context: Any, bits: Any) -> Any:
    """Return the first 64 squares of a set as a number."""
    if isinstance(bits, BitsType):

        def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
            return args[0] if sig.args[0].width == 64 else b.trunc(args[0], ir.IntType(64))

        return types.uint64(bits), codegen
    return None


@intrinsic
def high_word(context: Any, bits: Any) -> Any:
    """Return the squares of a set from the 65th on as a number."""
    if isinstance(bits, BitsType):

        def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
            if sig.args[0].width == 64:
                return ir.Constant(ir.IntType(64), 0)
            return b.trunc(b.lshr(args[0], ir.Constant(args[0].type, 64)), ir.IntType(64))

        return types.uint64(bits), codegen
    return None


@register_jitable
def stir(word: Any) -> Any:
    """Return the output function of splitmix64. Every bit of the result depends on every bit of the word."""
    z = np.uint64(word) + np.uint64(_GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND)
    return z ^ (z >> np.uint64(31))


@register_jitable
def seed_of_words(key: Any, empty: Any, mover: Any, other: Any, to_move: Any) -> Any:
    """Return the seed of a position that is given by its parts."""
    who = np.uint64(mover) << np.uint64(16) | np.uint64(other) << np.uint64(2) | np.uint64(to_move)
    return stir(stir(stir(np.uint64(key) ^ low_word(empty)) ^ high_word(empty)) ^ who)


def stir_in_python(word: int) -> int:
    """Do the same as :func:`stir`, in Python."""
    z = (word + _GOLDEN) & _MASK
    z = ((z ^ (z >> 30)) * _FIRST) & _MASK
    z = ((z ^ (z >> 27)) * _SECOND) & _MASK
    return z ^ (z >> 31)


def seed_of(position: Position, key: int = 0) -> int:
    """Return the seed of a position, the same as :func:`seed_of_words`."""
    unplaced = bit_width(position.geometry)
    empty = ((1 << position.geometry.size) - 1) & ~position.used_bits
    first, second = (unplaced if square is None else square for square in position.locations)
    mover, other = (first, second) if position.to_move == 1 else (second, first)
    who = mover << 16 | other << 2 | position.to_move
    stirred = stir_in_python(stir_in_python(key ^ (empty & _MASK)) ^ (empty >> 64))
    return stir_in_python(stirred ^ who)
