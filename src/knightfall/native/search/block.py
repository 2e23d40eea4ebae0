"""The block: the complete state of one search, in one piece of memory.

It begins with the sixteen fields of the control block, because the game view that heuristics get carries a pointer to
it. The search's own fields follow. Compiled code receives only the pointer, so the state need not be passed down the
recursion.
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from knightfall.native.control import DEADLINE, Control, control_type, emit_clock
from knightfall.native.control import FIELDS as CONTROL_FIELDS
from knightfall.native.view import PARAMETERS, GameType, heuristic_signature


class Field(IntEnum):
    """The search's own fields, which follow those of the control block."""

    # The evaluation of leaves
    FUNCTION = CONTROL_FIELDS
    PARAMS_0 = auto()
    PARAMS_1 = auto()
    PARAMS_2 = auto()
    PARAMS_3 = auto()
    PARAMS_4 = auto()
    PARAMS_5 = auto()
    PARAMS_6 = auto()
    PARAMS_7 = auto()
    ALLOWED_TICKS = auto()
    CAREFUL = auto()
    SEEDED = auto()
    # The agent's settings
    KEY = auto()
    KIND = auto()
    ENTRY = auto()
    KERNEL = auto()
    TASK = auto()
    TASK_COUNT = auto()
    TASK_DEPTH = auto()
    MAX_DEPTH = auto()
    NODE_LIMIT = auto()
    MS_LIMIT = auto()
    PLAYOUT_LIMIT = auto()
    DEEPEN = auto()
    PARTIAL = auto()
    HORIZON = auto()
    ORDER = auto()
    WINDOW = auto()
    SHUFFLE = auto()
    MULTI = auto()
    REUSE = auto()
    EXPLORATION = auto()
    CUTOFF = auto()
    TREE_LIMIT = auto()
    # Addresses of memory and its sizes
    ROOTS = auto()
    PV = auto()
    SCRATCH = auto()
    KILLERS = auto()
    HISTORY = auto()
    TABLE = auto()
    TABLE_MASK = auto()
    SYMMETRIES = auto()
    SYMMETRY_TOTAL = auto()
    TREE = auto()
    # Progress of the search
    NODES = auto()
    NEXT = auto()
    STOPPED = auto()
    INTERVAL = auto()
    CHECKED = auto()
    PLAYOUTS = auto()
    GENERATION = auto()
    LAST_SEARCHER = auto()
    LAST_COUNT = auto()
    TREE_SIZE = auto()
    WORD = auto()
    # The root, and the position of the horizon relative to it
    SEARCHER = auto()
    ROOT_COUNT = auto()
    PARITY = auto()
    COUNT_BASE = auto()
    SYMMETRY_COUNT = auto()
    # The key of the last position that was looked up
    KEY_LOW = auto()
    KEY_HIGH = auto()
    KEY_LOCATIONS = auto()
    KEY_SYMMETRY = auto()
    # The result
    BEST_SQUARE = auto()
    BEST_VALUE = auto()
    BEST_DEPTH = auto()
    BEST_INDEX = auto()
    # The position where the heuristic failed
    LEAF_LOW = auto()
    LEAF_HIGH = auto()
    LEAF_FIRST = auto()
    LEAF_SECOND = auto()
    LEAF_ACTIVE = auto()
    ASKED = auto()


FIELDS = CONTROL_FIELDS + len(Field)

MOST_MOVES = 128
ROW = 130
"""Bytes of one principal variation: its length, followed by its squares."""

# The memory of the roots: the moves in search order; then, by square, the value, nodes and depth of each move; then the
# principal variations, by square.
ROOT_SQUARES, ROOT_VALUES, ROOT_NODES, ROOT_DEPTHS = (MOST_MOVES * at for at in range(4))
ROOT_WORDS = 4 * MOST_MOVES
ROOT_LINES = 8 * ROOT_WORDS  # in bytes, from the beginning of the roots


# The board's symmetries except the identity. Each is stored as a permutation of the squares and its inverse, including
# the location that means "not placed". The numbers of those that leave the root position unchanged follow.
MOST_SYMMETRIES = 7
PERMUTATION = MOST_MOVES + 1
ACTIVE_SYMMETRIES = MOST_SYMMETRIES * 2 * PERMUTATION


class Block(Control):
    """A block as Python sees it, with the memory that it points to."""

    def __init__(self) -> None:
        super().__init__(fields=FIELDS)
        self.roots = np.zeros(ROOT_WORDS + (MOST_MOVES * ROW) // 8 + 1, np.int64)
        self.pv = np.zeros(ROW * (MOST_MOVES + 2), np.uint8)
        self.scratch = np.zeros((MOST_MOVES + 2) * MOST_MOVES, np.int64)
        self.killers = np.zeros(2 * (MOST_MOVES + 2), np.int64)
        self.history = np.zeros(2 * (MOST_MOVES + 1), np.int64)
        self.symmetries = np.zeros(MOST_SYMMETRIES * (2 * PERMUTATION + 1), np.uint8)
        for field, memory in (
            (Field.ROOTS, self.roots),
            (Field.PV, self.pv),
            (Field.SCRATCH, self.scratch),
            (Field.KILLERS, self.killers),
            (Field.HISTORY, self.history),
            (Field.SYMMETRIES, self.symmetries),
        ):
            self.memory[field] = memory.ctypes.data
        self.floats = self.memory.view(np.float64)

    def __getitem__(self, field: int) -> int:
        return int(self.memory[field])

    def __setitem__(self, field: int, value: int) -> None:
        self.memory[field] = value


def address_of_code(dispatcher: Any, width: int) -> int:
    """Return the address of the machine code of a compiled heuristic."""
    result = dispatcher.get_compile_result(heuristic_signature(width))
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def _field(b: Any, block: Any, field: int) -> Any:
    return b.gep(block, [ir.Constant(ir.IntType(64), int(field))])


@intrinsic
def peek_float(context: Any, block: Any, field: Any) -> Any:
    """Return a field that contains a floating-point number."""

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        pointer = b.bitcast(b.gep(args[0], [args[1]]), ir.DoubleType().as_pointer())
        return b.load(pointer)

    return types.float64(control_type, types.int64), codegen


@intrinsic
def write_float(context: Any, block: Any, field: Any, value: Any) -> Any:
    """Change a field that contains a floating-point number."""

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        pointer = b.bitcast(b.gep(args[0], [args[1]]), ir.DoubleType().as_pointer())
        b.store(args[2], pointer)
        return c.get_dummy_value()

    return types.void(control_type, types.int64, types.float64), codegen


def _trace(c: Any, b: Any, block: Any, kind: GameType, value: Any) -> None:
    """Write the position of a leaf into the block, for error messages."""
    word = ir.IntType(64)
    game = cgutils.create_struct_proxy(kind)(c, b, value=value)
    low, high = game.empty, ir.Constant(word, 0)
    if kind.width != word.width:
        low = b.trunc(game.empty, word)
        high = b.trunc(b.lshr(game.empty, ir.Constant(game.empty.type, word.width)), word)
    for field, part in (
        (Field.LEAF_LOW, low),
        (Field.LEAF_HIGH, high),
        (Field.LEAF_FIRST, game.first),
        (Field.LEAF_SECOND, game.second),
        (Field.LEAF_ACTIVE, game.active_player),
    ):
        b.store(part, _field(b, block, field))


@intrinsic
def evaluate(context: Any, block: Any, game: Any, player: Any) -> Any:
    """Call the heuristic whose address and parameters are in the block.

    Its errors are passed on to the caller of the search, unless the time is up. In that case the clock stopped the
    heuristic, so return 0 and set NEXT to 0. Then the search checks the clock before it does anything else, and it ends
    too.
    """
    if not isinstance(game, GameType):
        return None
    heuristic = heuristic_signature(game.width)

    def codegen(c: Any, b: Any, sig: Any, args: Any) -> Any:
        block, game, player = args
        real, word = ir.DoubleType(), ir.IntType(64)
        code = b.load(_field(b, block, Field.FUNCTION))
        pointer = b.inttoptr(code, c.call_conv.get_function_type(heuristic.return_type, heuristic.args).as_pointer())
        first = b.bitcast(_field(b, block, Field.PARAMS_0), real.as_pointer())
        params = [b.load(b.gep(first, [ir.Constant(word, at)])) for at in range(PARAMETERS)]
        packed = c.make_tuple(b, heuristic.args[2], params)
        status, value = c.call_conv.call_function(
            b, pointer, heuristic.return_type, heuristic.args, [game, player, packed]
        )
        result = cgutils.alloca_once_value(b, value)
        with cgutils.if_unlikely(b, status.is_error):
            deadline = b.load(_field(b, block, DEADLINE))
            none = b.icmp_signed("==", deadline, ir.Constant(word, 0))
            early = b.icmp_signed("<", emit_clock(b), deadline)
            with b.if_then(b.or_(none, early)):
                _trace(c, b, block, sig.args[1], game)
                c.call_conv.return_status_propagate(b, status)
            b.store(ir.Constant(word, 0), _field(b, block, Field.NEXT))
            b.store(ir.Constant(real, 0.0), result)
        return b.load(result)

    return types.float64(control_type, game, types.int64), codegen
