"""The control block: how long an evaluation may take, and what happens when it takes longer.

The caller of an evaluation (a search, the solver, ``Heuristic.value``) owns a block of sixteen integers, and the game
view carries a pointer to it. Under a time budget the clock is read. Under any other budget *ticks* are counted, so that
results do not depend on the machine.

A tick is one call of ``out_of_time()`` or ``time_left()``. When all ticks are used up, ``out_of_time()`` returns true.
Each round of a user's ``while`` and each recursive call of a user's function counts as *work*. The limit for work is
a little more than twice the number of ticks. So a function that checks the time never reaches it, and a function that
does not end is stopped with :class:`OutOfTicks`. A recursion that would overflow the stack is stopped with
:class:`TooDeep`.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_jitable, register_model

TICKS, DEADLINE, STOP, WORK, FRAME, RANDOM, LEAF, TABLES = range(8)
FIELDS = 16
"""The length of a block. The blocks of a search and of the solver are longer: their own fields follow these."""

DEFAULT_TICKS = 10_000
"""Ticks that a call may use under a node or depth budget."""

USUAL_MS = 150.0
"""The time that AIND gives a player for a move."""

_STACK = 384 * 1024  # bytes; fits in the stack of a secondary thread on macOS, the smallest that we meet
_CLOCK_MONOTONIC = 6 if sys.platform == "darwin" else 1


@register_jitable
def work_for(ticks: int) -> int:
    """Return the loops and recursive calls that are allowed for a number of ticks."""
    return 2 * ticks + 1_000


class OutOfTicks(Exception):
    """An evaluation did not end."""


class TooDeep(Exception):
    """A recursion was too deep for the stack."""


class OutOfTime(Exception):
    """The deadline passed during a function that does not check the time."""


class Control:
    """A control block, as Python sees it."""

    def __init__(self, ticks: int = DEFAULT_TICKS, seconds: float | None = None, fields: int = FIELDS) -> None:
        self.memory = np.zeros(fields, np.int64)
        self.address = self.memory.ctypes.data
        self.allow(ticks, seconds)

    def allow(self, ticks: int, seconds: float | None = None, seed: int = 0) -> None:
        """Begin a new evaluation with this budget."""
        self.memory[TICKS] = ticks
        self.memory[WORK] = work_for(ticks)
        self.memory[DEADLINE] = (
            0 if seconds is None else time.clock_gettime_ns(time.CLOCK_MONOTONIC) + int(seconds * 1e9)
        )
        self.memory[STOP] = 0
        self.memory[FRAME] = 0
        self.memory[RANDOM] = np.int64(np.uint64(seed))

    @property
    def leaf(self) -> int:
        """Index of the last evaluated position, for error messages."""
        return int(self.memory[LEAF])

    def stop(self) -> None:
        """End the evaluation. Can be called from another thread."""
        self.memory[STOP] = 1


class ControlType(types.Type):
    """The Numba type of a pointer to a block."""

    def __init__(self) -> None:
        super().__init__("Control")


control_type = ControlType()


@register_model(ControlType)
class _ControlModel(models.PrimitiveModel):
    def __init__(self, manager: Any, control: ControlType) -> None:
        super().__init__(manager, control, ir.IntType(64).as_pointer())


@intrinsic
def read(context: Any, control: Any, field: Any) -> Any:
    """Return a field of the block. It is read from memory each time, because another thread may have changed it."""

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        value = b.load(b.gep(args[0], [args[1]]))
        value.volatile = True
        return value

    return types.int64(control_type, types.int64), codegen


@intrinsic
def peek(context: Any, control: Any, field: Any) -> Any:
    """Return a field that no other thread changes."""

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        return b.load(b.gep(args[0], [args[1]]))

    return types.int64(control_type, types.int64), codegen


@intrinsic
def write(context: Any, control: Any, field: Any, value: Any) -> Any:
    """Change a field of the block."""

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        b.store(args[2], b.gep(args[0], [args[1]]))
        return c.get_dummy_value()

    return types.void(control_type, types.int64, types.int64), codegen


def emit_clock(b: Any) -> Any:
    """Emit instructions that read the monotonic clock in nanoseconds.

    The symbol is resolved when the code is loaded, so code that uses it can be cached.
    """
    word = ir.IntType(64)
    pair = ir.LiteralStructType([word, word])
    function = cgutils.get_or_insert_function(
        b.module, ir.FunctionType(ir.IntType(32), [ir.IntType(32), pair.as_pointer()]), "clock_gettime"
    )
    slot = cgutils.alloca_once(b, pair)
    b.call(function, [ir.Constant(ir.IntType(32), _CLOCK_MONOTONIC), slot])
    seconds = b.load(cgutils.gep_inbounds(b, slot, 0, 0))
    rest = b.load(cgutils.gep_inbounds(b, slot, 0, 1))
    return b.add(b.mul(seconds, ir.Constant(word, 1_000_000_000)), rest)


@intrinsic
def now(context: Any) -> Any:
    """Return the monotonic clock in nanoseconds."""
    return types.int64(), lambda c, b, sig, args: emit_clock(b)


@intrinsic
def frame_address(context: Any) -> Any:
    """Return the address of the current stack frame."""

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        function = cgutils.get_or_insert_function(
            b.module, ir.FunctionType(byte, [ir.IntType(32)]), "llvm.frameaddress.p0"
        )
        return b.ptrtoint(b.call(function, [ir.Constant(ir.IntType(32), 0)]), ir.IntType(64))

    return types.int64(), codegen


@register_jitable
def tick(control: Any) -> None:
    """Count one round of a loop that may not end."""
    left = read(control, WORK) - 1
    write(control, WORK, left)
    if left < 0:
        raise OutOfTicks("it does not end: out of ticks")
    if left & 63 == 0:
        deadline = read(control, DEADLINE)
        # Allow 1 ms for the return of a function that checks the time.
        if deadline != 0 and now() > deadline + 1_000_000:
            raise OutOfTime("it does not end: out of time")


@register_jitable
def enter(control: Any) -> None:
    """Count one recursive call, and check that the stack has room for it."""
    tick(control)
    here = frame_address()
    base = read(control, FRAME)
    if base == 0:
        write(control, FRAME, here)
    elif base - here > _STACK:
        raise TooDeep("the recursion is too deep")


@register_jitable
def out_of_time(control: Any) -> Any:
    """Return whether the evaluation should end."""
    left = read(control, TICKS) - 1
    write(control, TICKS, left)
    if read(control, STOP) != 0:
        return True
    deadline = read(control, DEADLINE)
    if deadline != 0:
        return now() >= deadline
    return left < 0


@register_jitable
def time_left(control: Any) -> Any:
    """Return the remaining milliseconds or, under a budget of ticks, the remaining thousands of ticks."""
    left = read(control, TICKS) - 1
    write(control, TICKS, left)
    deadline = read(control, DEADLINE)
    if read(control, STOP) != 0:
        return 0.0
    if deadline != 0:
        return (deadline - now()) / 1e6
    return left / 1e3


@register_jitable
def player_time_left(control: Any) -> Any:
    """Return the remaining milliseconds for AIND code. Under a budget of ticks, add AIND's usual time while any remain.

    AIND functions compare the time with a threshold such as 10 ms and raise below it. So a small number of ticks must
    not look like no time.
    """
    left = time_left(control)
    if read(control, DEADLINE) == 0 and left > 0:
        return left + USUAL_MS
    return left


@register_jitable
def random_word(control: Any) -> Any:
    """Return the next number, 53 bits, of a generator that is seeded by the position (splitmix64)."""
    state = np.uint64(read(control, RANDOM)) + np.uint64(0x9E3779B97F4A7C15)
    write(control, RANDOM, np.int64(state))
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(11))
